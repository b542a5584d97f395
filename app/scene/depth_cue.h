#pragma once

#include <memory>

#include "app/scene/text_style.h"

class vtkRenderer;

namespace isolume::scene {

/// Lets what is lit in a renderer (surfaces, atoms, ribbons, whoever adds them) fade into the background with its distance
/// from the camera: not at the nearest corner of what is seen, by `amount` at the farthest, in proportion between. Slices
/// and lines, whose colours are to be read, are not lit and stay as they are.
class DepthCue {
 public:
  explicit DepthCue(vtkRenderer& renderer);
  ~DepthCue();
  DepthCue(const DepthCue&) = delete;

  /// `amount` from 0 (nothing changes, and costs nothing) to 1.
  void set(double amount, const Rgb& background);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene

#pragma once

#include <memory>

#include "app/scene/drawing/text_style.h"

class vtkRenderer;

namespace isolume::scene {

/// Fades lit objects of a renderer (surfaces, atoms, ribbons of any origin) into the background with their
/// distance from the camera: not at the nearest corner of the visible scene, by `amount` at the farthest, and
/// linearly between. Slices and lines, whose colours are read as values, are not lit and stay unchanged.
class DepthCue {
 public:
  explicit DepthCue(vtkRenderer& renderer);
  ~DepthCue();
  DepthCue(const DepthCue&) = delete;

  /// `amount` from 0 (off, at no cost) to 1.
  void set(double amount, const Rgb& background);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene

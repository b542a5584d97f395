#pragma once

#include <memory>

#include "core/images/document.h"
#include "core/images/volume.h"

class vtkRenderer;

namespace isolume::labs::livewire {

/// A slice of an image as a picture at its place among the patient's coordinates (mm).
class SliceInSpace {
 public:
  explicit SliceInSpace(vtkRenderer& renderer);
  ~SliceInSpace();

  /// Samples at most 1024 pixels along each side. Throws Error where the slice lies outside.
  void set_slice(const images::Volume& volume, images::SliceId slice, const images::Window& window);
  void set_visible(bool visible);
  /// Whether a camera that is fitted to the scene takes it in.
  void set_counted(bool counted);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::labs::livewire

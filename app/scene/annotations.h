#pragma once

#include <memory>

#include "app/scene/text_style.h"

class vtkRenderer;

namespace isolume::scene {

/// In the lower corners of the picture: the directions of x, y, z on the left and, on the right, a scale bar
/// in angstrom that holds at the depth of the camera's focal point.
class Annotations {
 public:
  explicit Annotations(vtkRenderer& renderer);
  ~Annotations();

  void set_visible(bool visible);
  void set_colour(const Rgb& text);
  /// Fits them to the camera and the picture's size; before each frame.
  void update(double pixel_scale);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene

#pragma once

#include <memory>
#include <string_view>

#include "app/scene/text_style.h"

class vtkRenderer;

namespace isolume::scene {

/// A bar of a round length at the lower right of the picture, with that length; it holds at the depth of the camera's focal
/// point.
class ScaleBar {
 public:
  explicit ScaleBar(vtkRenderer& renderer);
  ~ScaleBar();

  void set_visible(bool visible);
  /// What the scene's lengths are counted in.
  void set_unit(std::string_view unit);
  void set_colour(const Rgb& text);
  /// Fits it to the camera and a picture of so many pixels; before each frame. `raised`: by so many pixels.
  void update(double pixel_scale, int width, int height, double raised = 0);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene

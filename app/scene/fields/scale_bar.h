#pragma once

#include <memory>
#include <string_view>

#include "app/scene/drawing/text_style.h"

class vtkRenderer;

namespace isolume::scene {

/// A bar of a round length at the lower right of the picture, with that length; valid at the depth of the
/// camera's focal point.
class ScaleBar {
 public:
  explicit ScaleBar(vtkRenderer& renderer);
  ~ScaleBar();

  void set_visible(bool visible);
  /// The unit of the numbers, and how many of it are 1 in the scene's lengths.
  void set_unit(std::string_view unit, double size = 1);
  void set_colour(const Rgb& text);
  /// Adapts it to the camera and a picture of this size in pixels; call before each frame. `raised`: height
  /// in pixels above its usual position.
  void update(double pixel_scale, int width, int height, double raised = 0);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene

#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "app/scene/drawing/text_style.h"

class vtkRenderer;

namespace isolume::scene {

/// Texts and marks of a picture: the directions of the axes in the lower left corner, and in the lower right
/// one a scale bar that is valid at the depth of the camera's focal point. A notice at the top warns about
/// the picture, and a caption at the bottom describes its method.
class Annotations {
 public:
  /// Labels of the renderer's x, y, z axes, and its unit of length.
  struct Names {
    std::array<std::string, 3> axes;
    std::string unit;
  };
  explicit Annotations(vtkRenderer& renderer, Names names);
  ~Annotations();

  /// Shows or hides axes and scale bar.
  void set_visible(bool visible);
  /// Sentences, each on a line of its own, wrapped in narrow pictures. Empty: none.
  void set_notice(std::string_view text);
  /// Wrapped in narrow pictures; empty: none. Axes and scale bar are above it.
  void set_caption(std::string_view text);
  void set_colour(const Rgb& text);
  /// Adapts them to the camera and the picture's size; call before each frame.
  void update(double pixel_scale);
  /// Height in pixels by which the caption raises the corner marks, as of the last update.
  double raised() const;
  /// Sets the width of the notice, from the left edge, as a fraction of the picture's width.
  void set_room(double share);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene

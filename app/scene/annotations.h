#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "app/scene/text_style.h"

class vtkRenderer;

namespace isolume::scene {

/// In the lower corners of the picture: the directions of the axes on the left and, on the right, a scale bar
/// that holds at the depth of the camera's focal point. And a notice at the top, for what the picture itself
/// must say, and a caption below all, for how it was made.
class Annotations {
 public:
  /// What the renderer's x, y, z are called, and its unit of length.
  struct Names {
    std::array<std::string, 3> axes;
    std::string unit;
  };
  explicit Annotations(vtkRenderer& renderer, Names names);
  ~Annotations();

  /// Of axes and scale bar.
  void set_visible(bool visible);
  /// Sentences; each begins a line, which is broken where the picture is narrow. Empty: none.
  void set_notice(std::string_view text);
  /// Broken where the picture is narrow; empty: none. Axes and scale bar stand above it.
  void set_caption(std::string_view text);
  void set_colour(const Rgb& text);
  /// Fits them to the camera and the picture's size; before each frame.
  void update(double pixel_scale);
  /// In pixels, as of the last update: how far the caption has raised what stands in the corners.
  double raised() const;
  /// Which share of the picture's width, at the left, the notice has.
  void set_room(double share);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene

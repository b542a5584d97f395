#pragma once

#include <memory>
#include <string_view>

#include "app/scene/text_style.h"

class vtkLookupTable;
class vtkRenderer;

namespace isolume::scene {

/// A colour map with its values, at the right of the picture; the quantity and its unit stand above it. While
/// it is seen, the camera looks past the picture's middle, so that the scene has its own middle beside the
/// bar (`camera.h` fits the scene into what is left).
class ColourBar {
 public:
  explicit ColourBar(vtkRenderer& renderer);
  ~ColourBar();

  void set_visible(bool visible);
  void set_meaning(vtkLookupTable& colours, std::string_view quantity, std::string_view unit);
  void set_colour(const Rgb& text);
  /// Fits it to the picture's size; before each frame.
  void update(double pixel_scale);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/scene/text_style.h"

class vtkLookupTable;
class vtkRenderer;

namespace isolume::scene {

/// One colour with what it stands for.
struct Swatch {
  Rgb colour;
  std::string text;
};

/// A colour map with its values, or a few colours with theirs, at the right of the picture; the quantity and its unit
/// stand above it.
class ColourBar {
 public:
  explicit ColourBar(vtkRenderer& renderer);
  ~ColourBar();

  void set_visible(bool visible);
  bool visible() const;
  void set_meaning(vtkLookupTable& colours, std::string_view quantity, std::string_view unit);
  /// From the uppermost to the lowest; at most five.
  void set_swatches(std::vector<Swatch> swatches, std::string_view quantity, std::string_view unit);
  void set_colour(const Rgb& text);
  /// Where it stands, in parts of the picture's height; without it in the middle.
  void set_span(double low_end, double high_end);
  /// Fits it to the picture's size; before each frame.
  void update(double pixel_scale);
  /// Beneath swatches another bar has room, which begins with its title: the height in points from the upper end to there.
  double height_with_next_title() const;
  /// Which part of the picture's width it takes, as of the last update; 0 while it is not seen.
  double share_of_width() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene

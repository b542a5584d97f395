#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/scene/drawing/text_style.h"

class vtkLookupTable;
class vtkRenderer;

namespace isolume::scene {

/// A colour with its label.
struct Swatch {
  Rgb colour;
  std::string text;
};

/// A colour map with its values, or a few labelled colours, at the right of the picture, with the quantity
/// and its unit above.
class ColourBar {
 public:
  explicit ColourBar(vtkRenderer& renderer);
  ~ColourBar();

  void set_visible(bool visible);
  bool visible() const;
  /// The table is not to be changed after that.
  void set_meaning(vtkLookupTable& colours, std::string_view quantity, std::string_view unit);
  /// From top to bottom; at most five.
  void set_swatches(std::vector<Swatch> swatches, std::string_view quantity, std::string_view unit);
  void set_colour(const Rgb& text);
  /// Lower and upper end in fractions of the picture's height; by default the bar is centred.
  void set_span(double low_end, double high_end);
  /// Adapts it to the picture's size; call before each frame.
  void update(double pixel_scale);
  /// Height in points of the swatches and the gap to the title of another bar below them.
  double height_with_next_title() const;
  /// Fraction of the picture's width that it takes, as of the last update; 0 while it is invisible.
  double share_of_width() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene

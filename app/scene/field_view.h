#pragma once

#include <string>
#include <vector>

#include "app/scene/surface_prop.h"
#include "core/parameters/schema.h"

namespace isolume::scene {

enum class IsovalueMode { value, enclosed };
/// `usual`: all but the outermost values that are seen; `locked`: to a limit, on both sides of 0 where the field has both
/// signs; `free`: from a low end to a high one.
enum class ColourRange { usual, locked, free };
/// `widest`: across the plane in which the field's subject reaches furthest, as that of a flat molecule.
enum class SliceAxis { x, y, z, widest };

/// How a field is drawn: surfaces, slice and what stands around them. A lab's own view begins with it.
struct FieldView {
  IsovalueMode isovalue_mode = IsovalueMode::enclosed;
  double isovalue = 0.03;
  double enclosed = 0.85;
  SurfaceStyle style = SurfaceStyle::smooth;
  double opacity = 0.6;
  std::string positive_colour = "#0072b2";  ///< Okabe-Ito blue and vermilion: safe for colour blindness
  std::string negative_colour = "#d55e00";
  bool surface = true;
  ColourRange colour_range = ColourRange::usual;  ///< of a second field's values on the surface
  double colour_limit = 0.1;  ///< where it is locked: colours reach from 0, or -limit, to it
  double colour_low = -0.1, colour_high = 0.1;  ///< where it is free; in either order
  double sample_height =
      0;  ///< above the surface, where those values are taken; in the unit that scenes show
  bool colours_of_field =
      false;  ///< both are of the field itself, on slices too: surfaces are of another shape
  bool isosurface_key = false;  ///< surfaces of the field itself have a key with their values
  bool volume = false;
  double volume_opacity = 0.5;  ///< of a layer at the isovalue, a tenth of the box's diagonal thick
  bool slice = false;
  SliceAxis slice_axis = SliceAxis::z;
  double slice_position = 0.5;  ///< fraction of the box along the axis
  bool slice_contours = true;
  double depth_cue = 0;             ///< share of the background in what lies farthest
  bool scale_bar = true;            ///< a length, and the axes' directions
  std::string background = "auto";  ///< "auto" (follows dark and light), or "#rrggbb"
};

/// Between which values colours run: low < high.
struct ColourSpan {
  double low = 0;
  double high = 1;
  bool operator==(const ColourSpan&) const = default;
};
/// What the view's colour range says. `usual_limit`: what ColourRange::usual reaches to.
ColourSpan colour_span(const FieldView& view, bool both_signs, double usual_limit);

/// In the groups "Surface", "Volume", "Slice" and "View". What it says of the isovalue's unit and of the widest
/// plane is general: a lab puts its words in their place.
const parameters::Schema<FieldView>& field_view_schema();
/// What a lab adds that lets a second field colour the surface. That field is chosen by the lab's own parameter
/// `chosen_by`, whose first choice is none.
std::vector<parameters::Field<FieldView>> surface_colour_fields(const parameters::Description& chosen_by);

}  // namespace isolume::scene

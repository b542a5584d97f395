#pragma once

#include <string>
#include <vector>

#include "app/scene/fields/surface_style.h"
#include "core/parameters/schema.h"

namespace isolume::scene {

enum class IsovalueMode { value, enclosed };
/// `usual`: all visible values but the outermost; `locked`: to a limit, on both sides of 0 if the field has
/// both signs; `free`: from a low end to a high one.
enum class ColourRange { usual, locked, free };
/// `widest`: perpendicular to the plane of the subject's largest extent, as of a flat molecule.
enum class SliceAxis { x, y, z, widest };

/// How a field is drawn: surfaces, slice and annotations. A lab's own view derives from it.
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
  double colour_limit = 0.1;                      ///< for `locked`: colours range from 0, or -limit, to it
  double colour_low = -0.1, colour_high = 0.1;    ///< for `free`; in either order
  double sample_height =
      0;  ///< height above the surface at which those values are taken, in the unit that scenes show
  bool colours_of_field =
      false;  ///< both are of the field itself, on slices too: surfaces are of another shape
  bool isosurface_key = false;  ///< whether surfaces of the field itself have a colour bar
  bool volume = false;
  double volume_opacity = 0.5;  ///< opacity of a layer at the isovalue, a tenth of the box's diagonal thick
  bool slice = false;
  SliceAxis slice_axis = SliceAxis::z;
  double slice_position = 0.5;  ///< fraction of the box along the axis
  bool slice_contours = true;
  bool slice_values = true;         ///< of the contour lines, as labels
  double depth_cue = 0;             ///< fraction of the background in the farthest objects
  bool scale_bar = true;            ///< a length, and the axes' directions
  std::string background = "auto";  ///< "auto" (follows dark and light), or "#rrggbb"
};

/// The range of colours: low < high.
struct ColourSpan {
  double low = 0;
  double high = 1;
  bool operator==(const ColourSpan&) const = default;
};
/// The range by the view's settings. `usual_limit` is the limit for ColourRange::usual.
ColourSpan colour_span(const FieldView& view, bool both_signs, double usual_limit);

/// In the groups "Surface", "Volume", "Slice" and "View". Its texts on the isovalue's unit and on the widest
/// plane are general: a lab replaces them.
const parameters::Schema<FieldView>& field_view_schema();
/// Of "slice-axis", for a lab whose object is a molecule.
void name_plane_of_molecule(parameters::Description& slice_axis);
/// Fields that a lab adds so that a second field can colour the surface. The lab's own parameter `chosen_by`
/// selects that field; its first choice is none.
std::vector<parameters::Field<FieldView>> surface_colour_fields(const parameters::Description& chosen_by);

}  // namespace isolume::scene

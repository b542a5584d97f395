#include "app/scene/fields/field_view.h"

#include <algorithm>
#include <cmath>

namespace isolume::scene {

ColourSpan colour_span(const FieldView& view, bool both_signs, double usual_limit) {
  if (view.colour_range == ColourRange::free) {
    const auto [low, high] = std::minmax(view.colour_low, view.colour_high);
    constexpr double least = 1e-6;  // relative to the ends: equal ends would leave no range of colours
    return {low, std::max(high, low + least * std::max(std::abs(low), least))};
  }
  const double limit = view.colour_range == ColourRange::locked ? view.colour_limit : usual_limit;
  return {both_signs ? -limit : 0, limit};
}

const parameters::Schema<FieldView>& field_view_schema() {
  using P = FieldView;
  using parameters::field;
  static const parameters::Schema<P> schema({
      field("surface", &P::surface, "Surface")
          .group("Surface")
          .help("Show the isosurface, one lobe for each sign."),
      field("isovalue", &P::isovalue, "Isovalue")
          .group("Surface")
          .range(1e-12, 1e6)  // also those that are computed, next to heavy nuclei
          .usual(1e-4, 1)
          .logarithmic()
          .help("Where the surface lies: field = +isovalue and -isovalue. The opacity of the volume follows "
                "it."),
      field("enclosed", &P::enclosed, "Density enclosed")
          .group("Surface")
          .range(0, 1)  // also those that are computed
          .usual(0.01, 0.999)
          .help("The fraction of the density within the surface; the isovalue is computed from it."),
      // Placed after the two parameters between which it chooses, which set it when they change: resetting
      // all parameters ends with this one.
      field("isovalue-mode", &P::isovalue_mode, "Isovalue by",
            {{"value", "Value"}, {"enclosed", "Density enclosed"}})
          .group("Surface")
          .help("Set the isovalue itself, or the fraction of the density that its surface encloses."),
      field("style", &P::style, "Style", {{"smooth", "Smooth"}, {"mesh", "Mesh"}, {"points", "Points"}})
          .group("Surface")
          .only_when("surface", {"true"})
          .help("Draw the surface filled, as the edges of its triangles, or as their vertices."),
      field("opacity", &P::opacity, "Opacity")
          .group("Surface")
          .only_when("surface", {"true"})
          .range(0.05, 1)
          .help("Opacity of the surface: 1 is opaque; smaller values are more transparent."),
      field("positive-colour", &P::positive_colour, "Positive lobe")
          .group("Surface")
          .only_when("surface", {"true"})
          .colour()
          .help("Colour where the field is positive, as #rrggbb or a CSS colour name."),
      field("negative-colour", &P::negative_colour, "Negative lobe")
          .group("Surface")
          .only_when("surface", {"true"})
          .colour()
          .help("Colour where the field is negative, as #rrggbb or a CSS colour name."),
      field("volume", &P::volume, "Volume")
          .group("Volume")
          .help("Show a volume rendering; larger values are drawn denser."),
      field("volume-opacity", &P::volume_opacity, "Opacity of volume")
          .group("Volume")
          .only_when("volume", {"true"})
          .range(0.02, 0.99)
          .help("Opacity, at the isovalue, of a layer a tenth of the box's diagonal thick. It grows with the "
                "square of the value, up to twice the isovalue."),
      field("slice", &P::slice, "Slice")
          .group("Slice")
          .help("Show the field's values on a plane through the box."),
      field("slice-axis", &P::slice_axis, "Plane",
            {{"x", "Across x"}, {"y", "Across y"}, {"z", "Across z"}, {"widest", "Widest plane"}})
          .group("Slice")
          .only_when("slice", {"true"})
          .help("Whether the plane is perpendicular to an axis, or the one in which the object is widest."),
      field("slice-position", &P::slice_position, "Position")
          .group("Slice")
          .only_when("slice", {"true"})
          .range(0, 1)
          .help("Where the plane cuts the box: 0 at its low end, 1 at its high end. Drag its frame in the "
                "view."),
      field("slice-contours", &P::slice_contours, "Contour lines")
          .group("Slice")
          .only_when("slice", {"true"})
          .help("Lines on the plane at round values: 1, 2 and 5 times powers of ten, of both signs."),
      field("slice-values", &P::slice_values, "Contour values")
          .group("Slice")
          .only_when("slice-contours", {"true"})
          .help("Label contour lines with their values where there is room."),
      field("depth-cue", &P::depth_cue, "Depth cue")
          .group("View")
          .range(0, 1)
          .help("How far surfaces, atoms and ribbons at the back fade into the background; 0 leaves colours "
                "unchanged, so that values can be read."),
      field("scale-bar", &P::scale_bar, "Scale bar and axes")
          .group("View")
          .help("Show a scale bar and the directions of x, y and z."),
      field("background", &P::background, "Background")
          .colour()
          .group("View")
          .help("Background colour: auto follows the dark or light theme; otherwise #rrggbb or a CSS colour "
                "name."),
  });
  return schema;
}

void name_plane_of_molecule(parameters::Description& slice_axis) {
  slice_axis.choices.back().label = "Molecule's plane";
  slice_axis.help =
      "Whether the plane is perpendicular to an axis, or the molecule's (widest): the best fit to its atoms.";
}

std::vector<parameters::Field<FieldView>> surface_colour_fields(const parameters::Description& chosen_by) {
  using P = FieldView;
  using parameters::field;
  std::vector<std::string> chosen;
  for (const auto& each : chosen_by.choices) {
    if (&each != &chosen_by.choices.front()) chosen.push_back(each.key);
  }
  return {field("colour-range", &P::colour_range, "Colour range",
                {{"usual", "Fit to the surface"}, {"locked", "Locked"}, {"free", "Free"}})
              .group("Surface")
              .only_when(chosen_by.key, chosen)
              .help("Fit the colours to 98 % of the values on the surface, lock the limit so that pictures "
                    "can be compared, or set both ends freely."),
          field("colour-limit", &P::colour_limit, "Colour limit")
              .group("Surface")
              .only_when(chosen_by.key, chosen)
              .range(1e-8, 1e6)
              .usual(1e-4, 1)
              .logarithmic()
              .help("The value at the end of the colour bar; for a field of both signs it runs from minus "
                    "this value."),
          field("colour-low", &P::colour_low, "Colours from")
              .group("Surface")
              .only_when("colour-range", {"free"})
              .range(-1e6, 1e6)
              .usual(-10, 10)
              .help("Value at one end of the colours. For a field of both signs, the neutral colour lies at "
                    "0, or at the end nearest to 0. Values beyond an end have the colour of that end."),
          field("colour-high", &P::colour_high, "Colours to")
              .group("Surface")
              .only_when("colour-range", {"free"})
              .range(-1e6, 1e6)
              .usual(-10, 10)
              .help("Value at the other end of the colours. The lower of the two values is the low end.")};
}

}  // namespace isolume::scene

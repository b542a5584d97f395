#include "app/labs/livewire/views/tool_parameters.h"

#include <algorithm>

namespace isolume::labs::livewire {
namespace {

constexpr double cooling_least_screen_px = 48;

}  // namespace

const parameters::Schema<ToolParameters>& tool_schema() {
  using P = ToolParameters;
  using parameters::field;
  static const parameters::Schema<P> own({
      field("time-point", &P::time_point, "Time point")
          .range(1, 100000)
          .group("Image")
          .help("Volume to show, of an image with several at the same position: phases, echoes, b-values, "
                "repetitions."),
      field("values", &P::values, "Values",
            {{"stored", "As stored"},
             {"suv-bw", "SUV (body weight)"},
             {"suv-lbm", "SUV (lean body mass)"},
             {"suv-bsa", "SUV (body surface area)"}})
          .group("Image")
          .help(
              "Shows and measures the values of PET images as they are stored, or as standardised uptake "
              "values (SUV) by body weight, lean body mass (Janmahasatian) or body surface area (Du Bois)."),
      field("window-centre", &P::window_centre, "Window centre")
          .group("Image")
          .help("Value shown as middle grey. The wire does not depend on the window."),
      field("window-width", &P::window_width, "Window width")
          .range(1e-9, 1e12)
          .logarithmic()
          .group("Image")
          .help("Range of values from black to white."),
      field("invert", &P::invert, "Invert")
          .group("Image")
          .help("Inverts the grey scale: low values bright and high values dark; the reverse for images "
                "stored inverted."),
      field("interpolation", &P::interpolation, "Interpolation", {{"nearest", "None"}, {"linear", "Linear"}})
          .group("Image")
          .help("Shows pixels as they are, or smoothly interpolated."),
      field("crosshair", &P::crosshair, "Crosshair").group("Image").help("Shows where the other views cut."),
      field("side-views", &P::side_views, "Other planes")
          .group("Image")
          .help("Shows the two other planes and the 3D view next to the large one."),

      field("snap", &P::snap, "Snap to edges")
          .group("Wire")
          .help("Seeds snap to the strongest edge near the pointer; hold S to place them freely."),
      field("snap-radius", &P::snap_radius, "Snap radius")
          .unit("px")
          .range(1, 50)
          .group("Wire")
          .only_when("snap", {"true"})
          .help("How far a seed may be moved to an edge, on the screen."),
      field("closing-radius", &P::closing_radius, "Closing radius")
          .unit("px")
          .range(2, 50)
          .group("Wire")
          .help("A click this near to the first seed, on the screen, closes the contour."),
      field("brush-radius", &P::brush_radius_mm, "Brush radius")
          .unit("mm")
          .range(0.01, 1000)
          .usual(0.5, 50)
          .logarithmic()
          .group("Wire")
          .help("Radius of the brush that paints (hold B) and erases (hold E)."),
      field("fill-tolerance", &P::fill_tolerance, "Fill tolerance")
          .range(0, 1e12)
          .usual(0, 400)
          .group("Wire")
          .help(
              "The tool Fill (hold G) takes the connected pixels whose values differ from the clicked one by "
              "at most this."),
      field("cooling", &P::cooling, "Path cooling")
          .group("Wire")
          .help("Freezes pieces of the wire that have not changed for a while."),
      field("cooling-time", &P::cooling_seconds, "Cooling time")
          .unit("s")
          .range(0.1, 10)
          .group("Wire")
          .only_when("cooling", {"true"})
          .help("How long a piece must stay unchanged before it is frozen."),
      field("hysteresis", &P::hysteresis, "Steadiness")
          .unit("px")
          .range(0, 20)
          .group("Wire")
          .help("Pointer movements smaller than this, on the screen, do not move the end of the wire."),
      field("wire-colour", &P::wire_colour, "Wire colour")
          .colour()
          .group("Wire")
          .help("Colour of the live wire."),
      field("wire-width", &P::wire_width, "Line width")
          .unit("px")
          .range(0.5, 8)
          .group("Wire")
          .help("Width of wires and contours on the screen."),
      field("fill-opacity", &P::fill_opacity, "Fill opacity")
          .range(0, 1)
          .group("Wire")
          .help("Opacity of the fill of closed contours, in the colour of the label."),

      field("layer", &P::layer, "Layer",
            {{"none", "None"}, {"gradient", "Gradient"}, {"cost", "Cost"}, {"distance", "Distance"}})
          .group("Layer")
          .help("Overlay on the image: the gradient, the cost of each pixel, or the distance from the last "
                "seed with its isolines."),
      field("layer-opacity", &P::layer_opacity, "Opacity")
          .range(0.05, 1)
          .group("Layer")
          .only_when("layer", {"gradient", "cost", "distance"})
          .help("Opacity of the layer."),
  });
  static const parameters::Schema<P> schema(own.fields(), dispatch::compute_schema());
  return schema;
}

isolume::livewire::TracerSettings tracer_settings(const ToolParameters& parameters,
                                                  double screen_px_per_pixel) {
  isolume::livewire::TracerSettings settings;
  settings.snap = parameters.snap;
  settings.snap_radius_px = parameters.snap_radius / screen_px_per_pixel;
  settings.closing_radius_px = parameters.closing_radius / screen_px_per_pixel;
  settings.cooling = parameters.cooling;
  settings.cooling_seconds = parameters.cooling_seconds;
  // A large image shrunk to the screen would be strewn with seeds otherwise.
  settings.cooling_least_px =
      std::max(settings.cooling_least_px, static_cast<int>(cooling_least_screen_px / screen_px_per_pixel));
  settings.hysteresis_px = parameters.hysteresis / screen_px_per_pixel;
  return settings;
}

}  // namespace isolume::labs::livewire

#pragma once

#include <string>

#include "core/dispatch/compute_options.h"
#include "core/images/document.h"
#include "core/images/render_slice.h"
#include "core/livewire/tracer.h"
#include "core/parameters/schema.h"

namespace isolume::labs::livewire {

enum class LayerKind { none, gradient, cost, distance };

/// How the tool behaves and how things look. Radii are on the screen: the same for the hand at every zoom.
struct ToolParameters : dispatch::ComputeOptions {
  bool snap = true;
  double snap_radius = 8;      ///< screen pixels
  double closing_radius = 10;  ///< screen pixels
  bool cooling = true;
  double cooling_seconds = 0.8;
  double hysteresis = 2;  ///< screen pixels
  double brush_radius_mm = 5;
  double fill_tolerance = 50;  ///< in the image's unit

  int time_point = 1;  ///< which volume of the image, from 1
  images::ValueScale values = images::ValueScale::stored;
  double window_centre = 0, window_width = 1;  ///< in the image's unit
  bool invert = false;
  images::Interpolation interpolation = images::Interpolation::linear;
  LayerKind layer = LayerKind::none;
  double layer_opacity = 0.5;
  std::string wire_colour = "#f0e442";
  double wire_width = 2;  ///< screen pixels
  double fill_opacity = 0.15;
  bool crosshair = true;
  bool side_views = true;
};
const parameters::Schema<ToolParameters>& tool_schema();

/// `screen_px_per_pixel`: how large a pixel of the slice is on the screen.
isolume::livewire::TracerSettings tracer_settings(const ToolParameters& parameters,
                                                  double screen_px_per_pixel);

}  // namespace isolume::labs::livewire

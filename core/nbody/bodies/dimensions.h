#pragma once

#include <optional>

#include "core/nbody/bodies/units.h"

namespace isolume::nbody {

/// Of a number that is shown or written.
enum class Dimension {
  none,
  relative,
  milliseconds,
  mass,
  length,
  speed,
  potential,
  energy,
  momentum,
  angular_momentum,
  acceleration,
  time,
  degrees
};

/// A number in units that make G = 1, in units with names: masses without the gravitational constant in mass_unit, lengths in
/// length_unit, speeds in speed_unit, times in time_unit. Panels, plots and tables all use it. Without units, the number itself.
double in_units(double value, Dimension dimension, const std::optional<Units>& units);

}  // namespace isolume::nbody

#pragma once

#include <QString>
#include <optional>

#include "core/nbody/units.h"

namespace isolume::labs::nbody {

/// What a number of the panels is made of.
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

/// "km/s" with units, or "length/time", which make G = 1, without.
QString unit_words(Dimension dimension, const std::optional<isolume::nbody::Units>& units);
/// A number that is in units which make G = 1, in the unit that unit_words names.
double in_units(double value, Dimension dimension, const std::optional<isolume::nbody::Units>& units);
/// As shown_reading().
QString shown_text(double value, int digits = 5);
/// "Quantity", or without units "Quantity (G = 1)".
QString quantity_heading(const std::optional<isolume::nbody::Units>& units);

}  // namespace isolume::labs::nbody

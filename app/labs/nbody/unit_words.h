#pragma once

#include <QString>
#include <optional>

#include "core/nbody/dimensions.h"

namespace isolume::labs::nbody {

using isolume::nbody::Dimension;
using isolume::nbody::in_units;

/// What in_units() gives a number in: "km/s" with units, or "length/time", which make G = 1, without.
QString unit_words(Dimension dimension, const std::optional<isolume::nbody::Units>& units);
/// As shown_reading().
QString shown_text(double value, int digits = 5);
/// "Quantity", or without units "Quantity (G = 1)".
QString quantity_heading(const std::optional<isolume::nbody::Units>& units);

}  // namespace isolume::labs::nbody

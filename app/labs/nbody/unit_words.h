#pragma once

#include <QString>
#include <optional>

#include "core/nbody/bodies/dimensions.h"

class QTreeWidget;

namespace isolume::labs::nbody {

using isolume::nbody::Dimension;
using isolume::nbody::in_units;

/// What in_units() gives a number in: "km/s" with units, or "length/time", which make G = 1, without.
QString unit_words(Dimension dimension, const std::optional<isolume::nbody::Units>& units);
/// Words for a narrow column, on several lines where one would be long.
QString in_lines(const QString& words);
/// As shown_reading().
QString shown_text(double value, int digits = 4);
/// For a table of quantities, values and units: numbers and in_lines() have room.
void fit_columns(QTreeWidget& table);
/// Width at which a table of quantities, values and units cuts off none of them.
int full_width(const QTreeWidget& table);
/// "Quantity", or without units "Quantity (G = 1)".
QString quantity_heading(const std::optional<isolume::nbody::Units>& units);

}  // namespace isolume::labs::nbody

#include "app/labs/nbody/unit_words.h"

#include <QObject>

namespace isolume::labs::nbody {
namespace {

using isolume::nbody::Units;

bool has_mass(Dimension dimension) {
  return dimension == Dimension::mass || dimension == Dimension::energy || dimension == Dimension::momentum ||
         dimension == Dimension::angular_momentum;
}

}  // namespace

QString unit_words(Dimension dimension, const std::optional<Units>& units) {
  const QString mass = units ? QString::fromStdString(mass_name(*units)) : QObject::tr("mass"),
                length = units ? QString::fromStdString(length_name(*units)) : QObject::tr("length"),
                speed = units ? QString::fromStdString(speed_name(*units)) : QObject::tr("length/time"),
                squared = units ? QStringLiteral("(%1)²").arg(speed) : QObject::tr("length²/time²");
  switch (dimension) {
    case Dimension::none:
      return {};
    case Dimension::relative:
      return QObject::tr("relative");
    case Dimension::milliseconds:
      return QObject::tr("ms");
    case Dimension::mass:
      return mass;
    case Dimension::length:
      return length;
    case Dimension::speed:
      return speed;
    case Dimension::potential:
      return squared;
    case Dimension::energy:
      return QStringLiteral("%1 · %2").arg(mass, squared);
    case Dimension::momentum:
      return QStringLiteral("%1 · %2").arg(mass, speed);
    case Dimension::angular_momentum:
      return QStringLiteral("%1 · %2 · %3").arg(mass, length, speed);
    case Dimension::acceleration:
      return units ? QStringLiteral("%1/%2").arg(squared, length) : QObject::tr("length/time²");
  }
  return {};
}

double in_units(double value, Dimension dimension, const std::optional<Units>& units) {
  return units && has_mass(dimension) ? value / units->gravitation : value;
}

QString quantity_heading(const std::optional<Units>& units) {
  return units ? QObject::tr("Quantity") : QObject::tr("Quantity (G = 1)");
}

}  // namespace isolume::labs::nbody

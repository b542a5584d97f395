#include "app/labs/nbody/unit_words.h"

#include <QObject>

#include "core/base/shown_number.h"

namespace isolume::labs::nbody {
using isolume::nbody::Units;

QString unit_words(Dimension dimension, const std::optional<Units>& units) {
  const QString mass = units ? QString::fromStdString(mass_name(*units)) : QObject::tr("mass"),
                length = units ? QString::fromStdString(length_name(*units)) : QObject::tr("length"),
                speed = units ? QString::fromStdString(speed_unit(*units).name) : QObject::tr("length/time"),
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
    case Dimension::time:
      return units ? QString::fromStdString(time_unit(*units).name) : QObject::tr("time");
    case Dimension::degrees:
      return QStringLiteral("°");
  }
  return {};
}

QString shown_text(double value, int digits) {
  return QString::fromStdString(shown_reading(value, digits));
}

QString quantity_heading(const std::optional<Units>& units) {
  return units ? QObject::tr("Quantity") : QObject::tr("Quantity (G = 1)");
}

}  // namespace isolume::labs::nbody

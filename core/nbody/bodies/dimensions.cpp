#include "core/nbody/bodies/dimensions.h"

#include <cmath>

namespace isolume::nbody {
namespace {

bool has_mass(Dimension dimension) {
  return dimension == Dimension::mass || dimension == Dimension::energy || dimension == Dimension::momentum ||
         dimension == Dimension::angular_momentum;
}

int power_of_speed(Dimension dimension) {
  switch (dimension) {
    case Dimension::speed:
    case Dimension::momentum:
    case Dimension::angular_momentum:
      return 1;
    case Dimension::potential:
    case Dimension::energy:
    case Dimension::acceleration:
      return 2;
    default:
      return 0;
  }
}

int power_of_length(Dimension dimension) {
  switch (dimension) {
    case Dimension::length:
    case Dimension::angular_momentum:
      return 1;
    case Dimension::acceleration:
      return -1;
    default:
      return 0;
  }
}

}  // namespace

double in_units(double value, Dimension dimension, const std::optional<Units>& units) {
  if (!units) return value;
  if (dimension == Dimension::time) return value * time_unit(*units).size;
  if (has_mass(dimension)) value *= mass_unit(*units).size / units->gravitation;
  return value * std::pow(length_unit(*units).size, power_of_length(dimension)) *
         std::pow(speed_unit(*units).size, power_of_speed(dimension));
}

}  // namespace isolume::nbody

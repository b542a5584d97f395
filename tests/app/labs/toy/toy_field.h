#pragma once

#include <memory>

#include <Eigen/Core>

#include "core/fields/source.h"
#include "core/parameters/schema.h"

namespace isolume::labs::toy {

/// Two pulses of opposite sign that circle each other once in `period_s`.
struct ToyParameters {
  double distance_mm = 8;  ///< between their centres
  double width_mm = 1.6;   ///< standard deviation of each
  double spacing_mm = 0.3;
  double time_s = 0;
};
inline constexpr double period_s = 4;
inline constexpr double half_box_mm = 10;

const parameters::Schema<ToyParameters>& toy_schema();

/// In mV: exp(-|r - c|^2 / 2 w^2) - exp(-|r + c|^2 / 2 w^2), c = (d/2)(cos 2 pi t/T, sin 2 pi t/T, 0).
double toy_value(const ToyParameters& toy, const Eigen::Vector3d& place_mm);

std::shared_ptr<const fields::FieldSource> toy_source(const ToyParameters& toy);

}  // namespace isolume::labs::toy

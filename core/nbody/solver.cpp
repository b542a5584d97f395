#include "core/nbody/solver.h"

#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::nbody {

void check(const ForceOptions& options) {
  if (!(options.softening >= 0 && std::isfinite(options.softening))) {
    throw Error(fmt::format("The softening is {}. Give a length of 0 or more.", options.softening));
  }
  if (!(options.opening_angle >= 0.05 && options.opening_angle <= 2)) {
    throw Error(fmt::format("The opening angle is {}. Give one from 0.05 to 2.", options.opening_angle));
  }
  if (!(options.error == 0 || (options.error >= 1e-6 && options.error <= 0.1))) {
    throw Error(fmt::format("The error is {}. Give one from 1e-6 to 0.1, or 0 to go by the opening angle.",
                            options.error));
  }
}

Forces no_forces(std::size_t count) {
  Forces forces;
  for (auto* values : {&forces.ax, &forces.ay, &forces.az, &forces.potential}) values->assign(count, 0);
  return forces;
}

}  // namespace isolume::nbody

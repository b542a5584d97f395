#include "core/nbody/bodies.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::nbody {

namespace {

/// Squares of larger ones cannot be told from infinity for long.
constexpr double largest = 1e150;

void check(const std::vector<double>& values, const char* what, std::size_t count) {
  if (values.size() != count) {
    throw Error(fmt::format("{} bodies have {} values of {}; there must be one for each.", count,
                            values.size(), what));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (std::abs(values[i]) <= largest) continue;
    throw Error(std::isfinite(values[i])
                    ? fmt::format("Body {}: {} is {}. Give a number within {}, in larger units.", i + 1, what,
                                  values[i], largest)
                    : fmt::format("Body {}: {} is {}. Give a finite number.", i + 1, what, values[i]));
  }
}

}  // namespace

void check(const Bodies& bodies) {
  check(bodies.mass, "mass", bodies.size());
  check(bodies.x, "x", bodies.size());
  check(bodies.y, "y", bodies.size());
  check(bodies.z, "z", bodies.size());
  const auto negative = std::ranges::find_if(bodies.mass, [](double mass) { return mass < 0; });
  if (negative != bodies.mass.end()) {
    throw Error(fmt::format("Body {}: its mass is {}. Give a mass of 0 or more.",
                            negative - bodies.mass.begin() + 1, *negative));
  }
  if (bodies.vx.empty() && bodies.vy.empty() && bodies.vz.empty()) return;
  check(bodies.vx, "vx", bodies.size());
  check(bodies.vy, "vy", bodies.size());
  check(bodies.vz, "vz", bodies.size());
}

}  // namespace isolume::nbody

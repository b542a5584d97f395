#include "core/nbody/bodies/bodies.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::nbody {

namespace {

/// Squares of larger values soon overflow.
constexpr double largest = 1e150;

struct Kind {
  const char *one, *several;
};

void check(const std::vector<double>& values, const char* what, std::size_t count,
           const Kind& kind = {"Body", "bodies"}) {
  if (values.size() != count) {
    throw Error(fmt::format("{} {} have {} values of {}; there must be one for each.", count, kind.several,
                            values.size(), what));
  }
  // No early exit, so that the compiler can vectorise the loop.
  bool good = true;
  for (const double value : values) good &= std::abs(value) <= largest;
  if (good) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::abs(values[i]) <= largest) continue;
    throw Error(
        std::isfinite(values[i])
            ? fmt::format("{} {}: {} is {}. Give a number within {}, in larger units.", kind.one, i + 1, what,
                          values[i], largest)
            : fmt::format("{} {}: {} is {}. Give a finite number.", kind.one, i + 1, what, values[i]));
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

void check(const Places& places) {
  const Kind kind{"Place", "places"};
  check(places.x, "x", places.size(), kind);
  check(places.y, "y", places.size(), kind);
  check(places.z, "z", places.size(), kind);
}

Bodies with_places(Bodies bodies, const Places& places) {
  const auto append = [](const std::vector<double>& from, std::vector<double>& to) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(places.x, bodies.x);
  append(places.y, bodies.y);
  append(places.z, bodies.z);
  const bool moving = !bodies.vx.empty();
  bodies.mass.resize(bodies.x.size());
  if (!moving) return bodies;
  for (auto* values : {&bodies.vx, &bodies.vy, &bodies.vz}) values->resize(bodies.x.size());
  return bodies;
}

}  // namespace isolume::nbody

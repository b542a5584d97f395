#include "core/nbody/bodies/initial_conditions.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::nbody {

std::uint64_t first_added_id(const InitialConditions& start) {
  return (start.id.empty() ? start.bodies.size() : std::ranges::max(start.id)) + 1;
}

void remark_on_last_moment(std::size_t moments, InitialConditions& read) {
  if (moments < 2) return;
  const std::string when = read.box ? fmt::format("scale factor {:.6g}", std::exp(read.time))
                                    : fmt::format("time {:.6g}", read.time);
  read.remarks.dropped(
      fmt::format(
          "The file has {} moments: the last one is used, moment {} at the {}. Choose another one with "
          "--moment, which nbody run, render and convert have.",
          moments, moments - 1, when),
      moments - 1);
}

void check(const InitialConditions& start) {
  check(start.bodies);
  const std::size_t count = start.bodies.size();
  const auto one_each = [&](std::size_t given, const char* what) {
    if (given == 0 || given == count) return;
    throw Error(fmt::format("{} bodies have {} {}; there must be one for each.", count, given, what));
  };
  one_each(start.id.size(), "numbers");
  one_each(start.origin.size(), "origins");
  one_each(start.radius.size(), "radii");
  for (std::size_t i = 0; i < start.radius.size(); ++i) {
    if (start.radius[i] >= 0 && std::isfinite(start.radius[i])) continue;
    throw Error(fmt::format("Body {} has the radius {}. Give one of at least 0.", i + 1, start.radius[i]));
  }
  if (count > 0 && start.origins.empty())
    throw Error("The bodies have no origin; there must be one at least.");
  for (const std::uint8_t origin : start.origin) {
    if (origin >= start.origins.size()) {
      throw Error(
          fmt::format("A body is of origin {}, but there are {} of them.", origin + 1, start.origins.size()));
    }
  }
  if (!std::isfinite(start.time)) throw Error(fmt::format("A time of {} is not possible.", start.time));
  if (!start.box) return;
  check(*start.box);
  // Lower limit of integrals over the expansion.
  if (!(std::abs(start.time) <= 20)) {
    throw Error(fmt::format(
        "The logarithm of the scale factor is {}. Give one from -20 to 20; today it is 0.", start.time));
  }
}

}  // namespace isolume::nbody

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/simulation/simulation.h"

namespace isolume::simulation {

/// From a step on parameters have these values, all set at once. Without any: the way turns there.
struct Change {
  std::int64_t step = 0;
  ParameterValues values = {};
  bool operator==(const Change&) const = default;
};

/// What was done to a simulation, besides letting it go on: with the same start, the same course gives the same steps, bit
/// for bit. A course goes from the start to the origin of a record, and from there in one direction of time or in both.
struct Course {
  ParameterValues start = {};        ///< all of them; none: no course is known
  std::int64_t begin = 0;            ///< the step of the start
  std::vector<Change> way = {};      ///< in the order that they were made in, to the origin
  std::int64_t origin = 0;           ///< where the way leads to
  std::vector<Change> changes = {};  ///< after the origin and before it, each in the order that they come in
  bool operator==(const Course&) const = default;
};

ParameterValues values_of(const parameters::ParameterSet& set);

/// From the start of the course, with its parameters, to its origin. Throws what the simulation throws.
void go_to_origin(Simulation& simulation, const Course& course, const jobs::Progress& progress = {});
/// From a step of the course to one that comes after it on the same side of the origin.
void go_on_course(Simulation& simulation, const Course& course, std::int64_t step,
                  const jobs::Progress& progress = {});

}  // namespace isolume::simulation

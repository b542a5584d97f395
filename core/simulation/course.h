#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/simulation/simulation.h"

namespace isolume::simulation {

/// Parameter values from a step on, all set at once. Without values: the direction of time changes there.
struct Change {
  std::int64_t step = 0;
  ParameterValues values = {};
  bool operator==(const Change&) const = default;
};

/// The history of a simulation, besides advancing: the same start and the same course give the same steps,
/// bit for bit. A course leads from the start to the origin of a record, and from there in one direction of
/// time or in both.
struct Course {
  ParameterValues start = {};        ///< all parameters; empty: no course is known
  std::int64_t begin = 0;            ///< the step of the start
  std::vector<Change> way = {};      ///< changes in the order in which they were made, up to the origin
  std::int64_t origin = 0;           ///< the step at the end of the way
  std::vector<Change> changes = {};  ///< after the origin and before it, each in order of their steps
  bool operator==(const Course&) const = default;
};

ParameterValues values_of(const parameters::ParameterSet& set);

/// Takes the simulation from the start of the course, with its parameters, to its origin. Throws what the
/// simulation throws.
void go_to_origin(Simulation& simulation, const Course& course, const jobs::Progress& progress = {});
/// Takes it from a step of the course to a later one on the same side of the origin.
void go_on_course(Simulation& simulation, const Course& course, std::int64_t step,
                  const jobs::Progress& progress = {});

}  // namespace isolume::simulation

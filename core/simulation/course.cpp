#include "core/simulation/course.h"

#include <cstdlib>

namespace isolume::simulation {
namespace {

/// Advances step by step, so that progress is reported.
void go_straight(Simulation& simulation, std::int64_t step, const jobs::Progress& progress) {
  const std::int64_t direction = step < simulation.step() ? -1 : 1;
  const auto all = static_cast<double>(std::abs(step - simulation.step()));
  for (double done = 0; simulation.step() != step; ++done)
    simulation.advance(direction, progress.part(done / all, (done + 1) / all));
}

}  // namespace

ParameterValues values_of(const parameters::ParameterSet& set) {
  ParameterValues values;
  for (const auto& each : set.descriptions()) values.emplace(each.key, set.get(each.key));
  return values;
}

void go_to_origin(Simulation& simulation, const Course& course, const jobs::Progress& progress) {
  const auto parts = static_cast<double>(course.way.size() + 1);
  double part = 0;
  for (const Change& change : course.way) {
    go_straight(simulation, change.step, progress.part(part / parts, (part + 1) / parts));
    simulation.set_parameters(change.values);
    ++part;
  }
  go_straight(simulation, course.origin, progress.part(part / parts, 1));
}

void go_on_course(Simulation& simulation, const Course& course, std::int64_t step,
                  const jobs::Progress& progress) {
  const std::int64_t begin = simulation.step(), direction = step < begin ? -1 : 1;
  const auto is_after = [direction](std::int64_t one, std::int64_t other) {
    return (one - other) * direction > 0;
  };
  for (const Change& change : course.changes) {
    const bool on_the_way = is_after(change.step, begin) && !is_after(change.step, step);
    if (!on_the_way || !is_after(change.step, course.origin)) continue;
    go_straight(simulation, change.step, progress);
    simulation.set_parameters(change.values);
  }
  go_straight(simulation, step, progress);
}

}  // namespace isolume::simulation

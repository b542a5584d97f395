#include "app/labs/nbody/beginning.h"

#include <algorithm>

#include "core/nbody/bodies/added_bodies.h"
#include "core/nbody/files/bodies_file.h"
#include "core/nbody/files/recorded_run.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::labs::nbody {
namespace {

using isolume::nbody::InitialConditions;
using isolume::nbody::NBodySimulation;
using isolume::nbody::RunOptions;

std::shared_ptr<const InitialConditions> start_of(const Beginning& beginning) {
  const auto& [trajectory, start] = beginning.read;
  if (!start) return std::make_shared<const InitialConditions>(make_scene(beginning.scene));
  if (!trajectory) return start;
  return std::make_shared<const InitialConditions>(
      trajectory->moment(std::min(*beginning.moment, trajectory->moments() - 1)));
}

RunOptions options_at_start(const Beginning& beginning, const InitialConditions& start) {
  RunOptions options = suited_to(start, beginning.run, beginning.chosen);
  if (beginning.course) {
    parameters::StructParameters set(isolume::nbody::run_schema(), options);
    for (const auto& [key, value] : beginning.course->start) set.set(key, value);
  }
  options.added = isolume::nbody::joining_at_start(options.added);
  return options;
}

}  // namespace

ReadBodies read_bodies(const std::filesystem::path& path, isolume::nbody::UnitsChoice units,
                       const jobs::Progress& progress) {
  const auto only = [](InitialConditions found) {
    return std::make_shared<const InitialConditions>(std::move(found));
  };
  if (!isolume::nbody::is_trajectory(path))
    return {nullptr, only(isolume::nbody::read_bodies(path, std::nullopt, progress, units))};
  const auto trajectory = std::make_shared<const isolume::nbody::Trajectory>(path);
  return {trajectory->moments() > 1 ? trajectory : nullptr, only(trajectory->moment(0))};
}

Begun begin(const Beginning& beginning, const jobs::Progress& progress) {
  progress.report(0.1, "bodies");
  if (beginning.read.trajectory && !beginning.moment) {
    return {beginning.read.start,
            std::make_unique<isolume::nbody::RecordedRun>(beginning.read.trajectory, beginning.run,
                                                          beginning.chosen, beginning.engines)};
  }
  const auto start = start_of(beginning);
  progress.check();
  auto made =
      std::make_unique<NBodySimulation>(*start, options_at_start(beginning, *start), beginning.engines);
  made->count_from(beginning.course ? beginning.course->begin : beginning.step);
  if (beginning.course) go_to_origin(*made, *beginning.course, progress.part(0.2, 1));
  return {start, std::move(made)};
}

const RunOptions& options_of(const simulation::Simulation& simulation) {
  if (const auto* recorded = dynamic_cast<const isolume::nbody::RecordedRun*>(&simulation))
    return recorded->options();
  return dynamic_cast<const NBodySimulation&>(simulation).options();
}

}  // namespace isolume::labs::nbody

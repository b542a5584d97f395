#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/jobs/progress.h"
#include "core/nbody/engines/engine.h"
#include "core/nbody/files/trajectory.h"
#include "core/nbody/scenes/scenes.h"
#include "core/simulation/course.h"

namespace isolume::labs::nbody {

/// What a file holds: one moment, or several, of which the first one is read.
struct ReadBodies {
  std::shared_ptr<const isolume::nbody::Trajectory> trajectory;  ///< null: one moment
  std::shared_ptr<const isolume::nbody::InitialConditions> start;
};
/// Throws InputError.
ReadBodies read_bodies(const std::filesystem::path& path, isolume::nbody::UnitsChoice units,
                       const jobs::Progress& progress);

/// From what a run begins.
struct Beginning {
  isolume::nbody::SceneOptions scene;
  ReadBodies read;  ///< without a start: the scene
  std::optional<std::size_t>
      moment;  ///< of the trajectory, that the run goes on from; nothing: what is recorded is shown
  std::int64_t step = 0;                     ///< that the moment counts as
  std::optional<simulation::Course> course;  ///< that it follows, with the parameters of that
  isolume::nbody::RunOptions run;
  isolume::nbody::ChosenOptions chosen;
  std::shared_ptr<const isolume::nbody::EngineRegistry> engines;
};

struct Begun {
  std::shared_ptr<const isolume::nbody::InitialConditions> start;
  std::unique_ptr<simulation::Simulation> simulation;  ///< an NBodySimulation, or a RecordedRun
};
/// At the origin of its course. Throws Error, InputError, ResourceError.
Begun begin(const Beginning& beginning, const jobs::Progress& progress);

/// Of either kind.
const isolume::nbody::RunOptions& options_of(const simulation::Simulation& simulation);

}  // namespace isolume::labs::nbody

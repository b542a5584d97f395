#include "core/nbody/runs/step_benchmark.h"

#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/nbody/engines/benchmark.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::nbody {

TimedSteps time_steps(std::size_t bodies, const ForceOptions& options,
                      std::shared_ptr<const EngineRegistry> engines, const benchmarks::RepeatOptions& repeats,
                      const jobs::Progress& progress) {
  constexpr simulation::Wanted shown =
      frame_positions | frame_speeds | frame_velocities | frame_potentials | frame_diagnostics;
  RunOptions run;
  static_cast<ForceOptions&>(run) = options;
  run.dt = 1e-4;  // small, so that the bodies change little
  InitialConditions start;
  start.bodies = benchmark_bodies(bodies);
  for (auto* values : {&start.bodies.vx, &start.bodies.vy, &start.bodies.vz}) values->assign(bodies, 0.0);
  NBodySimulation simulation(std::move(start), run, std::move(engines));
  TimedSteps timed;
  std::vector<double> frames_ms;
  timed.step = benchmarks::time_repeats(repeats, [&] {
    const auto before = std::chrono::steady_clock::now();
    simulation.advance(1, progress);
    const double step_seconds = seconds_since(before);
    const auto moved = std::chrono::steady_clock::now();
    const auto frame = simulation.frame(shown, progress);
    frames_ms.push_back(1000 * seconds_since(moved));
    timed.computed_by = frame->computed_by;
    timed.stays_on = frame->stays_on;
    return 1000 * step_seconds;
  });
  timed.frame = benchmarks::timing_of(std::move(frames_ms));
  return timed;
}

nlohmann::ordered_json to_json(const TimedSteps& steps) {
  return {{"computed_by", steps.computed_by},
          {"stays_on", steps.stays_on.empty() ? "host" : steps.stays_on},
          {"step", benchmarks::to_json(steps.step)},
          {"frame", benchmarks::to_json(steps.frame)},
          {"per_second", steps.per_second()}};
}

}  // namespace isolume::nbody

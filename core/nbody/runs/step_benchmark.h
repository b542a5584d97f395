#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/benchmark/repeats.h"
#include "core/nbody/engines/engine.h"

namespace isolume::nbody {

/// Times of leapfrog steps, and of the frame that a window shows of each.
struct TimedSteps {
  benchmarks::Timing step = {};
  benchmarks::Timing frame = {};  ///< arrays and diagnostics, left where they are
  std::string computed_by = {};   ///< for display, as in NBodyFrame
  std::string stays_on = {};      ///< "GPU 0"; empty: on the host
  double per_second() const { return 1000 / (step.median_ms + frame.median_ms); }
};
nlohmann::ordered_json to_json(const TimedSteps& steps);

/// Uses benchmark_bodies, which fall from rest. Throws what steps throw.
TimedSteps time_steps(std::size_t bodies, const ForceOptions& options,
                      std::shared_ptr<const EngineRegistry> engines, const benchmarks::RepeatOptions& repeats,
                      const jobs::Progress& progress = {});

}  // namespace isolume::nbody

#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/benchmark/repeats.h"
#include "core/nbody/engine.h"

namespace isolume::nbody {

/// Steps of a leapfrog, each with the frame that a window shows of it.
struct TimedSteps {
  benchmarks::Timing step = {};
  benchmarks::Timing frame = {};  ///< numbers and diagnostics, where they stay
  std::string computed_by = {};   ///< for people, as NBodyFrame has it
  std::string stays_on = {};      ///< "GPU 0"; empty: on the host
  double per_second() const { return 1000 / (step.median_ms + frame.median_ms); }
};
nlohmann::ordered_json to_json(const TimedSteps& steps);

/// Of benchmark_bodies, which fall from rest. Throws what steps do.
TimedSteps time_steps(std::size_t bodies, const ForceOptions& options,
                      std::shared_ptr<const EngineRegistry> engines, const benchmarks::RepeatOptions& repeats,
                      const jobs::Progress& progress = {});

}  // namespace isolume::nbody

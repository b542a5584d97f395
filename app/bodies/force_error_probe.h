#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::bodies {

/// Samples the force error of a running simulation from time to time, in another thread.
class ForceErrorProbe {
 public:
  using Engines = std::shared_ptr<const nbody::EngineRegistry>;

  ForceErrorProbe() = default;
  ~ForceErrorProbe();
  ForceErrorProbe(const ForceErrorProbe&) = delete;
  ForceErrorProbe& operator=(const ForceErrorProbe&) = delete;

  /// Measures with the options of the frame and waits for the result; nothing if the solver refuses them.
  /// `engines`: the simulation's.
  static std::optional<nbody::SampledErrors> measured(const nbody::NBodyFrame& frame,
                                                      const nbody::EngineRegistry& engines,
                                                      const jobs::Progress& progress = {});

  struct Found {
    std::int64_t step = 0;      ///< step of the measurement
    nbody::RunOptions options;  ///< run options at that step
    nbody::SampledErrors errors;
  };

  /// Advances by this much time. Returns relative force errors whenever a measurement in the system of
  /// `frame` has finished. The pause between measurements is 2 s, or 40 times their duration if that is
  /// longer, but at most 30 s. A measurement of another system is dropped. Never waits.
  std::optional<Found> advance(double seconds, const std::shared_ptr<const nbody::NBodyFrame>& frame,
                               const Engines& engines);

 private:
  double idle_ = 0, busy_ = 0;  ///< seconds since the last measurement, and its duration
  std::stop_source stop_;
  std::shared_ptr<const nbody::BodyLabels> system_;  ///< system of the current measurement
  std::future<std::optional<Found>> next_;
};

}  // namespace isolume::bodies

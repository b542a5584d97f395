#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/nbody/nbody_simulation.h"

namespace isolume::bodies {

/// Measures now and then, beside the simulation, how exact its forces are.
class ForceErrorProbe {
 public:
  using Engines = std::shared_ptr<const nbody::EngineRegistry>;

  ForceErrorProbe() = default;
  ~ForceErrorProbe();
  ForceErrorProbe(const ForceErrorProbe&) = delete;
  ForceErrorProbe& operator=(const ForceErrorProbe&) = delete;

  /// With the options of the frame. At once, waiting for it; nothing where the solver refuses them. `engines`: the
  /// simulation's.
  static std::optional<nbody::SampledErrors> measured(const nbody::NBodyFrame& frame,
                                                      const nbody::EngineRegistry& engines,
                                                      const jobs::Progress& progress = {});

  struct Found {
    std::int64_t step = 0;      ///< at which they were
    nbody::RunOptions options;  ///< that bodies were followed with
    nbody::SampledErrors errors;
  };

  /// So much time went by. The relative errors of forces, whenever they have been measured in the system of `frame`: every two
  /// seconds, or as seldom as takes a fortieth of the time, or half a minute. What was begun for another system is given up. Never waits.
  std::optional<Found> advance(double seconds, const std::shared_ptr<const nbody::NBodyFrame>& frame,
                               const Engines& engines);

 private:
  double idle_ = 0, busy_ = 0;  ///< seconds since the last measurement, and that it took
  std::stop_source stop_;
  std::shared_ptr<const nbody::BodyLabels> system_;  ///< in which it is measured
  std::future<std::optional<Found>> next_;
};

}  // namespace isolume::bodies

#pragma once

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
  static std::optional<double> measured(const nbody::NBodyFrame& frame, const nbody::EngineRegistry& engines,
                                        const jobs::Progress& progress = {});

  /// So much time went by. The relative error of the force that 99 of 100 bodies stay below, whenever one has been
  /// measured in the system of `frame`; what was begun for another system is given up. Never waits.
  std::optional<double> advance(double seconds, const std::shared_ptr<const nbody::NBodyFrame>& frame,
                                const Engines& engines);

 private:
  double idle_ = 0;
  std::stop_source stop_;
  std::shared_ptr<const nbody::BodyLabels> system_;  ///< in which it is measured
  std::future<std::optional<double>> next_;
};

}  // namespace isolume::bodies

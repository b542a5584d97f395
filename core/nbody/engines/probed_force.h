#pragma once

#include <cstddef>
#include <optional>

#include <Eigen/Core>

#include "core/nbody/engines/engine.h"
#include "core/nbody/engines/run_options.h"
#include "core/nbody/forces/exact_force.h"

namespace isolume::nbody {

/// Gravity on one body, or on a massless body at a position, next to the direct sum over all bodies in double
/// precision.
struct ProbedForce {
  Eigen::Vector3d acceleration = {0, 0, 0};
  double potential = 0;
  ExactForce exact;

  /// Relative error of the acceleration; nothing where no force acts.
  std::optional<double> error() const;
};

/// Summed as in a run with these options: in double precision with Hermite, whatever the solver. Throws Error,
/// ResourceError, Cancelled.
ProbedForce probed_force(const EngineRegistry& engines, const Bodies& bodies, std::size_t on,
                         const RunOptions& options, const jobs::Progress& progress = {});
/// At a position, as Solver::forces_at.
ProbedForce probed_force(const EngineRegistry& engines, const Bodies& bodies, const Eigen::Vector3d& at,
                         const RunOptions& options, const jobs::Progress& progress = {});

}  // namespace isolume::nbody

#pragma once

#include <cstddef>
#include <optional>

#include <Eigen/Core>

#include "core/nbody/engine.h"
#include "core/nbody/exact_force.h"
#include "core/nbody/run_options.h"

namespace isolume::nbody {

/// Gravity on one body, or at one place on a body without mass, beside the same sum over all bodies one by one in double
/// precision.
struct ProbedForce {
  Eigen::Vector3d acceleration = {0, 0, 0};
  double potential = 0;
  ExactForce exact;

  /// Of the acceleration, relative to the exact one; nothing where no force acts.
  std::optional<double> error() const;
};

/// As a run with these options sums it: with Hermite, or softened by splines, in double precision whatever the solver.
/// Softened by splines, it is its own measure. Throws Error, ResourceError, Cancelled.
ProbedForce probed_force(const EngineRegistry& engines, const Bodies& bodies, std::size_t on,
                         const RunOptions& options, const jobs::Progress& progress = {});
/// At a place, as Solver::forces_at.
ProbedForce probed_force(const EngineRegistry& engines, const Bodies& bodies, const Eigen::Vector3d& at,
                         const RunOptions& options, const jobs::Progress& progress = {});

}  // namespace isolume::nbody

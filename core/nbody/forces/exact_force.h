#pragma once

#include <cstddef>
#include <memory>

#include <Eigen/Core>

#include "core/jobs/progress.h"
#include "core/nbody/bodies/bodies.h"
#include "core/nbody/bodies/softening.h"

namespace isolume::nbody {

struct ForceOptions;
class PeriodicGravity;

struct ExactForce {
  Eigen::Vector3d acceleration = {0, 0, 0};
  double potential = 0;
};

/// Force on one body from all others, summed in double precision; see Forces.
ExactForce exact_force(const Bodies& bodies, std::size_t on, double softening,
                       SofteningKind kind = SofteningKind::plummer);
/// Force at a position from all bodies; a body at the position counts in the potential if gravity is softened.
ExactForce exact_force(const Bodies& bodies, const Eigen::Vector3d& at, double softening);

/// The same, or by Ewald's sum (periodic_gravity.h) where options.period says that the bodies are in a periodic cube.
/// Keeps a reference to the bodies.
class ExactForces {
 public:
  ExactForces(const Bodies& bodies, const ForceOptions& options, const jobs::Progress& progress = {});
  ExactForces(Bodies&&, const ForceOptions&, const jobs::Progress& = {}) = delete;
  ~ExactForces();
  ExactForce on(std::size_t body) const;

 private:
  const Bodies& bodies_;
  double softening_;
  SofteningKind kind_;
  std::unique_ptr<const PeriodicGravity> periodic_;
};

}  // namespace isolume::nbody

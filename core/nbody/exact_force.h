#pragma once

#include <cstddef>
#include <memory>

#include <Eigen/Core>

#include "core/jobs/progress.h"
#include "core/nbody/bodies.h"

namespace isolume::nbody {

struct ForceOptions;
class PeriodicGravity;

struct ExactForce {
  Eigen::Vector3d acceleration = {0, 0, 0};
  double potential = 0;
};

/// On one body, from all others one by one in double precision; see Forces.
ExactForce exact_force(const Bodies& bodies, std::size_t on, double softening);
/// At a place, from all bodies; one that is there counts in the potential where there is softening.
ExactForce exact_force(const Bodies& bodies, const Eigen::Vector3d& at, double softening);

/// The same, or where options.period says that the bodies are in a periodic cube, by Ewald's sum
/// (periodic_gravity.h). Refers to the bodies.
class ExactForces {
 public:
  ExactForces(const Bodies& bodies, const ForceOptions& options, const jobs::Progress& progress = {});
  ExactForces(Bodies&&, const ForceOptions&, const jobs::Progress& = {}) = delete;
  ~ExactForces();
  ExactForce on(std::size_t body) const;

 private:
  const Bodies& bodies_;
  double softening_;
  std::unique_ptr<const PeriodicGravity> periodic_;
};

}  // namespace isolume::nbody

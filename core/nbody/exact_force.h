#pragma once

#include <Eigen/Core>

#include "core/nbody/bodies.h"

namespace isolume::nbody {

struct ExactForce {
  Eigen::Vector3d acceleration = {0, 0, 0};
  double potential = 0;
};

/// On one body, from all others one by one in double precision; see Forces.
ExactForce exact_force(const Bodies& bodies, std::size_t on, double softening);
/// At a place, from all bodies; one that is there counts in the potential where there is softening.
ExactForce exact_force(const Bodies& bodies, const Eigen::Vector3d& at, double softening);

}  // namespace isolume::nbody

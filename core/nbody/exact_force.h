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

}  // namespace isolume::nbody

#pragma once

#include <Eigen/Core>

#include "core/grid/grid.h"

namespace isolume::gpu {

/// The position of an atom, in two floats per axis. On grids n is the nearest grid index and r the
/// position of that grid point relative to the atom: a point's position is then (index - n) * step + r,
/// with an error proportional to its distance, not to the box. Otherwise n + r is the atom's own position.
struct CentrePlace {
  Eigen::Vector3f n;
  Eigen::Vector3f r;
};

/// `grid` is null for scattered points.
CentrePlace place_centre(const Eigen::Vector3d& atom, const grid::Grid* grid);

}  // namespace isolume::gpu

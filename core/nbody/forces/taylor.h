#pragma once

#include <array>

#include <Eigen/Core>

#include "core/nbody/forces/cell_moments.h"
#include "core/nbody/forces/pair_sums.h"

namespace isolume::nbody {

/// Local (Taylor) expansion of the field of distant cells about a centre: sum_j m_j / distance = sum_a values[a] (d /
/// length)^a / a!, d being the position relative to the centre, for the multi-indices a of orders 0 to taylor_top: 1,
/// x, y, z, xx, xy, xz, yy, yz, zz, xxx, ...
struct Taylor {
  static constexpr std::size_t count = taylor_count;
  double length = 1;
  std::array<double, count> values = {};
};

/// Shifts the expansion to another centre, at `to` relative to the first.
Taylor moved(const Taylor& from, const Eigen::Vector3d& to, double length);

/// Cells that act on one expansion centre, relative to it, as separate arrays.
struct CellSources {
  static constexpr int capacity = 64;

  int count = 0;
  alignas(64) float x[capacity] = {}, y[capacity] = {}, z[capacity] = {};  ///< of their centres of mass
  alignas(64) float mass[capacity] = {};
  alignas(64) float radius[capacity] = {};
  alignas(64) float moments[CellMoments::count][capacity] = {};
};

/// Adds the contributions of the cells, and removes them: in single precision, all terms of orders 0 to taylor_top in
/// both lengths together, with Plummer softening.
void add_distant_cells(Taylor& to, CellSources& cells, float softening_squared);

/// Adds the accelerations and potentials at the targets, whose origin is the expansion's centre.
void add_taylor(Targets& targets, const Taylor& from);

}  // namespace isolume::nbody

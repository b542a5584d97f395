#pragma once

#include <array>

#include <Eigen/Core>

#include "core/nbody/cell_moments.h"
#include "core/nbody/pair_sums.h"

namespace isolume::nbody {

/// Of what distant cells exert, about a place: sum_j m_j / distance = sum_a values[a] (d / length)^a / a!, d
/// being where from the place, for the multi-indices a of orders 0 to taylor_top: 1, x, y, z, xx, xy, xz, yy, yz,
/// zz, xxx, ...
struct Taylor {
  static constexpr std::size_t count = taylor_count;
  double length = 1;
  std::array<double, count> values = {};
};

/// The same about another place, which is at `to` from the first.
Taylor moved(const Taylor& from, const Eigen::Vector3d& to, double length);

/// Cells that act on one place, relative to it, column by column.
struct CellSources {
  static constexpr int capacity = 64;

  int count = 0;
  alignas(64) float x[capacity] = {}, y[capacity] = {}, z[capacity] = {};  ///< of their centres of mass
  alignas(64) float mass[capacity] = {};
  alignas(64) float radius[capacity] = {};
  alignas(64) float moments[CellMoments::count][capacity] = {};
};

/// Adds what the cells exert, and takes them out: in single precision, all terms of orders 0 to taylor_top in both
/// lengths together, with Plummer's softening.
void add_distant_cells(Taylor& to, CellSources& cells, float softening_squared);

/// Adds the accelerations and potentials at the targets, whose place is the expansion's.
void add_taylor(Targets& targets, const Taylor& from);

}  // namespace isolume::nbody

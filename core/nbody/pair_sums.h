#pragma once

#include <span>

namespace isolume::nbody {

/// Bodies that are summed for together, relative to a place near them: positions go in, sums come out.
struct Targets {
  static constexpr int capacity = 64;

  int count = 0;
  alignas(64) float x[capacity] = {};
  alignas(64) float y[capacity] = {};
  alignas(64) float z[capacity] = {};
  double ax[capacity] = {}, ay[capacity] = {}, az[capacity] = {};
  double potential[capacity] = {};
};

/// Relative to the same place as its targets.
struct PointSource {
  float x, y, z, mass;
};

/// sum_j m_j d_a d_b, d being places relative to the centre of mass.
struct SecondMoments {
  float xx, xy, xz, yy, yz, zz;
};

/// A cell, at its centre of mass.
struct CellSource {
  float x, y, z, mass;
  SecondMoments moments;
};

/// Adds what the sources exert, in single precision: give some hundred at a time, and the sums in double
/// precision keep the digits. `softening_squared` below 1e-37 counts as 0, and so does a squared distance.
void add_points(Targets& targets, std::span<const PointSource> sources, float softening_squared);
/// The same where the targets are among the sources: sources[first + i] does not act on target i, which it is.
void add_points_but_own(Targets& targets, std::span<const PointSource> sources, int first,
                        float softening_squared);
void add_cells(Targets& targets, std::span<const CellSource> sources, float softening_squared);

/// Of each of the points x, y, z and mass; relative to `place`, three numbers.
void points_from(const double* place, std::span<const double> points, PointSource* to);

}  // namespace isolume::nbody

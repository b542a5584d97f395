#pragma once

#include <span>

namespace isolume::nbody {

/// Target bodies of a sum, with positions relative to a nearby origin, and their accumulated sums.
struct Targets {
  static constexpr int capacity = 64;

  int count = 0;
  alignas(64) float x[capacity] = {};
  alignas(64) float y[capacity] = {};
  alignas(64) float z[capacity] = {};
  double ax[capacity] = {}, ay[capacity] = {}, az[capacity] = {};
  double potential[capacity] = {};
};

/// Relative to the same origin as its targets.
struct PointSource {
  float x, y, z, mass;
};

/// sum_j m_j d_a d_b, d being positions relative to the centre of mass.
struct SecondMoments {
  float xx, xy, xz, yy, yz, zz;
};

/// A cell, at its centre of mass.
struct CellSource {
  float x, y, z, mass;
  SecondMoments moments;
};

/// Adds the forces of the sources in single precision: give a few hundred at a time, so that the sums in double
/// precision keep the digits. `softening_squared` below 1e-37 counts as 0, and so does a squared distance.
void add_points(Targets& targets, std::span<const PointSource> sources, float softening_squared);
/// The same where the targets are among the sources: sources[first + i] is target i and does not act on it.
void add_points_but_own(Targets& targets, std::span<const PointSource> sources, int first,
                        float softening_squared);
/// The same with spline softening; `per_support` is the inverse of the kernel's support, at most 1e10.
void add_spline_points(Targets& targets, std::span<const PointSource> sources, float per_support);
void add_spline_points_but_own(Targets& targets, std::span<const PointSource> sources, int first,
                               float per_support);
void add_cells(Targets& targets, std::span<const CellSource> sources, float softening_squared);

/// Converts points (x, y, z and mass each) to sources relative to `place` (three numbers).
void points_from(const double* place, std::span<const double> points, PointSource* to);

}  // namespace isolume::nbody

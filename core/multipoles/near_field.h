#pragma once

#include <span>

namespace isolume::multipoles {

/// A charge, relative to the same place as the points that are summed for.
template <class Real>
struct NearSource {
  Real x, y, z, charge;
};

/// Points that are summed for together: places go in, sums come out.
template <class Real>
struct NearTargets {
  static constexpr int capacity = 512;

  int count = 0;
  alignas(64) Real x[capacity] = {};
  alignas(64) Real y[capacity] = {};
  alignas(64) Real z[capacity] = {};
  /// How many sources were closer than that, softening included.
  alignas(64) Real close[capacity] = {};
  double potential[capacity] = {};
  double dx[capacity] = {}, dy[capacity] = {}, dz[capacity] = {};  ///< the potential's gradient
};

/// No source is a target.
inline constexpr int no_target = -1 << 20;

/// Adds charge / sqrt(r^2 + softening^2) and its gradient, one pair after the other. Nothing of a source at a
/// point's own place where nothing is softened: where the squared distance is below 1e-37; in double precision no number is
/// found where it is below 1e-300 and not 0. In single precision give some hundred sources at a time, and the sums, which are in double
/// precision, keep the digits. A pair takes 19 operations of a vector of 16, in double precision 25 of a vector of 8:
/// at 3.5 GHz no more than 2.9 and 1.1 G pairs/s a core that starts one a cycle. Source number own + i is target i, on
/// which it does not act.
void add_near_field(NearTargets<float>& targets, std::span<const NearSource<float>> sources,
                    float softening_squared, float close_squared, int own = no_target);
void add_near_field(NearTargets<double>& targets, std::span<const NearSource<double>> sources,
                    double softening_squared, double close_squared, int own = no_target);

}  // namespace isolume::multipoles

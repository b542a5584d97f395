#pragma once

#include <span>

namespace isolume::multipoles {

/// A charge, relative to the same origin as the targets.
template <class Real>
struct NearSource {
  Real x, y, z, charge;
};

/// A batch of targets for direct sums: positions are the input, sums the output.
template <class Real>
struct NearTargets {
  static constexpr int capacity = 512;

  int count = 0;
  alignas(64) Real x[capacity] = {};
  alignas(64) Real y[capacity] = {};
  alignas(64) Real z[capacity] = {};
  /// Number of sources closer than this distance, softening included.
  alignas(64) Real close[capacity] = {};
  double potential[capacity] = {};
  double dx[capacity] = {}, dy[capacity] = {}, dz[capacity] = {};  ///< the potential's gradient
};

/// The source number that marks a source that is not a target.
inline constexpr int no_target = -1 << 20;

/// Adds charge / sqrt(r^2 + softening^2) and its gradient pair by pair. Without softening, pairs whose
/// squared distance is below 1e-37 are left out; in double precision, a squared distance below 1e-300 other
/// than 0 gives no number.
///
/// In single precision, pass a few hundred sources at a time: the sums, which are in double precision, then
/// keep their digits. A pair takes 19 operations of a vector of 16, in double precision 25 of a vector of 8:
/// at 3.5 GHz no more than 2.9 and 1.1 G pairs/s on a core that starts one operation a cycle. Source number
/// own + i is target i, on which it does not act.
void add_near_field(NearTargets<float>& targets, std::span<const NearSource<float>> sources,
                    float softening_squared, float close_squared, int own = no_target);
void add_near_field(NearTargets<double>& targets, std::span<const NearSource<double>> sources,
                    double softening_squared, double close_squared, int own = no_target);

}  // namespace isolume::multipoles

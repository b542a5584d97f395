#pragma once

#include "gpu/runtime/kernel.h"

/// Device code: the force of one body on another.
namespace isolume::gpu::nbody_kernels {

/// Squares below this count as 0: no force.
constexpr float least_square = 1.1754944e-38f;
/// The same limit for pairs: their cubes are out of range of single precision, so the sum is NaN and the host
/// recomputes it in double precision.
constexpr float least_pair_square = 1e-20f, least_pair_distance = 1e-10f;

struct Sums {
  double x, y, z, potential;
};

/// Sums over some hundred sources, in single precision.
struct PairSums {
  float x = 0, y = 0, z = 0, potential = 0;
};

__device__ __forceinline__ void add_to(Sums& sums, PairSums& some) {
  sums.x += some.x;
  sums.y += some.y;
  sums.z += some.z;
  sums.potential += some.potential;
  some = {};
}

/// Positions are relative to one near them; the source's mass is its w. `guarded`: the source may be near the
/// target, or be `own`, the target itself, which does not act. Sources without mass, which fill up the last
/// tile at the position of the last body, do not act either.
template <bool guarded>
__device__ __forceinline__ void add_pair(const float4& source, float x, float y, float z,
                                         float softening_squared, PairSums& sums, bool own = false) {
  const float dx = source.x - x;
  const float dy = source.y - y;
  const float dz = source.z - z;
  const float squared = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, softening_squared)));
  float inverse = rsqrtf(squared);
  if (guarded) inverse = squared >= least_pair_square ? inverse : __builtin_nanf("");
  if (guarded && (own || source.w == 0.0f)) inverse = 0.0f;
  const float pull = source.w * inverse;
  const float strength = pull * (inverse * inverse);
  sums.potential -= pull;
  sums.x = fmaf(strength, dx, sums.x);
  sums.y = fmaf(strength, dy, sums.y);
  sums.z = fmaf(strength, dz, sums.z);
}

}  // namespace isolume::gpu::nbody_kernels

#pragma once

#include "gpu/runtime/kernel.h"

/// For kernels: what one body exerts on another.
namespace isolume::gpu::nbody_kernels {

/// Squares below this are 0: nothing acts there.
constexpr float least_square = 1.1754944e-38f;
/// The same of pairs, whose cubes are soon beyond single precision: no number stands for their sum, which the host finds in
/// double precision.
constexpr float least_pair_square = 1e-20f, least_pair_distance = 1e-10f;

struct Sums {
  double x, y, z, potential;
};

/// Of some hundred sources, in single precision.
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

/// Places relative to one near them; the source's mass is its w. `guarded`: it may be near the target, or `own`: the target
/// itself, which does not act. Nor do sources without mass, which fill up the last tile at the place of the last body.
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

#pragma once

#include "gpu/nbody/pair_softening.h"
#include "gpu/runtime/kernel.h"

/// Device code: the force of one body on another.
namespace isolume::gpu::nbody_kernels {

/// Squares below this count as 0: no force.
constexpr float least_square = 1.1754944e-38f;

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

/// Softening by the spline kernel with support h; u = r / h, w = 1 - u, or 0 from the support on. For u >= 1/2,
/// acceleration and potential are Newton's times 1 - w^4 (16 - 25.6 w + 32/3 w^2) and 1 - w^5 (3.2 - 32/15 w), which
/// are nbody::spline_pull's polynomials without their cancellation.
template <bool with_potential>
__device__ __forceinline__ void add_spline_pair(const float4& source, float x, float y, float z,
                                                const PairSoftening& softening, PairSums& sums, bool own) {
  const float dx = source.x - x;
  const float dy = source.y - y;
  const float dz = source.z - z;
  // Above 0, so that the inverse root is finite.
  const float squared = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, least_square)));
  const float inverse = rsqrtf(squared);
  const float u = squared * inverse * softening.per_support, u2 = u * u;
  const float w = __saturatef(1.0f - u), w2 = w * w, w4 = w2 * w2;
  const bool inner = u < 0.5f;
  const float scale = inner ? softening.per_support : inverse;
  const float attraction = inner ? fmaf(u2, fmaf(32.0f, u, -38.4f), 32.0f / 3)
                                 : fmaf(-w4, fmaf(w, fmaf(w, 32.0f / 3, -25.6f), 16.0f), 1.0f);
  const float depth = inner ? fmaf(-u2, fmaf(u2, fmaf(6.4f, u, -9.6f), 16.0f / 3), 2.8f)
                            : fmaf(-w4 * w, fmaf(w, -32.0f / 15, 3.2f), 1.0f);
  const float pull = own ? 0.0f : source.w * scale;
  const float strength = pull * (scale * scale * attraction);
  if constexpr (with_potential) sums.potential = fmaf(-pull, depth, sums.potential);
  sums.x = fmaf(strength, dx, sums.x);
  sums.y = fmaf(strength, dy, sums.y);
  sums.z = fmaf(strength, dz, sums.z);
}

enum class Pairs {
  distant,  ///< the source is neither near the target nor the target itself
  guarded,  ///< it may be
  spline    ///< it may be, and the spline kernel softens
};

template <bool spline>
constexpr Pairs pairs_within = spline ? Pairs::spline : Pairs::guarded;

/// Positions are relative to one near them; the source's mass is its w. `own`: the source is the target, and does not
/// act. Sources without mass, which fill up the last tile at the position of the last body, do not act either.
/// `with_potential`: otherwise the potential is left as it is; accelerations are the same bits.
template <Pairs pairs, bool with_potential = true>
__device__ __forceinline__ void add_pair(const float4& source, float x, float y, float z,
                                         const PairSoftening& softening, PairSums& sums, bool own = false) {
  if constexpr (pairs == Pairs::spline)
    return add_spline_pair<with_potential>(source, x, y, z, softening, sums, own);
  constexpr bool guarded = pairs == Pairs::guarded;
  const float dx = source.x - x;
  const float dy = source.y - y;
  const float dz = source.z - z;
  const float squared = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, softening.squared)));
  float inverse = rsqrtf(squared);
  if (guarded) inverse = squared >= least_pair_square ? inverse : __builtin_nanf("");
  if (guarded && (own || source.w == 0.0f)) inverse = 0.0f;
  const float pull = source.w * inverse;
  const float strength = pull * (inverse * inverse);
  if constexpr (with_potential) sums.potential -= pull;
  sums.x = fmaf(strength, dx, sums.x);
  sums.y = fmaf(strength, dy, sums.y);
  sums.z = fmaf(strength, dz, sums.z);
}

}  // namespace isolume::gpu::nbody_kernels

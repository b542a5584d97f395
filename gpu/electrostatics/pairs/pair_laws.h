#pragma once

#include <cstdint>

#include "gpu/electrostatics/device_points.h"
#include "gpu/runtime/kernel.h"

/// Device code: the contribution of a unit charge at a distance in angstrom, of which the square is given,
/// and the loop over charges that sums on grids share. `guarded`: the charge may coincide with the point,
/// where electrostatics::nearest applies.
namespace isolume::gpu::pair_kernels {

template <bool guarded>
__device__ __forceinline__ float inverse_distance(float squared) {
  const float inverse = rsqrtf(squared);
  return !guarded || squared >= nearest_square ? inverse : 0.0f;
}

struct CoulombOf {
  template <bool guarded>
  __device__ __forceinline__ float of(float squared) const {
    return inverse_distance<guarded>(squared);
  }
};

/// For a permittivity proportional to the distance.
struct DistanceOf {
  template <bool guarded>
  __device__ __forceinline__ float of(float squared) const {
    const float inverse = __fdividef(1.0f, squared);
    return !guarded || squared >= nearest_square ? inverse : 0.0f;
  }
};

struct ScreenedOf {
  float minus_kappa_log2;

  template <bool guarded>
  __device__ __forceinline__ float of(float squared) const {
    const float inverse = inverse_distance<guarded>(squared);
    return inverse * exp2f(minus_kappa_log2 * (squared * inverse));
  }
};

/// CoulombOf or DistanceOf, smoothly switched off at a cut-off.
template <class Whole>
struct CutoffOf {
  float inverse_cutoff_squared;

  template <bool guarded>
  __device__ __forceinline__ float of(float squared) const {
    const float left = fmaxf(fmaf(-squared, inverse_cutoff_squared, 1.0f), 0.0f);
    return Whole().template of<guarded>(squared) * (left * left);
  }
};

/// The number of terms is a compile-time constant, so that each is one operation with a constant.
template <int terms>
struct SplitOf {
  float twice_inverse_cutoff_squared;
  float smooth[terms];  ///< coefficients of powers of u, see electrostatics::RadialPolynomial

  template <bool guarded>
  __device__ __forceinline__ float of(float squared) const {
    const float u = fmaf(squared, twice_inverse_cutoff_squared, -1.0f);
    float rest = smooth[terms - 1];
#pragma unroll
    for (int i = terms - 2; i >= 0; --i) rest = fmaf(rest, u, smooth[i]);
    return u < 1.0f ? inverse_distance<guarded>(squared) - rest : 0.0f;
  }
};

/// 2 to the power of `highest` less a multiple of the squared distance, left out below `least`.
struct GaussianOf {
  float highest, least;
};

/// A sum, and the contribution of a charge.
template <bool guarded, class Law>
__device__ __forceinline__ float added(const Law& law, float charge, float squared, float sum) {
  return fmaf(charge, law.template of<guarded>(squared), sum);
}
template <bool guarded>
__device__ __forceinline__ float added(const GaussianOf& law, float falls, float squared, float sum) {
  const float value = exp2f(fmaf(-falls, squared, law.highest));
  return value >= law.least ? sum + value : sum;
}

/// For points in a row along z. `unrolled`: charges at once.
template <int unrolled, bool guarded, int points, class Law>
__device__ __forceinline__ void add_charges(const float4* charges, std::uint32_t count, float x, float y,
                                            const float (&z)[points], const Law& law, float (&some)[points]) {
#pragma unroll unrolled
  for (std::uint32_t n = 0; n < count; ++n) {
    const float4 charge = charges[n];
    const float dx = charge.x - x, dy = charge.y - y;
    const float across = fmaf(dx, dx, dy * dy);
#pragma unroll
    for (int k = 0; k < points; ++k) {
      const float dz = charge.z - z[k];
      some[k] = added<guarded>(law, charge.w, fmaf(dz, dz, across), some[k]);
    }
  }
}

/// Adds single-precision sums to those in double.
template <int points>
__device__ __forceinline__ void flush(float (&some)[points], double (&sums)[points]) {
#pragma unroll
  for (int k = 0; k < points; ++k) {
    sums[k] += static_cast<double>(some[k]);
    some[k] = 0;
  }
}

}  // namespace isolume::gpu::pair_kernels

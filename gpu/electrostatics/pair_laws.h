#pragma once

#include <cstdint>

#include "gpu/electrostatics/device_points.h"
#include "gpu/runtime/kernel.h"

/// For kernels: what a charge of 1 adds at a distance in angstrom, of which the square is given, and the loop over charges
/// that sums on lattices have in common. `guarded`: the charge may be at the point, where it adds what the law says of
/// electrostatics::nearest.
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

/// As a permittivity in proportion to the distance has it.
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

/// CoulombOf or DistanceOf, smoothly up to a cut-off.
template <class Whole>
struct CutoffOf {
  float inverse_cutoff_squared;

  template <bool guarded>
  __device__ __forceinline__ float of(float squared) const {
    const float left = fmaxf(fmaf(-squared, inverse_cutoff_squared, 1.0f), 0.0f);
    return Whole().template of<guarded>(squared) * (left * left);
  }
};

/// The number of terms is known to the compiler, so that each is one operation with a constant.
template <int terms>
struct SplitOf {
  float twice_inverse_cutoff_squared;
  float smooth[terms];  ///< of powers of u, as electrostatics::RadialPolynomial

  template <bool guarded>
  __device__ __forceinline__ float of(float squared) const {
    const float u = fmaf(squared, twice_inverse_cutoff_squared, -1.0f);
    float rest = smooth[terms - 1];
#pragma unroll
    for (int i = terms - 2; i >= 0; --i) rest = fmaf(rest, u, smooth[i]);
    return u < 1.0f ? inverse_distance<guarded>(squared) - rest : 0.0f;
  }
};

/// 2 to the power of `highest` less so much times the square of the distance, left out below `least`.
struct GaussianOf {
  float highest, least;
};

/// A sum, and what a charge adds to it.
template <bool guarded, class Law>
__device__ __forceinline__ float added(const Law& law, float charge, float squared, float sum) {
  return fmaf(charge, law.template of<guarded>(squared), sum);
}
template <bool guarded>
__device__ __forceinline__ float added(const GaussianOf& law, float falls, float squared, float sum) {
  const float value = exp2f(fmaf(-falls, squared, law.highest));
  return value >= law.least ? sum + value : sum;
}

/// At points in a row along z. `unrolled`: charges at once.
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

/// Sums of single precision go into those of double.
template <int points>
__device__ __forceinline__ void add_up(float (&some)[points], double (&sums)[points]) {
#pragma unroll
  for (int k = 0; k < points; ++k) {
    sums[k] += static_cast<double>(some[k]);
    some[k] = 0;
  }
}

}  // namespace isolume::gpu::pair_kernels

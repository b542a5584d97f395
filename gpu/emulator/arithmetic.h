#pragma once

/// CUDA's arithmetic functions for host compilers. Where CUDA documents an error (CUDA C++ Programming Guide,
/// "Mathematical Functions"), the result has one: as many units in the last place as are documented at most, by a hash
/// of the result, so that tolerances of tests are those of hardware. Functions of doubles, whose documented errors are a
/// few 1e-16, are those of the host.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace isolume::gpu::emulator {

/// Scatters the bits of a number.
constexpr std::uint32_t scattered(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  bits = (bits ^ bits >> 16) * 0x85ebca6bU;
  bits = (bits ^ bits >> 13) * 0xc2b2ae35U;
  return bits ^ bits >> 16;
}

/// A result that is up to `most_units` units in the last place off; zeros and numbers that are not finite are exact.
constexpr float within_units(float nearest, std::uint32_t most_units) {
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  constexpr std::uint32_t sign = 0x80000000U, infinity = 0x7f800000U;
  const std::uint32_t magnitude = bits & ~sign;
  if (magnitude <= most_units || magnitude >= infinity - most_units) return nearest;
  return std::bit_cast<float>(bits + scattered(nearest) % (2 * most_units + 1) - most_units);
}

/// A result that is up to `most` off, below 1 unit more for rounding.
inline float within(float nearest, float most) {
  constexpr float largest = 4294967295.0f;
  return nearest + most * (2 * static_cast<float>(scattered(nearest)) / largest - 1);
}

inline float approximate_expf(float x) {
  return within_units(std::exp(x), 2);
}
inline float approximate_exp2f(float x) {
  return within_units(std::exp2(x), 2);
}
inline float approximate_powf(float x, float y) {
  return within_units(std::pow(x, y), 4);
}

// Of the fast functions, those that nvcc composes of others have also the error of the composition.
inline float fast_expf(float x) {
  return approximate_exp2f(x * 1.44269504f);
}
inline float fast_exp10f(float x) {
  return approximate_exp2f(x * 3.32192809f);
}
inline float fast_log2f(float x) {
  constexpr float near_one = 0x1p-22f;
  const float nearest = std::log2(x);
  return x >= 0.5f && x <= 2 ? within(nearest, near_one) : within_units(nearest, 2);
}
inline float fast_logf(float x) {
  return fast_log2f(x) * 0.69314718f;
}
inline float fast_log10f(float x) {
  return fast_log2f(x) * 0.30103000f;
}
inline float fast_powf(float x, float y) {
  return approximate_exp2f(y * fast_log2f(x));
}
/// Documented between -pi and pi; farther away, errors of hardware are larger.
inline float fast_sinf(float x) {
  constexpr float most = 3.6e-7f;  // 2^-21.41
  return within(std::sin(x), most);
}
inline float fast_cosf(float x) {
  constexpr float most = 4.1e-7f;  // 2^-21.19
  return within(std::cos(x), most);
}
/// For a denominator above 2^126, hardware gives zero, or NaN where the numerator is infinite.
inline float fast_divide(float a, float b) {
  if (std::abs(b) > 0x1p126f) return a * 0.0f;
  return within_units(a / b, 2);
}

}  // namespace isolume::gpu::emulator

inline float rsqrtf(float x) {
  return isolume::gpu::emulator::within_units(static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))), 2);
}
inline double rsqrt(double x) {
  return 1.0 / std::sqrt(x);
}
inline float norm3df(float x, float y, float z) {
  return isolume::gpu::emulator::within_units(std::hypot(x, y, z), 3);
}
inline float rnorm3df(float x, float y, float z) {
  return isolume::gpu::emulator::within_units(1.0f / std::hypot(x, y, z), 2);
}
inline float __saturatef(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;  // NaN becomes 0
}
inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
inline double __fma_rn(double a, double b, double c) {
  return fma(a, b, c);
}
inline float __fadd_rn(float a, float b) {
  return a + b;
}
inline float __fsub_rn(float a, float b) {
  return a - b;
}
inline float __fmul_rn(float a, float b) {
  return a * b;
}
inline float __fdiv_rn(float a, float b) {
  return a / b;
}
inline float __fdividef(float a, float b) {
  return isolume::gpu::emulator::fast_divide(a, b);
}
inline float __frcp_rn(float x) {
  return 1.0f / x;
}
inline float __fsqrt_rn(float x) {
  return std::sqrt(x);
}
inline float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
}
inline double __dadd_rn(double a, double b) {
  return a + b;
}
inline double __dmul_rn(double a, double b) {
  return a * b;
}
inline int __float2int_rn(float x) {
  return static_cast<int>(std::nearbyint(x));
}
inline int __float2int_rz(float x) {
  return static_cast<int>(x);
}
inline int __float2int_rd(float x) {
  return static_cast<int>(std::floor(x));
}
inline int __float2int_ru(float x) {
  return static_cast<int>(std::ceil(x));
}
inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
inline float __uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}

// Macros, because the C library declares functions of these names.
#define expf(x) (::isolume::gpu::emulator::approximate_expf(x))
#define exp2f(x) (::isolume::gpu::emulator::approximate_exp2f(x))
#define powf(x, y) (::isolume::gpu::emulator::approximate_powf(x, y))
#define __expf(x) (::isolume::gpu::emulator::fast_expf(x))
#define __exp10f(x) (::isolume::gpu::emulator::fast_exp10f(x))
#define __logf(x) (::isolume::gpu::emulator::fast_logf(x))
#define __log2f(x) (::isolume::gpu::emulator::fast_log2f(x))
#define __log10f(x) (::isolume::gpu::emulator::fast_log10f(x))
#define __powf(x, y) (::isolume::gpu::emulator::fast_powf(x, y))
#define __sinf(x) (::isolume::gpu::emulator::fast_sinf(x))
#define __cosf(x) (::isolume::gpu::emulator::fast_cosf(x))
#define __tanf(x) (__sinf(x) / __cosf(x))
#define __sincosf(x, s, c) (*(s) = __sinf(x), *(c) = __cosf(x))

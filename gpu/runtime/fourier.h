#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "gpu/runtime/stream.h"

namespace isolume::gpu {

/// Points along x, y and z; x is the fastest in memory.
using FourierSize = std::array<int, 3>;

/// Discrete Fourier transforms in three dimensions of single-precision values in device memory: by cuFFT,
/// which is loaded when the first object is made, or by KissFFT on an emulated GPU. Nothing is normalised: a
/// forward and an inverse transform multiply by the number of points. Scratch memory comes from the stream's
/// device. Not thread-safe.
class ComplexFourier {
 public:
  /// Throws Error if cuFFT is not installed or refuses the size.
  ComplexFourier(const GpuDevice& device, FourierSize size);
  ~ComplexFourier();

  /// F(k) = sum over r of f(r) exp(-2 pi i (k_x r_x / n_x + ...)). `in` may be `out`.
  void forward(const float2* in, float2* out, const Stream& stream) const;
  /// f(r) = sum over k of F(k) exp(+2 pi i ...).
  void inverse(const float2* in, float2* out, const Stream& stream) const;

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

/// The same for real values in double precision: potentials on meshes are small differences of large numbers.
/// Of the n_x values of F along x only the first n_x / 2 + 1 are stored: the others are their complex
/// conjugates.
class RealFourier {
 public:
  RealFourier(const GpuDevice& device, FourierSize size);
  ~RealFourier();

  void forward(const double* in, double2* out, const Stream& stream) const;
  /// The content of `in` is undefined afterwards.
  void inverse(double2* in, double* out, const Stream& stream) const;

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace isolume::gpu

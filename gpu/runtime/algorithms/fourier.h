#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include "gpu/runtime/streams/stream.h"

namespace isolume::gpu {

/// Points along x, y and z; x is the fastest in memory.
using FourierSize = std::array<int, 3>;

/// Discrete Fourier transforms in three dimensions of real values in device memory: by cuFFT, which is loaded when the
/// first object is made, or by KissFFT on an emulated GPU. Nothing is normalised: a forward and an inverse transform
/// multiply by the number of points. Of the n_x values of F along x only the first n_x / 2 + 1 are stored: the others are
/// their complex conjugates. Several arrays that follow each other without gaps are transformed at once. Scratch memory
/// comes from the stream's device. Not thread-safe.
///
/// In double precision for potentials on meshes, which are small differences of large numbers; in single precision for
/// volumes.
template <class Real>
class BasicRealFourier {
 public:
  using Complex = std::conditional_t<std::is_same_v<Real, double>, double2, float2>;

  /// Throws Error if cuFFT is not installed or refuses the size.
  BasicRealFourier(const GpuDevice& device, FourierSize size, int arrays = 1);
  ~BasicRealFourier();

  /// F(k) = sum over r of f(r) exp(-2 pi i (k_x r_x / n_x + ...)).
  void forward(const Real* in, Complex* out, const Stream& stream) const;
  /// f(r) = sum over k of F(k) exp(+2 pi i ...). The content of `in` is undefined afterwards.
  void inverse(Complex* in, Real* out, const Stream& stream) const;

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

using RealFourier = BasicRealFourier<double>;
using SingleFourier = BasicRealFourier<float>;

/// The file of the library that computes them. Throws Error if it is not installed.
std::string fourier_library();

}  // namespace isolume::gpu

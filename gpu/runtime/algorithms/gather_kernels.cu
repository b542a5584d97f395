#include "gpu/runtime/algorithms/gather_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::gather_kernels {
namespace {

constexpr std::uint32_t threads = 256;

__global__ void __launch_bounds__(threads) gather_each(Rows of, float* out) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i >= of.count) return;
  out[i] = of.values[of.rows != nullptr ? of.rows[i] : i];
}

/// One thread per number, so that neighbouring threads write neighbouring addresses.
__global__ void __launch_bounds__(threads) gather_shifted_each(Rows of, Shift shift, float* out) {
  const std::size_t number = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  const std::size_t i = number / 3, axis = number % 3;
  if (i >= of.count) return;
  const std::size_t row = of.rows != nullptr ? of.rows[i] : i;
  out[number] = of.values[3 * row + axis] + shift.by[axis];
}

}  // namespace

void gather(const Rows& of, float* out, const Stream& stream) {
  if (of.count == 0) return;
  launch_each(gather_each, of.count, threads, stream, of, out);
}

void gather_shifted(const Rows& of, const Shift& shift, float* out, const Stream& stream) {
  if (of.count == 0) return;
  launch_each(gather_shifted_each, std::size_t{3} * of.count, threads, stream, of, shift, out);
}

}  // namespace isolume::gpu::gather_kernels

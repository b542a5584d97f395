#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"
#include "gpu/volumes/rounded_sum.h"

namespace isolume::gpu::volume_kernels {
namespace {

constexpr unsigned threads = 256;

/// The intrinsics are never fused, which would round once where the host rounds twice.
__device__ __forceinline__ double rounded(double term, double shift) {
  return __dadd_rn(__dadd_rn(term, shift), -shift);
}

__global__ void __launch_bounds__(threads)
    add_rounded_terms(const float* __restrict__ values, double weight, RoundingShifts shifts,
                      std::size_t count, double* __restrict__ sums, double* __restrict__ squares) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const double value = static_cast<double>(values[i]), weighted = __dmul_rn(weight, value);
  sums[i] = __dadd_rn(sums[i], rounded(weighted, shifts.value));
  if (squares != nullptr)
    squares[i] = __dadd_rn(squares[i], rounded(__dmul_rn(weighted, value), shifts.square));
}

}  // namespace

void add_rounded(const float* values, double weight, RoundingShifts shifts, std::size_t count, double* sums,
                 double* squares, const Stream& stream) {
  launch_each(add_rounded_terms, count, threads, stream, values, weight, shifts, count, sums, squares);
}

}  // namespace isolume::gpu::volume_kernels

#include <algorithm>

#include "gpu/runtime/devices/device_benchmark_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::benchmark_kernels {
namespace {

/// Independent sums of a thread: enough to hide the latency of a multiply-add on every generation, together
/// with the warps that share a scheduler.
constexpr int sums = 16;
static_assert(multiply_adds_per_round % sums == 0);

__global__ void do_nothing() {}

// The factors are arguments; otherwise the compiler would know the results.
__global__ void spin_kernel(std::uint32_t steps, float factor, float shift, float* sink) {
  float value = factor;
#pragma unroll 16
  for (std::uint32_t i = 0; i < steps; ++i) value = fmaf(value, factor, shift);
  if (value < 0) *sink = value;
}

__global__ void fill_kernel(uint4* to, std::size_t count) {
  const std::size_t all = gridDim.x * static_cast<std::size_t>(blockDim.x);
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count; i += all) {
    const auto value = static_cast<unsigned>(i);
    to[i] = {value, value, value, value};
  }
}

__global__ void __launch_bounds__(multiply_add_threads)
    multiply_add_kernel(std::uint32_t rounds, float factor, float shift, float* sink) {
  float value[sums];
#pragma unroll
  for (int k = 0; k < sums; ++k) value[k] = static_cast<float>(threadIdx.x + k);
  for (std::uint32_t round = 0; round < rounds; ++round) {
#pragma unroll
    for (std::uint32_t i = 0; i < multiply_adds_per_round / sums; ++i) {
#pragma unroll
      for (int k = 0; k < sums; ++k) value[k] = fmaf(value[k], factor, shift);
    }
  }
  float all = 0;
#pragma unroll
  for (int k = 0; k < sums; ++k) all += value[k];
  if (all < 0) *sink = all;
}

// Values tend to 1 and stay normal numbers.
constexpr float factor = 0.75f;
constexpr float shift = 0.25f;

}  // namespace

void nothing(const Stream& stream) {
  launch(do_nothing, dim3(1), dim3(32), 0, stream);
}

void spin(std::uint32_t steps, float* sink, const Stream& stream) {
  launch(spin_kernel, dim3(1), dim3(1), 0, stream, steps, factor, shift, sink);
}

void fill(void* to, std::size_t count, const Stream& stream) {
  constexpr std::size_t threads = 256;
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::size_t>((count + threads - 1) / threads, 1, 4096));
  launch(fill_kernel, dim3(blocks), dim3(threads), 0, stream, static_cast<uint4*>(to), count);
}

void multiply_adds(unsigned blocks, std::uint32_t rounds, float* sink, const Stream& stream) {
  launch(multiply_add_kernel, dim3(blocks), dim3(multiply_add_threads), 0, stream, rounds, factor, shift,
         sink);
}

}  // namespace isolume::gpu::benchmark_kernels

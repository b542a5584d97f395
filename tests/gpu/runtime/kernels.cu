#include "gpu/runtime/block_reduction.h"
#include "gpu/runtime/launch.h"
#include "tests/gpu/runtime/kernels.h"

namespace isolume::gpu::test {
namespace {

__global__ void fill_kernel(float* to, int count, float value) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = value;
}

__global__ void scale_kernel(const float* in, float* out, int count, float factor, float shift) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = fmaf(factor, in[i], shift);
}

__global__ void number_kernel(unsigned* to, std::size_t count, unsigned seed) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < count) to[i] = static_cast<unsigned>(i) + seed;
}

__global__ void reverse_kernel(const float* in, float* out, int count) {
  auto* const values = dynamic_shared<float>();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) values[i] = in[i];
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    out[i] = values[count - 1 - i];
  }
}

__global__ void reduce_kernel(const float* in, Reduced* out) {
  __shared__ Reduced shared[64];
  const float value = in[blockIdx.x * 64 + threadIdx.x];
  reduce_block(shared, {value, value, value}, [](Reduced& all, const Reduced& other) {
    all = {fminf(all.low, other.low), fmaxf(all.high, other.high), all.sum + other.sum};
  });
  if (threadIdx.x == 0) out[blockIdx.x] = shared[0];
}

}  // namespace

void fill(float* to, int count, float value, const Stream& stream) {
  launch_each(fill_kernel, static_cast<std::size_t>(count), 64, stream, to, count, value);
}

void scale_and_shift(const float* in, float* out, int count, float factor, float shift,
                     const Stream& stream) {
  launch_each(scale_kernel, static_cast<std::size_t>(count), 64, stream, in, out, count, factor, shift);
}

void number(unsigned* to, std::size_t count, unsigned seed, const Stream& stream) {
  launch_each(number_kernel, count, 256, stream, to, count, seed);
}

void reverse(const float* in, float* out, int count, const Stream& stream) {
  launch(reverse_kernel, dim3(1), dim3(256), sizeof(float) * static_cast<std::size_t>(count), stream, in, out,
         count);
}

void reduce(const float* in, Reduced* out, unsigned blocks, const Stream& stream) {
  launch(reduce_kernel, dim3(blocks), dim3(64), 0, stream, in, out);
}

void launch_too_many_threads(const Stream& stream) {
  launch(fill_kernel, dim3(1), dim3(4096), 0, stream, nullptr, 0, 0.0f);
}

}  // namespace isolume::gpu::test

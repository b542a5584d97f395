#include "tests/gpu/emulator/arithmetic_kernels.h"

namespace isolume::gpu::emulator {
namespace {

__device__ int linear_index() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ float value_of(Function function, float x) {
  switch (function) {
    case Function::rsqrt:
      return rsqrtf(x);
    case Function::exp:
      return expf(x);
    case Function::exp2:
      return exp2f(x);
    case Function::pow:
      return powf(x, 1.5f);
    case Function::divide:
      return __fdividef(1.0f, x);
    case Function::fast_exp:
      return __expf(x);
    case Function::fast_log:
      return __logf(x);
    case Function::fast_log2:
      return __log2f(x);
    case Function::fast_sin:
      return __sinf(x);
    case Function::fast_cos:
      return __cosf(x);
  }
  return 0;
}

}  // namespace

__global__ void apply(Function function, const float* x, float* out, int count) {
  const int i = linear_index();
  if (i < count) out[i] = value_of(function, x[i]);
}

__global__ void count_exact_lengths(const float* x, int* exact, int count) {
  const int i = linear_index();
  if (i < count && x[i] * rsqrtf(x[i] * x[i]) == 1.0f) atomicAdd(exact, 1);
}

}  // namespace isolume::gpu::emulator

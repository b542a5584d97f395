#include "tests/gpu/emulator/flushing_kernels.h"

namespace isolume::gpu::emulator {

__global__ void scale_flushed(const float* x, float factor, float* out, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float value = i < count ? x[i] : 0.0f;
  __syncthreads();  // fibers switch here
  if (i < count) out[i] = value * factor;
}

}  // namespace isolume::gpu::emulator

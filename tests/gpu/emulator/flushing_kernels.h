#pragma once

#include <cuda_runtime.h>

namespace isolume::gpu::emulator {

/// out[i] = x[i] * factor, compiled with -ftz=true.
__global__ void scale_flushed(const float* x, float factor, float* out, int count);

}  // namespace isolume::gpu::emulator

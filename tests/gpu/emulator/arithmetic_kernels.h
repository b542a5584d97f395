#pragma once

#include <cuda_runtime.h>

namespace isolume::gpu::emulator {

enum class Function { rsqrt, exp, exp2, pow, divide, fast_exp, fast_log, fast_log2, fast_sin, fast_cos };

/// out[i] = function(x[i]); pow: x^1.5; divide: 1 / x.
__global__ void apply(Function function, const float* x, float* out, int count);
/// A rule that hardware breaks: counts the x for which x rsqrtf(x^2) is exactly 1.
__global__ void count_exact_lengths(const float* x, int* exact, int count);

}  // namespace isolume::gpu::emulator

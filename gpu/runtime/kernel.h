#pragma once

/// Included by every .cu file with kernels. Kernels are CUDA C++ that the emulator runs as well: static
/// shared memory is declared as usual (__shared__ float tile[64], trivial types); the rest of this header
/// replaces features without an equivalent in host C++.

#include <cfloat>
#include <cstddef>

#include <cuda_runtime.h>

namespace isolume::gpu {

/// The block's dynamic shared memory, of the size passed to `launch`; aligned to 16 bytes.
template <class T>
__device__ inline T* dynamic_shared() {
#ifdef ISOLUME_GPU_EMULATED
  return static_cast<T*>(emulator::dynamic_shared_memory());
#else
  extern __shared__ uint4 isolume_dynamic_shared[];
  return reinterpret_cast<T*>(isolume_dynamic_shared);
#endif
}

__device__ inline bool is_finite(float value) {
  return fabsf(value) <= FLT_MAX;
}

/// A double rounded to a float, by one instruction. Under -ftz=true, which serves inverse roots, nvcc makes three of a
/// cast, two of them at the rate of double precision: it sets results below 1e-38 to zero, which whatever reads them
/// does anyway.
__device__ __forceinline__ float to_float(double value) {
#ifdef __CUDA_ARCH__
  float rounded;
  asm("cvt.rn.f32.f64 %0, %1;" : "=f"(rounded) : "d"(value));
  return rounded;
#else
  return static_cast<float>(value);
#endif
}

}  // namespace isolume::gpu

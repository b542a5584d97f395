#pragma once

/// Included by every .cu file with kernels. Kernels are CUDA C++ that the emulator runs as well: static
/// shared memory is declared as usual (__shared__ float tile[64], trivial types); the rest of this header
/// replaces features without an equivalent in host C++.

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

}  // namespace isolume::gpu

#pragma once

#include <cstddef>

#include "cuda_runtime_api.h"

namespace isolume::gpu::emulator {

/// For allocators that reuse and subdivide memory of the runtime: from this position in the stream's order
/// on, only the first `bytes` of the allocation that begins at `address` are valid, and not yet initialised
/// (host memory counts as initialised). 0 bytes: it was returned. Kernels and copies are checked against
/// that.
void limit_use(void* address, std::size_t bytes, cudaStream_t stream);

}  // namespace isolume::gpu::emulator

#pragma once

#include <cstddef>

#include "cuda_runtime_api.h"

namespace isolume::gpu::emulator {

/// For allocators that keep what they got of the runtime and hand it out again, perhaps in part: from this
/// place in the stream's order on, only the first `bytes` of the allocation that begins at `address` belong
/// to anybody, and nothing has been written there yet (to memory of the host: anything has). 0 bytes: it was
/// given back. Kernels and copies are held to that.
void limit_use(void* address, std::size_t bytes, cudaStream_t stream);

}  // namespace isolume::gpu::emulator

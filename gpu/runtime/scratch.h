#pragma once

#include <cstddef>
#include <functional>

#include <cuda_runtime.h>

#include "gpu/runtime/stream_name.h"

namespace isolume::gpu {

/// Queues an algorithm of CUB, which says how many bytes of scratch memory it wants where that is null, and works where
/// it is not.
using CubAlgorithm = std::function<cudaError_t(void* scratch, std::size_t& bytes, cudaStream_t queue)>;

/// With scratch memory of the stream's device. `what`: for errors. Throws Error, ResourceError.
void with_scratch(const Stream& stream, const char* what, const CubAlgorithm& algorithm);

}  // namespace isolume::gpu

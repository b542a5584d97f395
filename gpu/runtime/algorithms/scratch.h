#pragma once

#include <cstddef>
#include <functional>

#include <cuda_runtime.h>

#include "gpu/runtime/streams/stream_name.h"

namespace isolume::gpu {

/// Queues an algorithm of CUB, which returns its number of scratch bytes if `scratch` is null, and works
/// otherwise.
using CubAlgorithm = std::function<cudaError_t(void* scratch, std::size_t& bytes, cudaStream_t queue)>;

/// Runs it with scratch memory of the stream's device. `what`: for errors. Throws Error, ResourceError.
void with_scratch(const Stream& stream, const char* what, const CubAlgorithm& algorithm);

}  // namespace isolume::gpu

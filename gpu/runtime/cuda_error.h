#pragma once

#include <source_location>
#include <string_view>

#include <cuda_runtime.h>

namespace isolume::gpu {

/// Throws for anything but success, with the device's name, the operation, CUDA's message and the call site:
/// ResourceError if memory ran out; dispatch::DeviceLost if the device is unusable (its context is broken: a
/// kernel accessed invalid memory, the device fell off the bus ...); else Error. (Not inline: nvcc cannot
/// compile fmt's compile-time checks.)
void require_success(cudaError_t status, std::string_view what,
                     std::source_location where = std::source_location::current());

/// Whether every later call on the device will fail like this one.
bool is_sticky(cudaError_t status);

}  // namespace isolume::gpu

#pragma once

#include <string_view>

#include <cuda_runtime.h>

namespace isolume::gpu {

/// Throws Error "GPU: <what> failed: <CUDA's own words>" for anything but success. (Not inline: nvcc cannot
/// compile fmt's compile-time checks.)
void require_success(cudaError_t status, std::string_view what);

}  // namespace isolume::gpu

#pragma once

#include <string>

#include "cuda_runtime_api.h"

namespace isolume::gpu::emulator {

/// Sets the calling thread's last error; cudaGetErrorString then returns `detail`.
cudaError_t report(cudaError_t error, const std::string& detail = {});

}  // namespace isolume::gpu::emulator

#pragma once

#include <string>

#include "cuda_runtime_api.h"

namespace isolume::gpu::emulator {

/// Makes this the calling thread's last error; `detail` is then what cudaGetErrorString says of it.
cudaError_t report(cudaError_t error, const std::string& detail = {});

}  // namespace isolume::gpu::emulator

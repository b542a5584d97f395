#pragma once

#include <functional>

#include <cuda_runtime_api.h>

namespace isolume::gpu::emulator {

/// As cudaLaunchHostFunc, but owns the work: where a broken device drops its queue, the work is destroyed.
cudaError_t launch_host_work(cudaStream_t stream, std::function<void()> work);

}  // namespace isolume::gpu::emulator

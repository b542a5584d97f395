#pragma once

#include <cstddef>
#include <source_location>
#include <tuple>
#include <utility>

#include <cuda_runtime.h>

#include "gpu/runtime/stream_name.h"

namespace isolume::gpu {

/// Dynamic shared memory that needs no asking.
inline constexpr std::size_t shared_bytes_without_asking = std::size_t{48} << 10;

/// CUDA's own; its device becomes the calling thread's current one, as whatever is queued needs it.
cudaStream_t queue_of(const Stream& stream);
/// Asks the stream's device for more dynamic shared memory than a kernel may have as a rule, where `shared_bytes` is more.
/// Throws Error that tells how much the device has where that is too much.
void allow_shared_memory(const void* kernel, std::size_t shared_bytes, const Stream& stream);
/// As require_success. `what`: "launching a kernel".
void require_queued(cudaError_t status, const char* what,
                    std::source_location where = std::source_location::current());

/// Queues `kernel(args...)` on a stream. The only way in which kernels are started, so that another runtime
/// can stand in for CUDA's. Arguments are converted to the kernel's own parameter types first. Throws Error when
/// the launch itself is refused; what fails later is thrown by `Stream::wait`.
template <class... Parameters, class... Args>
requires(sizeof...(Parameters) == sizeof...(Args)) void launch(void (*kernel)(Parameters...), dim3 grid,
                                                               dim3 block, std::size_t shared_bytes,
                                                               const Stream& stream, Args&&... args) {
  const cudaStream_t queue = queue_of(stream);
  allow_shared_memory(reinterpret_cast<const void*>(kernel), shared_bytes, stream);
  std::tuple<Parameters...> values(std::forward<Args>(args)...);
  std::apply(
      [&](Parameters&... value) {
        void* addresses[] = {static_cast<void*>(&value)..., nullptr};
        require_queued(cudaLaunchKernel(kernel, grid, block, addresses, shared_bytes, queue),
                       "launching a kernel");
      },
      values);
}

}  // namespace isolume::gpu

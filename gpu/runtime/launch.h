#pragma once

#include <cstddef>
#include <source_location>
#include <tuple>
#include <utility>

#include <cuda_runtime.h>

#include "gpu/runtime/streams/stream_name.h"

namespace isolume::gpu {

/// Shared memory, static and dynamic together, that is available without opting in.
inline constexpr std::size_t shared_bytes_without_asking = std::size_t{48} << 10;

/// The CUDA stream; its device becomes the calling thread's current one, as queueing requires.
cudaStream_t queue_of(const Stream& stream);
/// Opts in to `shared_bytes` of dynamic shared memory for a kernel, if that and its static shared memory are more than the
/// default. Throws Error with the device's limit if that is too much.
void allow_shared_memory(const void* kernel, std::size_t shared_bytes, const Stream& stream);
/// As require_success. `what`: "launching a kernel".
void require_queued(cudaError_t status, const char* what,
                    std::source_location where = std::source_location::current());

/// Queues `kernel(args...)` on a stream. Kernels are started in no other way, so that another runtime can
/// replace CUDA's. Arguments are first converted to the kernel's own parameter types. Throws Error if the
/// launch itself is refused; later failures are thrown by `Stream::wait`.
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

/// Number of one-dimensional blocks with a thread for each item.
constexpr unsigned blocks_for(std::size_t items, unsigned threads) {
  return static_cast<unsigned>((items + threads - 1) / threads);
}

/// Queues a kernel with a thread for each item, in blocks of `threads`.
template <class... Parameters, class... Args>
void launch_each(void (*kernel)(Parameters...), std::size_t items, unsigned threads, const Stream& stream,
                 Args&&... args) {
  launch(kernel, dim3(blocks_for(items, threads)), dim3(threads), 0, stream, std::forward<Args>(args)...);
}

}  // namespace isolume::gpu

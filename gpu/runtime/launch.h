#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "gpu/runtime/stream.h"

namespace isolume::gpu {

/// Dynamic shared memory that needs no asking.
inline constexpr std::size_t shared_bytes_without_asking = std::size_t{48} << 10;

/// Asks for `shared_bytes` of dynamic shared memory for a kernel on the stream's device. Throws Error that
/// tells how much the device has where that is too much.
void ask_for_shared_memory(const void* kernel, std::size_t shared_bytes, const Stream& stream);

/// Queues `kernel(args...)` on a stream. The only way in which kernels are started, so that another runtime
/// can stand in for CUDA's. Arguments are converted to the kernel's own parameter types first; more dynamic
/// shared memory than a kernel may have as a rule is asked for. Throws Error when the launch itself is
/// refused; what fails later is thrown by `Stream::wait`.
template <class... Parameters, class... Args>
requires(sizeof...(Parameters) == sizeof...(Args)) void launch(void (*kernel)(Parameters...), dim3 grid,
                                                               dim3 block, std::size_t shared_bytes,
                                                               const Stream& stream, Args&&... args) {
  stream.make_current();
  if (shared_bytes > shared_bytes_without_asking) {
    ask_for_shared_memory(reinterpret_cast<const void*>(kernel), shared_bytes, stream);
  }
  std::tuple<Parameters...> values(std::forward<Args>(args)...);
  std::apply(
      [&](Parameters&... value) {
        void* addresses[] = {static_cast<void*>(&value)..., nullptr};
        require_success(cudaLaunchKernel(kernel, grid, block, addresses, shared_bytes, stream.get()),
                        "launching a kernel");
      },
      values);
}

}  // namespace isolume::gpu

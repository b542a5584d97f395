#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "gpu/runtime/stream.h"

namespace isolume::gpu {

/// Queues `kernel(args...)` on a stream. The only way in which kernels are started, so that another runtime
/// can stand in for CUDA's. Arguments are converted to the kernel's own parameter types first. Throws Error
/// when the launch itself is refused; what fails later is thrown by `Stream::wait`.
template <class... Parameters, class... Args>
requires(sizeof...(Parameters) == sizeof...(Args)) void launch(void (*kernel)(Parameters...), dim3 grid,
                                                               dim3 block, std::size_t shared_bytes,
                                                               const Stream& stream, Args&&... args) {
  stream.make_current();
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

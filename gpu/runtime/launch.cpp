#include "gpu/runtime/launch.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "gpu/runtime/gpu_device.h"

namespace isolume::gpu {

void ask_for_shared_memory(const void* kernel, std::size_t shared_bytes, const Stream& stream) {
  const auto& device = stream.device();
  const std::size_t most = device.description().shared_bytes_per_block_optin;
  if (shared_bytes > most) {
    throw Error(fmt::format("{}: a kernel needs {} bytes of shared memory per block; there are {}.",
                            device.name(), shared_bytes, most));
  }
  require_success(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(shared_bytes)),
                  "asking for shared memory");
}

}  // namespace isolume::gpu

#include "gpu/runtime/launch.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/streams/stream.h"

namespace isolume::gpu {

cudaStream_t queue_of(const Stream& stream) {
  stream.make_current();
  return stream.get();
}

void allow_shared_memory(const void* kernel, std::size_t shared_bytes, const Stream& stream) {
  if (shared_bytes == 0) return;
  cudaFuncAttributes attributes{};
  require_success(cudaFuncGetAttributes(&attributes, kernel), "asking about a kernel");
  const std::size_t all_bytes = attributes.sharedSizeBytes + shared_bytes;
  if (all_bytes <= shared_bytes_without_asking) return;
  const auto& device = stream.device();
  const std::size_t most = device.description().shared_bytes_per_block_optin;
  if (all_bytes > most) {
    throw Error(fmt::format("{}: a kernel needs {} bytes of shared memory per block; there are {}.",
                            device.name(), all_bytes, most));
  }
  require_success(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(shared_bytes)),
                  "asking for shared memory");
}

void require_queued(cudaError_t status, const char* what, std::source_location where) {
  require_success(status, what, where);
}

}  // namespace isolume::gpu

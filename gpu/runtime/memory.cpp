#include "gpu/runtime/memory.h"

#include "gpu/runtime/gpu_device.h"
#include "gpu/runtime/stream.h"

namespace isolume::gpu {

MemoryBlock take_memory(const Stream& stream, MemorySpace space, std::size_t bytes) {
  stream.device().make_current();
  MemoryBlock block{nullptr, nullptr, bytes, space, nullptr};
  if (bytes == 0) return block;
  if (space == MemorySpace::device) {
    require_success(cudaMalloc(&block.device, bytes), "reserving device memory");
  } else {
    require_success(
        cudaHostAlloc(&block.host, bytes, space == MemorySpace::mapped ? cudaHostAllocMapped : 0U),
        "reserving pinned memory");
    if (space == MemorySpace::mapped) {
      require_success(cudaHostGetDevicePointer(&block.device, block.host, 0), "mapping pinned memory");
    }
  }
  return block;
}

void give_back(MemoryBlock& block) noexcept {
  if (block.host != nullptr) {
    cudaFreeHost(block.host);
  } else if (block.device != nullptr) {
    cudaFree(block.device);
  }
  block = {};
}

}  // namespace isolume::gpu

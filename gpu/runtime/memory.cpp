#include "gpu/runtime/memory.h"

#include "gpu/runtime/allocator.h"
#include "gpu/runtime/gpu_device.h"
#include "gpu/runtime/stream.h"

namespace isolume::gpu {

MemoryBlock take_memory(const Stream& stream, MemorySpace space, std::size_t bytes) {
  stream.make_current();
  return stream.device().allocator().take(stream.order(), space, bytes);
}

void give_back(MemoryBlock& block) noexcept {
  Allocator::give_back(block);
}

}  // namespace isolume::gpu

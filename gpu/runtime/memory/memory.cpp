#include "gpu/runtime/memory/memory.h"

#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/allocator.h"
#include "gpu/runtime/streams/stream.h"

namespace isolume::gpu {

MemoryBlock allocate_memory(const Stream& stream, MemorySpace space, std::size_t bytes) {
  stream.make_current();
  return stream.device().allocator().allocate(stream.allocator_stream(), space, bytes);
}

void free_memory(MemoryBlock& block) noexcept {
  Allocator::free(block);
}

}  // namespace isolume::gpu

#pragma once

#include <cstddef>

namespace isolume::gpu {

class Stream;

enum class MemorySpace { device, pinned, mapped };

/// A block of memory with the data that its allocator needs to free it.
struct MemoryBlock {
  void* device = nullptr;
  void* host = nullptr;
  std::size_t bytes = 0;
  MemorySpace space = MemorySpace::device;
  void* owner = nullptr;  ///< private to the allocator
};

/// From the allocator of the stream's device (see allocator.h), for work of this stream; not initialised. An
/// empty block for 0 bytes. Throws ResourceError with the required and available bytes. The device must
/// outlive the block, the stream need not.
MemoryBlock allocate_memory(const Stream& stream, MemorySpace space, std::size_t bytes);
/// Frees a block in the order of its stream: work queued there before may still use it. Does nothing for an
/// empty block.
void free_memory(MemoryBlock& block) noexcept;

}  // namespace isolume::gpu

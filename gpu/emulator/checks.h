#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gpu/emulator/memory.h"
#include "gpu/emulator/processor.h"

namespace isolume::gpu::emulator {

/// An access of a kernel. Inline is what is nearly always the case: memory of the device itself that has been
/// written.
template <int bytes, bool write>
inline void check_access(const void* pointer) {
  Processor* const processor = current_processor;
  if (processor == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (address - processor->own_memory() < memory::slice_bytes) {
    const std::uint8_t* const marks = memory::shadow_of(address);
    if constexpr (bytes >= 4) {
      std::uint32_t all = 0;
      std::memcpy(&all, marks, bytes / 4);
      constexpr std::uint32_t good = bytes == 16 ? 0xffffffffU : (1U << bytes / 4 * 8) - 1U;
      if (all == good && address % 4 == 0) return;
    } else {
      const unsigned wanted = ((1U << bytes) - 1U) << address % 4;
      if ((*marks & (wanted | wanted << 4)) == (wanted | wanted << 4) && address % 4 + bytes <= 4) return;
    }
  }
  processor->check(address, bytes, write ? SharedMemoryChecks::Kind::write : SharedMemoryChecks::Kind::read);
}

void check_range(const void* pointer, std::size_t bytes, bool write);

}  // namespace isolume::gpu::emulator

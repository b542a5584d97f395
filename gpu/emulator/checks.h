#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gpu/emulator/memory.h"
#include "gpu/emulator/processor.h"

namespace isolume::gpu::emulator {

/// Checks an access of a kernel. The inline part is the usual cases: initialised memory of the device itself, and what
/// Processor::is_usual knows.
template <int bytes, Access access>
inline void check_access(const void* pointer) {
  Processor* const processor = current_processor;
  if (processor == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (address - processor->own_memory() < memory::slice_bytes) {
    const std::uint8_t* const marks = memory::shadow_of(address);
    bool good = false;
    if constexpr (bytes >= 4) {
      std::uint32_t all = 0;
      std::memcpy(&all, marks, bytes / 4);
      constexpr std::uint32_t written = bytes == 16 ? 0xffffffffU : (1U << bytes / 4 * 8) - 1U;
      good = all == written && address % 4 == 0;
    } else {
      const unsigned wanted = ((1U << bytes) - 1U) << address % 4;
      good = (*marks & (wanted | wanted << 4)) == (wanted | wanted << 4) && address % 4 + bytes <= 4;
    }
    if (good) {
      if (processor->follows() && !processor->is_followed<access>(address, bytes))
        processor->follow(address, bytes, access);
      return;
    }
  } else if (processor->is_usual<access>(address, bytes)) {
    return;
  }
  processor->check(address, bytes, access);
}

void check_range(const void* pointer, std::size_t bytes, Access access);

}  // namespace isolume::gpu::emulator

#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/emulator/processor.h"

namespace isolume::gpu::emulator {

void check_range(void* address, std::size_t bytes, bool write);

template <int bytes, bool write>
inline void check_access(void*) {}

}  // namespace isolume::gpu::emulator

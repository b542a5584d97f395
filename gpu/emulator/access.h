#pragma once

#include <cstdint>

namespace isolume::gpu::emulator {

/// The kind of a kernel's access. Strong accesses exchange changes with other blocks at once: volatile ones,
/// and loads and stores past the first cache (__ldcg, __stcg).
enum class Access : std::uint8_t { read, write, strong_read, strong_write, atomic };

constexpr bool writes(Access access) {
  return access == Access::write || access == Access::strong_write || access == Access::atomic;
}
constexpr bool is_strong(Access access) {
  return access >= Access::strong_read;
}

}  // namespace isolume::gpu::emulator

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace isolume::gpu::emulator {

/// Where device memory and pinned host memory come from: one reserved range of addresses, a slice of it for
/// each owner, so that an address tells whose it is. Around every allocation lie addresses that belong to
/// nobody; freed addresses are not given out again soon. A shadow knows of each byte whether it is allocated
/// and whether it was written since.
namespace memory {

constexpr int host = -1;  ///< owner of pinned memory
constexpr int largest_device_count = 32;
constexpr std::uintptr_t slice_bytes = std::uintptr_t{1} << 38;

struct Allocation {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  int owner = host;
  int number = 0;  ///< the first allocation of an owner has number 1
};
struct Usage {
  std::size_t bytes = 0;
  std::size_t allocations = 0;
};

/// Filled with poison (bytes of 0xff: NaN as float or double, -1 as an integer), unless larger than 64 MiB.
/// Null where the system has no memory.
void* allocate(int owner, std::size_t bytes);
/// False where no allocation of that owner's kind (a device, or the host) begins there.
bool release(void* address, bool of_host);
/// All of an owner's.
void release_all(int owner);
/// As if the allocation that begins there had only these bytes, freshly allocated. See suballocation.h.
void limit_use(void* address, std::size_t bytes);
Usage usage(int owner);

/// The living allocation that holds all these bytes.
std::optional<Allocation> find(const void* address, std::size_t bytes = 1);
/// Host memory that was made known by cudaHostRegister.
bool register_host(void* address, std::size_t bytes);
bool unregister_host(void* address);
bool is_registered(const void* address, std::size_t bytes = 1);

/// "40 bytes past the end of allocation 3 of device 0 (1000 bytes)".
std::string describe(std::uintptr_t address);

// The shadow: a byte for four of memory, in which bit i + 4 is set for an allocated byte, bit i for one that
// was written.

extern std::uintptr_t arena;
extern std::uint8_t* shadow;

inline bool contains(std::uintptr_t address) {
  return address - arena < (largest_device_count + 1) * slice_bytes;
}
/// Of an address that the range contains.
inline int owner_of(std::uintptr_t address) {
  return static_cast<int>((address - arena) / slice_bytes) - 1;
}
inline std::uint8_t* shadow_of(std::uintptr_t address) {
  return shadow + (address - arena) / 4;
}
bool is_allocated(std::uintptr_t address, std::size_t bytes);
bool is_written(std::uintptr_t address, std::size_t bytes);
void mark_written(std::uintptr_t address, std::size_t bytes);
/// After a copy between two pieces of this memory.
void copy_marks(std::uintptr_t to, std::uintptr_t from, std::size_t bytes);

}  // namespace memory
}  // namespace isolume::gpu::emulator

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace isolume::gpu::emulator {

/// Device memory and pinned host memory: one reserved range of addresses, with a slice for each owner, so
/// that an address identifies its owner. Every allocation is surrounded by unused addresses, and freed
/// addresses are not reused soon. A shadow stores for each byte whether it is allocated and whether it has
/// been written since.
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
/// Null if the system has no memory.
void* allocate(int owner, std::size_t bytes);
/// False if no allocation of that owner's kind (a device, or the host) begins there.
bool release(void* address, bool of_host);
/// Releases all memory of an owner.
void release_all(int owner);
/// Treats the allocation that begins there as if it had only these bytes, freshly allocated. See
/// suballocation.h.
void limit_use(void* address, std::size_t bytes);
Usage usage(int owner);

/// The existing allocation that contains all these bytes.
std::optional<Allocation> find(const void* address, std::size_t bytes = 1);
/// Host memory registered by cudaHostRegister.
bool register_host(void* address, std::size_t bytes);
bool unregister_host(void* address);
bool is_registered(const void* address, std::size_t bytes = 1);

/// "40 bytes past the end of allocation 3 of device 0 (1000 bytes)".
std::string describe(std::uintptr_t address);

// The shadow: one byte for four of memory, in which bit i + 4 is set for an allocated byte, bit i for a
// written one.

extern std::uintptr_t arena;
extern std::uint8_t* shadow;

inline bool contains(std::uintptr_t address) {
  return address - arena < (largest_device_count + 1) * slice_bytes;
}
/// The owner of an address in the range.
inline int owner_of(std::uintptr_t address) {
  return static_cast<int>((address - arena) / slice_bytes) - 1;
}
inline std::uint8_t* shadow_of(std::uintptr_t address) {
  return shadow + (address - arena) / 4;
}
bool is_allocated(std::uintptr_t address, std::size_t bytes);
bool is_written(std::uintptr_t address, std::size_t bytes);
void mark_written(std::uintptr_t address, std::size_t bytes);
/// Copies the marks after a copy between two parts of this memory.
void copy_marks(std::uintptr_t to, std::uintptr_t from, std::size_t bytes);

}  // namespace memory
}  // namespace isolume::gpu::emulator

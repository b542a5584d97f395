#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace isolume::gpu::emulator {

/// Shared and constant memory are thread_local variables of the program and of the libraries it has loaded.
/// Each of these modules has one block of variables for each thread.

/// Identifies a variable for every thread.
struct ThreadLocalPlace {
  std::size_t module = 0;
  std::size_t offset = 0;
};
/// The variable at an address of the calling thread; empty for other addresses.
std::optional<ThreadLocalPlace> find_thread_local(const void* address);
/// The address in the calling thread.
void* thread_local_address(ThreadLocalPlace place);

/// Changes when a library is loaded or unloaded.
std::uint64_t loaded_modules();

/// A module's block in the calling thread.
struct ThreadLocalBlock {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::size_t initialised_bytes = 0;  ///< variables with initial values come first
};
std::vector<ThreadLocalBlock> thread_local_blocks();

/// A variable of the calling thread, from the symbol tables of the program and its libraries, except stripped
/// files. Sorted by address.
struct ThreadLocalVariable {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
};
std::vector<ThreadLocalVariable> thread_local_variables();

/// A segment of the program or of a library in memory.
struct Segment {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
};
/// The segment that contains the address; empty if there is none.
Segment segment_of(std::uintptr_t address);

}  // namespace isolume::gpu::emulator

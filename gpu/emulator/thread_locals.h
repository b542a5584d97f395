#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace isolume::gpu::emulator {

/// Shared and constant memory are thread_local variables of the program and of the libraries it has loaded.
/// Each of these has one block of them for each thread.

/// A variable, for every thread.
struct ThreadLocalPlace {
  std::size_t module = 0;
  std::size_t offset = 0;
};
/// Of a variable by its address in the calling thread; nothing for other addresses.
std::optional<ThreadLocalPlace> find_thread_local(const void* address);
/// The calling thread's own.
void* thread_local_address(ThreadLocalPlace place);

/// Another number when a library has been loaded or unloaded since.
std::uint64_t loaded_modules();

/// A module's block of the calling thread.
struct ThreadLocalBlock {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::size_t initialised_bytes = 0;  ///< variables with initial values come first
};
std::vector<ThreadLocalBlock> thread_local_blocks();

/// A variable of the calling thread, from the symbol tables of the program and its libraries; none of files
/// that were stripped. In the order of their addresses.
struct ThreadLocalVariable {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
};
std::vector<ThreadLocalVariable> thread_local_variables();

/// A piece of the program or of a library in memory.
struct Segment {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
};
/// The one that holds the address; empty where none does.
Segment segment_of(std::uintptr_t address);

}  // namespace isolume::gpu::emulator

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

/// Replaces CUDA's run-time compiler: kernels are compiled by the host's compiler, the one of the program
/// itself, into a library that the program loads. The library uses the emulator in the program, which must be
/// linked with its symbols exported (CMake: ENABLE_EXPORTS).
namespace isolume::gpu::emulator {

/// "g++ 12.2.0": the dependency of a compiled library besides its source.
std::string compiler_identity();
/// CUDA C++ without any #include -> a shared library at `library`. Kernels are `extern "C" __global__ void
/// name(...)`, constant memory `extern "C" { __constant__ T name[n]; }`. Returns the compiler's messages;
/// throws Error with them if the source is wrong, and if there is no compiler.
std::string compile(const std::string& source, const std::filesystem::path& library);

/// A symbol of a library made by `compile`.
struct Symbol {
  void* address =
      nullptr;  ///< of a kernel; for constant memory that of the calling thread, as copy_to_symbol expects it
  std::size_t bytes = 0;
};
/// Loads the library if necessary; it stays until the program ends. Throws Error if the library cannot be
/// loaded or has no such symbol.
Symbol load(const std::filesystem::path& library, const std::string& name);

}  // namespace isolume::gpu::emulator

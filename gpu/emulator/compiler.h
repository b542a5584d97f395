#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

/// Stands in for CUDA's run-time compiler: kernels are compiled by the host's compiler, the one that the
/// program was compiled with, into a library that the program loads. The library takes the emulator from the
/// program, which must be linked with its symbols exported (CMake: ENABLE_EXPORTS).
namespace isolume::gpu::emulator {

/// "g++ 12.2.0": what a compiled library depends on besides its source.
std::string compiler_identity();
/// CUDA C++ without any #include -> a shared library at `library`. Kernels are `extern "C" __global__ void
/// name(...)`, constant memory `extern "C" { __constant__ T name[n]; }`. Returns the compiler's remarks;
/// throws Error with its words when the source is wrong, and where there is no compiler.
std::string compile(const std::string& source, const std::filesystem::path& library);

/// Something of a library made by `compile`.
struct Symbol {
  void* address =
      nullptr;  ///< a kernel's; the calling thread's own of constant memory, as copy_to_symbol takes it
  std::size_t bytes = 0;
};
/// Loads the library if that has not been done; it stays until the program ends. Throws Error where the
/// library cannot be loaded or has no such symbol.
Symbol load(const std::filesystem::path& library, const std::string& name);

}  // namespace isolume::gpu::emulator

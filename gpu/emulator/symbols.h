#pragma once

#include <string>

namespace isolume::gpu::emulator {

/// The name of the function at an address, from the symbol table of its program or library (including
/// functions that are not exported); the address itself if there is none.
std::string function_name(const void* address);

/// How a kernel was compiled.
struct KernelCode {
  int launch_bound = 0;          ///< the most threads of a block (__launch_bounds__); 0: no bound
  bool flushes_to_zero = false;  ///< -ftz=true
};
KernelCode kernel_code(const void* kernel);

}  // namespace isolume::gpu::emulator

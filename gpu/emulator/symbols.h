#pragma once

#include <string>

namespace isolume::gpu::emulator {

/// The name of the function at an address, from the symbol table of its program or library (including
/// functions that are not exported); the address itself if there is none.
std::string function_name(const void* address);

/// The maximum number of threads in a block for which a kernel was compiled (__launch_bounds__); 0 without a
/// bound.
int launch_bound(const void* kernel);

}  // namespace isolume::gpu::emulator

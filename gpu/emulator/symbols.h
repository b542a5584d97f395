#pragma once

#include <string>

namespace isolume::gpu::emulator {

/// The name of the function that holds an address, from the symbol table of the program or library it lies in
/// (also functions that are not exported); the address itself where there is none.
std::string function_name(const void* address);

/// The most threads of a block that a kernel was compiled for (__launch_bounds__); 0 where it says nothing.
int launch_bound(const void* kernel);

}  // namespace isolume::gpu::emulator

#pragma once

#include "gpu/runtime/compiler/runtime_compiler.h"

/// The interface of runtime_compiler.cpp to a compiler, implemented by each backend: nvrtc.cpp, and
/// host_compiler.cpp in the emulated one.
namespace isolume::gpu::compiler_backend {

/// Everything but the source and the target on which an image depends: "NVRTC 13.0, driver 13.0". Throws
/// Error if there is no compiler.
std::string identity();
/// The compiler's file. Throws Error if there is none.
std::string file();
/// Throws Error with the compiler's messages.
CompiledImage compile(const KernelSource& source, const CompileTarget& target);

}  // namespace isolume::gpu::compiler_backend

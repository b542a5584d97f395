#pragma once

#include "gpu/runtime/runtime_compiler.h"

/// What runtime_compiler.cpp needs of a compiler, and each backend has its own of: nvrtc.cpp, and
/// host_compiler.cpp in the emulated one.
namespace isolume::gpu::compiler_backend {

/// Everything but the source and the target that an image depends on: "NVRTC 13.0, driver 13.0". Throws Error
/// where there is no compiler.
std::string identity();
/// Throws Error with the compiler's words.
CompiledImage compile(const KernelSource& source, const CompileTarget& target);

}  // namespace isolume::gpu::compiler_backend

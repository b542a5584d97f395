#pragma once

#include "core/base/error.h"
#include "gpu/runtime/compiler/runtime_compiler.h"
#include "gpu/runtime/cuda_library.h"

namespace isolume::gpu::testing {

/// The newest generation that the toolkit at hand compiles for.
inline constexpr CompileTarget newest = CUDART_VERSION >= 12080 ? CompileTarget{12, 0} : CompileTarget{9, 0};

inline bool nvrtc_is_here() {
  try {
    const CudaLibrary library("nvrtc", {13, 12});
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace isolume::gpu::testing

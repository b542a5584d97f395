#pragma once

#include <string>

#include "core/base/error.h"
#include "gpu/runtime/compiler/runtime_compiler.h"

namespace isolume::gpu {

/// Why kernels cannot be compiled while a test runs, in a sentence; empty where they can.
inline std::string why_no_compiler() {
  try {
    compile({"nothing.cu", "extern \"C\" __global__ void nothing() {}"}, {9, 0},
            KernelCache(std::filesystem::path()));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace isolume::gpu

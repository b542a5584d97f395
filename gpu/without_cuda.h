#pragma once

#include "core/base/error.h"

namespace isolume::gpu {

inline constexpr const char* without_cuda = "Isolume was built without CUDA engines.";

[[noreturn]] inline void refuse_without_cuda() {
  throw Error(without_cuda);
}

}  // namespace isolume::gpu

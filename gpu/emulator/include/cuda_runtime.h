#pragma once

/// Stands in for CUDA's header of this name in the emulated backend.

#if __has_include(<Eigen/Core>)  // kernels compiled at run time do without
#include <Eigen/Core>            // calls functions of which device_code.h makes macros
#endif

#include "cuda_runtime_api.h"

#include "gpu/emulator/device_code.h"
#include "gpu/emulator/launch_kernel.h"

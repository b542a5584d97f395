#pragma once

/// Stands in for CUDA's header of this name in the emulated backend.

#include "cuda_runtime_api.h"

#include "gpu/emulator/device_code.h"
#include "gpu/emulator/launch_kernel.h"

#pragma once

#include <memory>

#include "core/anatomy/fluid_engine.h"
#include "core/dispatch/dispatch.h"

namespace isolume::gpu {

/// The engines of fluid registration, best first: that of the pool's GPUs if one is in use, and the CPU's.
anatomy::FluidEngines make_fluid_engines(const std::shared_ptr<dispatch::DevicePool>& pool);

}  // namespace isolume::gpu

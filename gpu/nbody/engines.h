#pragma once

#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/nbody/engines/engine.h"

namespace isolume::gpu {

/// The engines of forces between bodies: that of the pool's GPUs if one is in use, then the CPU's.
nbody::EngineRegistry make_nbody_engines(const std::shared_ptr<dispatch::DevicePool>& pool);

}  // namespace isolume::gpu

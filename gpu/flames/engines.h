#pragma once

#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/dispatch/engine_registry.h"
#include "core/flames/engine.h"

namespace isolume::gpu {

/// The engines of the chaos game, best first: that of the pool's GPUs if one is in use, and the CPU's.
dispatch::EngineRegistry<flames::Engine> make_flame_engines(
    const std::shared_ptr<dispatch::DevicePool>& pool);

}  // namespace isolume::gpu

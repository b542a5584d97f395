#pragma once

#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/orbitals/engine_registry.h"

namespace isolume::gpu {

/// The engines of orbitals: that of the pool's GPUs if one is in use, then the CPU's.
orbitals::EngineRegistry make_orbital_engines(const std::shared_ptr<dispatch::DevicePool>& pool);

}  // namespace isolume::gpu

#pragma once

#include "core/orbitals/engine_registry.h"

namespace isolume::gpu {

/// Adds the engines of this machine's GPUs, fastest first. Adds nothing where there is no usable GPU. Call
/// once at start, before the CPU engine is added.
void register_engines(orbitals::EngineRegistry& registry);

/// What a program starts with: the engines of its GPUs, then the CPU's.
orbitals::EngineRegistry make_engines();

}  // namespace isolume::gpu

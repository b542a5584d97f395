#pragma once

#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/dispatch/engine_registry.h"
#include "core/livewire/engine.h"

namespace isolume::gpu {

/// The engines of shortest paths: the CPU's lazy one first, which suits the pointer ("auto"), then its
/// parallel one and, if one is in use, that of the pool's GPUs.
dispatch::EngineRegistry<livewire::Engine> make_livewire_engines(
    const std::shared_ptr<dispatch::DevicePool>& pool);

}  // namespace isolume::gpu

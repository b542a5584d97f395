#pragma once

#include "core/dispatch/engine_registry.h"
#include "core/orbitals/engine.h"

namespace isolume::orbitals {

using EngineRegistry = dispatch::EngineRegistry<Engine>;

}  // namespace isolume::orbitals

#pragma once

#include <string>

#include "core/dispatch/engine_registry.h"
#include "core/orbitals/engine.h"

namespace isolume::orbitals {

using EngineRegistry = dispatch::EngineRegistry<Engine>;

/// Who has computed and how, for people: "CPU, AVX-512, 2 threads"; "2 x NVIDIA H100, separable kernel".
std::string who_computed(const Engine& engine, const EngineOptions& options, const dispatch::Report& report);

}  // namespace isolume::orbitals

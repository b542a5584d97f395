#pragma once

#include <cstdint>
#include <span>

#include "core/nbody/solver.h"

namespace isolume::nbody {

/// Adds what every body exerts on those that are active (numbers, rising); without any, on all. On the threads of
/// the arena that it is called in.
void add_direct_forces(const Bodies& bodies, std::span<const std::uint32_t> active,
                       const ForceOptions& options, Forces& forces, const jobs::Progress& progress);

}  // namespace isolume::nbody

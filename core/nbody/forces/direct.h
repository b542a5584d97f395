#pragma once

#include <cstdint>
#include <span>

#include "core/nbody/forces/solver.h"

namespace isolume::nbody {

/// Adds the forces of every body on those that are active (indices, ascending); on all bodies if `active` is empty.
/// Runs on the threads of the calling arena.
void add_direct_forces(const Bodies& bodies, std::span<const std::uint32_t> active,
                       const ForceOptions& options, Forces& forces, const jobs::Progress& progress);

}  // namespace isolume::nbody

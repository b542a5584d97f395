#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/nbody/solver.h"

namespace isolume::nbody {

/// Adds forces to sums of 0; at least one body; bodies and options make sense.
using AddForces = std::function<void(const Bodies& bodies, const ForceOptions& options, Forces& forces,
                                     const jobs::Progress& progress)>;

/// The same on some bodies, of which there is at least one.
using AddActiveForces =
    std::function<void(const Bodies& bodies, std::span<const std::uint32_t> active,
                       const ForceOptions& options, Forces& forces, const jobs::Progress& progress)>;

/// The same at places, which there are.
using AddForcesAt =
    std::function<void(const Places& places, const Bodies& bodies, const ForceOptions& options,
                       Forces& forces, const jobs::Progress& progress)>;

/// Checks what it is given, and adds on so many of the processor's threads as are asked for. `title` is for
/// people. Where `bytes_a_body` of each body (or place) are not to be had, it throws ResourceError before it begins; 0: it
/// is found out while adding. Without `add_active` forces are always computed on all bodies; without `add_at` places are bodies without
/// mass.
std::unique_ptr<Solver> make_processor_solver(std::string name, std::string title, std::size_t bytes_a_body,
                                              AddForces add, AddActiveForces add_active = {},
                                              AddForcesAt add_at = {});

}  // namespace isolume::nbody

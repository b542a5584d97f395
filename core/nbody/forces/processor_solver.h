#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/nbody/forces/solver.h"

namespace isolume::nbody {

/// Adds forces to sums initialised to 0; at least one body; bodies and options are valid.
using AddForces = std::function<void(const Bodies& bodies, const ForceOptions& options, Forces& forces,
                                     const jobs::Progress& progress)>;

/// The same for some bodies, at least one.
using AddActiveForces =
    std::function<void(const Bodies& bodies, std::span<const std::uint32_t> active,
                       const ForceOptions& options, Forces& forces, const jobs::Progress& progress)>;

/// The same at positions, at least one.
using AddForcesAt =
    std::function<void(const Places& places, const Bodies& bodies, const ForceOptions& options,
                       Forces& forces, const jobs::Progress& progress)>;

/// Checks its input, and computes on the requested number of threads. `title` is for display. Throws ResourceError in
/// advance if `bytes_a_body` per body (or position) are not available; 0: not checked in advance. Without
/// `add_active`, forces are always computed on all bodies; without `add_at`, positions are treated as massless
/// bodies.
std::unique_ptr<Solver> make_processor_solver(std::string name, std::string title, std::size_t bytes_a_body,
                                              AddForces add, AddActiveForces add_active = {},
                                              AddForcesAt add_at = {});

}  // namespace isolume::nbody

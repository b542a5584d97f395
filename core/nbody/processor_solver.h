#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/nbody/solver.h"

namespace isolume::nbody {

/// Adds forces to sums of 0; at least one body; bodies and options make sense.
using AddForces = std::function<void(const Bodies& bodies, const ForceOptions& options, Forces& forces,
                                     const jobs::Progress& progress)>;

/// Checks what it is given, and adds on so many of the processor's threads as are asked for. `title` is for
/// people.
std::unique_ptr<Solver> make_processor_solver(std::string name, std::string title, AddForces add);

}  // namespace isolume::nbody

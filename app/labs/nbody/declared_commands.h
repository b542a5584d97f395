#pragma once

#include <vector>

#include "core/commands/declaration.h"

namespace isolume::labs::nbody {

/// nbody.*: what a person can do in the lab's window.
std::vector<commands::Declaration> declared_commands();

}  // namespace isolume::labs::nbody

#pragma once

#include <vector>

#include "core/commands/declaration.h"

namespace isolume::labs::electrostatics {

/// None yet: the lab has no window.
std::vector<commands::Declaration> declared_commands();

}  // namespace isolume::labs::electrostatics

#pragma once

#include <vector>

#include "core/commands/declaration.h"

namespace isolume::labs::flames {

/// flames.*: everything that a person can do in the lab.
std::vector<commands::Declaration> declared_commands();

}  // namespace isolume::labs::flames

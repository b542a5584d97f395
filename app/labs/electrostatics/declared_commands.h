#pragma once

#include <vector>

#include "core/base/file_format.h"
#include "core/commands/declaration.h"

namespace isolume::labs::electrostatics {

/// None yet: the lab has no window.
std::vector<commands::Declaration> declared_commands();
/// What the lab opens.
std::vector<FileFormats> file_formats();

}  // namespace isolume::labs::electrostatics

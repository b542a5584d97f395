#pragma once

#include <vector>

#include "core/base/file_format.h"
#include "core/commands/declaration.h"

namespace isolume::labs::orbitals {

/// orbitals.*: everything that a person can do in the lab.
std::vector<commands::Declaration> declared_commands();
/// What the lab opens.
std::vector<FileFormats> file_formats();

}  // namespace isolume::labs::orbitals

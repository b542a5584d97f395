#pragma once

#include <string>
#include <vector>

#include "core/base/file_format.h"
#include "core/commands/declaration.h"

namespace isolume::labs::nbody {

/// nbody.*: what a person can do in the lab's window.
std::vector<commands::Declaration> declared_commands();
/// What the lab opens.
std::vector<FileFormats> file_formats();

/// What the Diagnostics panel plots, in its order; the last three are several curves together.
const std::vector<std::string>& plot_names();

}  // namespace isolume::labs::nbody

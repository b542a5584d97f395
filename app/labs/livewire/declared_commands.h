#pragma once

#include <vector>

#include "core/base/file_format.h"
#include "core/commands/declaration.h"

namespace isolume::labs::livewire {

/// livewire.*: everything that a person can do in the lab. Slices, seeds and contours are counted from 1,
/// places are in pixels of the slice (the first one's centre is 0 0).
std::vector<commands::Declaration> declared_commands();
/// What the lab opens.
std::vector<FileFormats> file_formats();

}  // namespace isolume::labs::livewire

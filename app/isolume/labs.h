#pragma once

#include <vector>

#include "app/workbench/lab.h"

namespace isolume::workbench {

/// The labs of this program in their order, the first of which is shown at start; written by isolume_link_labs in CMake.
std::vector<LabEntry> labs();
/// False in isolume-first.
bool has_all_labs();

}  // namespace isolume::workbench

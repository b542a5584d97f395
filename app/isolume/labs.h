#pragma once

#include <vector>

#include "app/workbench/contract/lab.h"

namespace isolume::workbench {

/// The labs of this program in order; the first one is shown at start. isolume_link_labs in CMake writes the
/// definition.
std::vector<LabEntry> labs();
/// False in isolume-first.
bool has_all_labs();

}  // namespace isolume::workbench

#pragma once

#include <vector>

#include "app/workbench/lab.h"

namespace isolume::workbench {

/// Every lab of the program; the first one is shown at start.
std::vector<LabEntry> labs();

}  // namespace isolume::workbench

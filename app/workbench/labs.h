#pragma once

#include <string>
#include <vector>

#include "app/workbench/main_window.h"

namespace isolume::workbench {

struct LabEntry {
  std::string name;
  MakeLab make;
};

/// Every lab of the program; the first one is shown at start.
const std::vector<LabEntry>& labs();

}  // namespace isolume::workbench

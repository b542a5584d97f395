#include "app/workbench/labs.h"

#include "app/labs/orbitals/orbitals_lab.h"

namespace isolume::workbench {

const std::vector<LabEntry>& labs() {
  static const std::vector<LabEntry> all{
      {"orbitals", isolume::labs::orbitals::make_lab},  // one line for each lab
  };
  return all;
}

}  // namespace isolume::workbench

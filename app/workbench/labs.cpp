#include "app/workbench/labs.h"

#include "app/labs/orbitals/orbitals_lab.h"

namespace isolume::workbench {

std::vector<LabEntry> labs() {
  return {labs::orbitals::lab_entry()};  // one for each lab
}

}  // namespace isolume::workbench

#include "app/isolume/labs.h"

#include "app/labs/livewire/livewire_lab.h"
#include "app/labs/orbitals/orbitals_lab.h"

namespace isolume::workbench {

std::vector<LabEntry> labs() {
  return {labs::orbitals::lab_entry(), labs::livewire::lab_entry()};
}

}  // namespace isolume::workbench

#include "app/labs/orbitals/panel_parameters.h"

#include <algorithm>

namespace isolume::labs::orbitals {

std::vector<std::string> panel_groups() {
  return {"Field", "Superposition", "Surface", "Volume", "Slice", "Molecule", "View", "Grid", "Computation"};
}

void narrow_to(const molecules::Wavefunction& wavefunction, const isolume::orbitals::EngineRegistry& engines,
               parameters::Description& description) {
  if (description.key == "set") {
    description.high = static_cast<double>(wavefunction.sets.size());
  } else if (description.key == "spin") {
    const bool any_beta = std::any_of(wavefunction.sets.begin(), wavefunction.sets.end(),
                                      [](const auto& set) { return set.unrestricted(); });
    if (!any_beta) description.choices.resize(1);
  } else {
    engines.narrow(description);
  }
}

}  // namespace isolume::labs::orbitals

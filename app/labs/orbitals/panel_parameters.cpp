#include "app/labs/orbitals/panel_parameters.h"

#include <algorithm>

namespace isolume::labs::orbitals {

std::vector<std::string> panel_groups() {
  return {"Field", "Superposition", "Surface", "Slice", "Molecule", "View", "Lattice", "Computation"};
}

void narrow_to(const molecules::Wavefunction& wavefunction, const isolume::orbitals::EngineRegistry& engines,
               parameters::Description& description) {
  if (description.key == "set") {
    description.high = static_cast<double>(wavefunction.sets.size());
  } else if (description.key == "spin") {
    const bool any_beta = std::any_of(wavefunction.sets.begin(), wavefunction.sets.end(),
                                      [](const auto& set) { return set.unrestricted(); });
    if (!any_beta) description.choices.resize(1);
  } else if (description.key == "engine") {
    description.kind = parameters::Kind::choice;
    description.choices = {{"auto", "Best"}};
    for (const auto& engine : engines.engines()) {
      description.choices.push_back({std::string(engine->name()), std::string(engine->description())});
    }
  } else if (description.relevant_when.key == "engine") {
    // What only other engines have is left out where there are none.
    const auto missing = [&](const std::string& name) {
      if (name == "auto") return engines.find("auto").kernels().empty();
      return std::ranges::none_of(engines.engines(),
                                  [&](const auto& engine) { return engine->name() == name; });
    };
    std::erase_if(description.relevant_when.values, missing);
  }
}

}  // namespace isolume::labs::orbitals

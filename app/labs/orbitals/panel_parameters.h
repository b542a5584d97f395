#pragma once

#include <string>
#include <vector>

#include "core/molecules/document.h"
#include "core/orbitals/engine_registry.h"
#include "core/parameters/schema.h"

namespace isolume::labs::orbitals {

/// The groups of the panel, from what is changed all the time to what is changed hardly ever.
std::vector<std::string> panel_groups();

/// Orbital sets and spins to those of the wavefunction, engines to those of this program.
void narrow_to(const molecules::Wavefunction& wavefunction, const isolume::orbitals::EngineRegistry& engines,
               parameters::Description& description);

}  // namespace isolume::labs::orbitals

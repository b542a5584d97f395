#pragma once

#include <string>

#include "core/molecules/molecule.h"
#include "core/structures/charges.h"

namespace isolume::structures {

/// The atoms as other parts of the program see a molecule. Elements are those of the atoms' names; where a name says
/// none, carbon's.
molecules::Molecule molecule_of(const Charges& charges, const std::string& title);

}  // namespace isolume::structures

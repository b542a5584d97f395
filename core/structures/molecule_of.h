#pragma once

#include <string>

#include "core/molecules/molecule.h"
#include "core/structures/charges.h"

namespace isolume::structures {

/// Atomic number from the file, or from an atom name such as "CA", "1HB2" or "FE": two-letter elements only if the
/// name is not that of an organic atom, or the residue has the same name, as ions do. 0 if the name is not that of an
/// element.
int element_of(const AtomLabel& label);

/// Converts the atoms to a molecule. Elements are those of the atoms' names; atoms with unknown elements become
/// carbon.
molecules::Molecule molecule_of(const Charges& charges, const std::string& title);

}  // namespace isolume::structures

#pragma once

#include <string>

#include "core/molecules/molecule.h"
#include "core/structures/charges.h"

namespace isolume::structures {

/// What the file says, or the name of an atom, such as "CA", "1HB2" or "FE": two letters only where no organic atom is called
/// so, or the residue is, too, as ions are. 0 where a name says none.
int element_of(const AtomLabel& label);

/// The atoms as other parts of the program see a molecule. Elements are those of the atoms' names; where a name says
/// none, carbon's.
molecules::Molecule molecule_of(const Charges& charges, const std::string& title);

}  // namespace isolume::structures

#pragma once

#include "core/lattice/lattice.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// Around all atoms, in angstrom. Throws Error for a spacing that is not positive.
lattice::Lattice lattice_around(const structures::Charges& charges, double spacing_angstrom,
                                double margin_angstrom);

}  // namespace isolume::electrostatics

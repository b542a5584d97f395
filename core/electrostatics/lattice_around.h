#pragma once

#include "core/lattice/lattice.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// A lattice around a box in angstrom, such as that of all atoms. Throws Error for a spacing that is not positive.
lattice::Lattice lattice_around(const structures::Box& box, double spacing_angstrom, double margin_angstrom);
inline lattice::Lattice lattice_around(const structures::Charges& charges, double spacing_angstrom,
                                       double margin_angstrom) {
  return lattice_around(structures::box_of(charges), spacing_angstrom, margin_angstrom);
}

}  // namespace isolume::electrostatics

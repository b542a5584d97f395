#pragma once

#include "core/molecules/readers.h"

namespace isolume::molecules {

/// Some files list the charges of bare nuclei but only the electrons outside of effective cores (Q-Chem's FCHK,
/// CP2K's Molden files). If basis set and number of electrons indicate such cores, the charges are reduced to those
/// seen by the electrons. Needs a wavefunction with occupations.
void subtract_effective_cores(FileContents& contents);

}  // namespace isolume::molecules

#pragma once

#include "core/molecules/readers.h"

namespace isolume::molecules {

/// Some files list the charges of bare nuclei and only the electrons outside of effective cores (Q-Chem's FCHK, CP2K's
/// Molden files). Where basis set and count of electrons show such cores, the charges become what the electrons see.
/// Needs a wavefunction with occupations.
void subtract_effective_cores(FileContents& contents);

}  // namespace isolume::molecules

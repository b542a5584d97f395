#pragma once

#include <string_view>

#include "core/jobs/progress.h"
#include "core/molecules/angular_order.h"
#include "core/molecules/document.h"

namespace isolume::molecules {

/// What the check must know about how the file was read.
struct AsRead {
  const AngularOrder* order = &isolume_order;  ///< the order the reader took the file to have
  std::string_view program;                    ///< the program's name where the file gives it; tried first
  double rounding = 0;                         ///< half a unit of the last printed digit of the coefficients
};

/// Checks C^T S C = 1 and, where it fails, tries the known mistakes of programs that write such files. The
/// first that restores orthonormality of the first set to 1e-4 is applied to `wavefunction`; where none does,
/// the one that leaves the fewest orbitals spoilt, if those are at most one in ten. The other sets are
/// checked with what it leaves, and make the verdict "unproven" when one of them fails. Throws Cancelled.
OrthonormalityCheck prove(Wavefunction& wavefunction, const AsRead& as_read,
                          ElectronCount& electrons_from_overlap, const jobs::Progress& progress);

}  // namespace isolume::molecules

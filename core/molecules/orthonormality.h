#pragma once

#include <string_view>
#include <vector>

#include "core/base/remarks.h"
#include "core/jobs/progress.h"
#include "core/molecules/angular_order.h"
#include "core/molecules/document.h"
#include "core/molecules/printed_digits.h"
#include "core/molecules/spin_assignment.h"

namespace isolume::molecules {

/// Precision with which a wavefunction is printed.
struct Rounding {
  double orbitals = 0;  ///< half a unit of the last printed digit of the orbital coefficients
  PrintedDigits exponents;
  PrintedDigits contractions;  ///< contraction coefficients
  double position_bohr = 0;    ///< half a unit of the last printed digit of the coordinates
};

/// Information about how the file was read.
struct AsRead {
  const AngularOrder* order = &isolume_order;  ///< the order the reader took the file to have
  std::string_view program;                    ///< the program's name where the file gives it; tried first
  Rounding rounding;
  StatedSpins spins;
};

struct Proof {
  OrthonormalityCheck check;
  std::vector<double> norms;  ///< of the first set's orbitals
  Remarks remarks;            ///< on spins and occupations
};

/// Checks C^T S C = 1 and, if it fails, tries the known dialects of programs that write such files. The first that
/// restores orthonormality of the first set to 1e-4 is applied to `wavefunction`; if none does, the nearest one (the
/// format itself is one of them) if the printed digits explain the remaining deviation, or else the one that leaves
/// the fewest bad orbitals, if those are at most one in ten, or else the nearest one if it leaves 1e-4 in occupied
/// orbitals and 1e-2 in the others. Spins that the file does not state are derived from the overlaps, and missing
/// occupations of further sets from the density of the first one. The other sets are checked with the corrected
/// basis, and make the verdict "unproven" if one of them fails. Throws Cancelled.
Proof prove(Wavefunction& wavefunction, const AsRead& as_read, const jobs::Progress& progress);

/// Electrons counted with S: the sum of occupations times norms.
ElectronCount electrons_from_norms(const OrbitalSet& set, const std::vector<double>& norms);

}  // namespace isolume::molecules

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/jobs/progress.h"
#include "core/structures/site.h"

namespace isolume::structures {

/// pKa values of side chains that a program computed from the structure.
struct ComputedPka {
  std::string program;  ///< "PROPKA 3.5.0"
  std::vector<std::optional<double>>
      values;  ///< of each site; none for those without a titratable side chain
};

/// pKa values of ASP, GLU, HIS, CYS and LYS by PROPKA 3 (Olsson et al., J. Chem. Theory Comput. 7, 525 (2011);
/// Sondergaard et al., J. Chem. Theory Comput. 7, 2284 (2011)), which runs as the program propka3 on the heavy atoms.
/// The result for the last structure is kept, since it does not depend on the pH.
///
/// Throws Error where the program is missing or fails, or the structure has too many residues for its input;
/// Cancelled.
ComputedPka computed_pka(const std::vector<Site>& sites, const jobs::Progress& progress);

}  // namespace isolume::structures

#pragma once

#include <span>
#include <vector>

#include "core/jobs/progress.h"
#include "core/structures/charges.h"
#include "core/structures/prepare.h"

namespace isolume::structures {

/// Atoms of a residue without parameters, one behind the other.
struct UnknownResidue {
  const Residue* source = nullptr;
  std::size_t first = 0, count = 0;  ///< of the charges
};

/// Gives residues that `equalised_charges` can take charges, those that are bonded to each other together. Single atoms stay
/// as they are. Throws what that throws; Error for a name in options.equalised_totals that none of them has.
std::vector<Equalised> equalise_unknown(Charges& charges, std::span<const UnknownResidue> unknown,
                                        const PrepareOptions& options, const jobs::Progress& progress = {});

}  // namespace isolume::structures

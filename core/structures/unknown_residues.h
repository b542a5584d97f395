#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/jobs/progress.h"
#include "core/structures/charges.h"
#include "core/structures/prepare.h"

namespace isolume::structures {

/// Consecutive atoms of a residue without parameters.
struct UnknownResidue {
  const Residue* source = nullptr;
  std::size_t first = 0, count = 0;  ///< range of the charges
  std::string name = {};             ///< its component: OH for water that has lost a proton
};

/// Equalises the charges of residues where `equalised_charges` has parameters, bonded ones together. Single atoms are
/// left unchanged. Throws what that throws; Error for a name in options.equalised_totals that none of them has.
std::vector<Equalised> equalise_unknown(Charges& charges, std::span<const UnknownResidue> unknown,
                                        const PrepareOptions& options, const jobs::Progress& progress = {});

}  // namespace isolume::structures

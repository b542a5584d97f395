#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/structures/prepare.h"
#include "core/structures/site.h"

namespace isolume::structures {

/// Adds terminal variants that a table lacks (NCYM, CASH, NSEP): those of the usual state, with the same changes as
/// between the states in the middle of a chain. Returns their names.
std::set<std::string> add_missing_ends(ParameterTable& table);

/// Why a nucleotide with a phosphate at the 5' end has a charge that is not whole.
inline constexpr std::string_view begins_with_phosphate =
    "the chain begins with a phosphate, as in its middle: its charge is not whole";

/// Bonds residues to the previous ones, first in each part of the structure, then across parts, and assigns terminal
/// variants to the first and last residues of a chain (`prefix`, `suffix`). Bonds are detected by distance, so that
/// cyclic chains close whatever else is in the part. A chain also ends where atoms indicate it (OXT, three hydrogens at
/// N), or the residue's name (NALA, DA5). `added`: result of add_missing_ends. Returns the decisions.
std::vector<Decision> find_chain_ends(std::vector<Site>& sites, const ParameterTable& table,
                                      const std::set<std::string>& added);

}  // namespace isolume::structures

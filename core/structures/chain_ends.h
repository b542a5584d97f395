#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/structures/prepare.h"
#include "core/structures/site.h"
#include "core/structures/surroundings.h"

namespace isolume::structures {

/// Adds terminal variants that a table lacks (NCYM, CASH, NSEP): those of the usual state, with the same changes as
/// between the states in the middle of a chain. Returns their names.
std::set<std::string> add_missing_ends(ParameterTable& table);

/// Bonds residues to the previous ones, first in each part of the structure, then across parts, and assigns terminal
/// variants to the first and last residues of a chain (`prefix`, `suffix`). Bonds are detected by distance, so that
/// cyclic chains close whatever else is in the part. A chain also ends where atoms indicate it (OXT, three hydrogens at
/// N), or the residue's name (NALA, DA5). Ends bonded to something else, such as N to a fatty acid, are as in the middle. `added`: result of add_missing_ends. Returns the decisions.
std::vector<Decision> find_chain_ends(std::vector<Site>& sites, const ParameterTable& table,
                                      const std::set<std::string>& added, const Surroundings& surroundings);

}  // namespace isolume::structures

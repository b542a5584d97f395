#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/structures/prepare.h"
#include "core/structures/site.h"

namespace isolume::structures {

/// Adds states that a table lacks at the ends of chains (NCYM, CASH, NSEP): the usual state there, changed as in the middle of
/// a chain. Returns their names.
std::set<std::string> add_missing_ends(ParameterTable& table);

/// Bonds residues of each part of the structure to those before them, and gives the first and last of a chain the states of
/// its ends (`prefix`, `suffix`). Bonds are told by distance, so that rings close whatever else is in the part. A chain also
/// ends where atoms say so (OXT, three hydrogens at N), or the residue's name (NALA, DA5). `added`: what
/// add_missing_ends gave the table. Returns what was decided.
std::vector<Decision> find_chain_ends(std::vector<Site>& sites, const ParameterTable& table,
                                      const std::set<std::string>& added);

}  // namespace isolume::structures

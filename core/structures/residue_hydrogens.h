#pragma once

#include <string>
#include <vector>

#include "core/structures/residue_tables.h"
#include "core/structures/site.h"
#include "core/structures/surroundings.h"

namespace isolume::structures {

/// Distance in angstrom below which water is bound to a metal.
inline constexpr double metal_water_reach = 2.6;

struct HydrogenCounts {
  int kept = 0, added = 0;
  int replaced = 0;  ///< where only some of an atom's hydrogens were present
  std::vector<std::string> dropped =
      {};  ///< hydrogens that do not exist in the residue's state: "HG of CYS A 3"
  /// Hydrogens placed on N, O and S of residues that have others in the file.
  std::vector<std::string> completed = {};
};

/// Gives a residue the hydrogens of its parameters: those of the file are kept where an atom has all of its own,
/// others are placed by `place_hydrogens`; hydrogens that do not exist in the residue's state are removed.
void place_missing_hydrogens(Site& site, const HydrogenTable& rules, const Surroundings& surroundings,
                             HydrogenCounts& counts);

}  // namespace isolume::structures

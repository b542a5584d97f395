#pragma once

#include <string>
#include <vector>

#include "core/structures/residue_tables.h"
#include "core/structures/site.h"
#include "core/structures/surroundings.h"

namespace isolume::structures {

/// Water nearer to a metal than this is bound to it, in angstrom.
inline constexpr double metal_water_reach = 2.6;

struct HydrogenCounts {
  int kept = 0, added = 0;
  int replaced = 0;                       ///< not all that their atom carries
  std::vector<std::string> dropped = {};  ///< that the residue does not have in its state: "HG of CYS A 3"
};

/// Gives a residue the hydrogens that its parameters have: those of the file stay where an atom has all of its own, others are
/// placed as `place_hydrogens` does; what the residue's state does not have goes.
void place_missing_hydrogens(Site& site, const HydrogenTable& rules, const Surroundings& surroundings,
                             HydrogenCounts& counts);

}  // namespace isolume::structures

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/structures/prepare.h"
#include "core/structures/surroundings.h"

namespace isolume::structures {

/// The pKa of an amino acid's side chain in water: of ASP, GLU, HIS, CYS and LYS; nothing for others.
std::optional<double> standard_pka(std::string_view residue);

/// The protonation states that a person can choose for a residue, by its own name or that of a state: HID, HIE and HIP for
/// HIS. None for residues that have one alone.
std::vector<std::string_view> states_of(std::string_view residue);

struct Protonated {
  std::vector<Decision> states;
  std::vector<Disulphide> disulphides;
  std::vector<std::string> titrated;  ///< whose state pH and standard pKa decided
};

/// Finds disulphides and the state of each amino acid, as `prepare` says, and puts it into Site::base. Throws Error for a state of
/// options.states that cannot be.
Protonated protonate(std::vector<Site>& sites, const Surroundings& surroundings,
                     const PrepareOptions& options);

}  // namespace isolume::structures

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/structures/computed_pka.h"
#include "core/structures/prepare.h"
#include "core/structures/surroundings.h"

namespace isolume::structures {

/// The pKa of an amino acid's side chain in water: for ASP, GLU, HIS, CYS and LYS; nothing for others.
std::optional<double> standard_pka(std::string_view residue);

/// The protonation states that users can choose for a residue, by its own name or that of a state: HID, HIE and HIP
/// for HIS. Empty for residues with only one.
std::vector<std::string_view> states_of(std::string_view residue);

struct Protonated {
  std::vector<Decision> states;
  std::vector<Disulphide> disulphides;
  std::vector<std::string> titrated;  ///< residues whose state was determined by pH and pKa
  /// Residues for which the program computed no pKa, so that the standard one was used.
  std::vector<std::string> without_computed_pka;
  std::vector<std::pair<std::string, double>> pka;  ///< residues with the computed values that were compared
};

/// Finds disulphides and the state of each amino acid by the rules of `prepare`, and stores it in Site::base. Throws
/// Error for an impossible state in options.states.
/// `computed`: pKa values of the sites; none for standard ones.
Protonated protonate(std::vector<Site>& sites, const Surroundings& surroundings,
                     const PrepareOptions& options, const std::optional<ComputedPka>& computed = {});

}  // namespace isolume::structures

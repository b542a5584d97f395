#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/structures/links.h"
#include "core/structures/residue_tables.h"
#include "core/structures/structure.h"

namespace isolume::structures {

/// A residue during preparation: its state, and its bonds to others.
struct Site {
  const Residue* source = nullptr;
  molecules::KnownResidue known = {};
  std::string base = {};               ///< name in the tables, without the terminal prefix or suffix: "HID"
  std::string prefix = {};             ///< N or C
  std::string suffix = {};             ///< 5, 3 or N
  bool begins_with_phosphate = false;  ///< at the 5' end of a chain
  const ResidueParameters* parameters = nullptr;
  bool is_given = false;
  const Site* before = nullptr;  ///< residue bonded to its N or P
  std::vector<StructureAtom> atoms = {};
  std::vector<LinkedAtom> links = {};
  LinkedParameters linked = {};  ///< including links; otherwise those of this residue alone

  const StructureAtom* find(std::string_view name) const {
    const auto found = std::ranges::find(atoms, name, &StructureAtom::name);
    return found == atoms.end() ? nullptr : &*found;
  }
};

inline bool is_hydrogen(const StructureAtom& atom) {
  return atom.atomic_number == 1;
}

/// wwPDB's form of hydrogen names before 2008 and of deuterium: "1HB" is HB1, "DD1" HD1, "2HH1" HH12.
std::string hydrogen_name(std::string_view name);

/// Indices in site.atoms of the hydrogens that an atom carries: by distance, since programs name them in many ways;
/// hydrogens that are near no atom are found by `names`.
std::vector<std::size_t> hydrogens_at(const Site& site, std::string_view carrier,
                                      const std::vector<std::string>& names);

/// Number of these hydrogens.
std::size_t protons(const Site& site, std::string_view carrier, const std::vector<std::string>& names);

}  // namespace isolume::structures

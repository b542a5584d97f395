#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/structures/charges.h"

namespace isolume::structures {

/// The residues of a molecule, in the order of the file.
struct Residues {
  struct Residue {
    std::string name;  ///< "LYS A 12"; repeated names are numbered, "LYS 12 (2)"
    std::vector<std::uint32_t> atoms;
    bool has_parameters = false;  ///< whether one of its atoms has a charge
  };
  std::vector<Residue> all;
  std::vector<std::uint32_t> of_atom;
};

/// Consecutive atoms with the same label except for the atom name form a residue, or several, as by
/// `molecules::residue_starts`. Atoms further on with the same label belong to the last of these unless they repeat one of
/// its names, as in files without chain names.
Residues residues_of(const Charges& charges);

}  // namespace isolume::structures

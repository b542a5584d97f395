#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/structures/charges.h"

namespace isolume::structures {

/// The residues of a molecule, in the order of the file.
struct Residues {
  struct Residue {
    std::string name;  ///< "LYS A 12"; of several that a file calls the same, "LYS 12 (2)"
    std::vector<std::uint32_t> atoms;
    bool has_parameters = false;  ///< an atom of it has a charge
  };
  std::vector<Residue> all;
  std::vector<std::uint32_t> of_atom;
};

/// Atoms of one residue are called the same but for their names; where one of these occurs again, another residue begins,
/// as in files without the names of chains.
Residues residues_of(const Charges& charges);

}  // namespace isolume::structures

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/labs/electrostatics/map_source.h"

namespace isolume::labs::electrostatics {

/// What an expression selects of a molecule.
struct SelectedAtoms {
  std::vector<bool> atoms;
  std::vector<bool> residues;  ///< those that have such an atom
  std::size_t atom_count = 0, residue_count = 0;
  double charge = 0;  ///< of these atoms, in e
};

/// By structures::select_atoms; null for an empty expression. Throws as it does.
std::shared_ptr<const SelectedAtoms> select_atoms(const ChargedMolecule& molecule,
                                                  const std::string& expression);

}  // namespace isolume::labs::electrostatics

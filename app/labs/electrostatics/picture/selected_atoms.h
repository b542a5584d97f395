#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include "app/labs/electrostatics/picture/map_source.h"

namespace isolume::labs::electrostatics {

/// What an expression selects of a molecule.
struct SelectedAtoms {
  std::vector<bool> atoms;
  std::vector<bool> residues;  ///< those that have such an atom
  std::size_t atom_count = 0, residue_count = 0;
  std::size_t first_residue = 0;       ///< where there is one
  double charge = 0;                   ///< of these atoms, in e
  vtkSmartPointer<vtkPolyData> halos;  ///< about them, as scene::halos_at
};

/// By structures::select_atoms; null for an empty expression, and for one that no atom matches. Throws as it does.
std::shared_ptr<const SelectedAtoms> select_atoms(const ChargedMolecule& molecule,
                                                  const std::string& expression,
                                                  const jobs::Progress& progress = {});

}  // namespace isolume::labs::electrostatics

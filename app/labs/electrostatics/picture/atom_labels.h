#pragma once

#include <string>
#include <vector>

#include "app/labs/electrostatics/picture/map_view.h"
#include "app/labs/electrostatics/picture/selected_atoms.h"
#include "app/scene/props/label_prop.h"

namespace isolume::labs::electrostatics {

struct AtomTexts {
  std::vector<scene::Label> labels;  ///< places in angstrom
  std::string refused;               ///< a sentence where they would be too many, and there is none
};

/// What is written at atoms, or at the middle of residues: of those that are selected, else of all. `only`: null where
/// nothing is selected.
AtomTexts atom_texts(const ChargedMolecule& molecule, AtomLabels what, const SelectedAtoms* only);

}  // namespace isolume::labs::electrostatics

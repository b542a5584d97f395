#include "app/labs/electrostatics/selected_atoms.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/structures/selection.h"

namespace isolume::labs::electrostatics {

std::shared_ptr<const SelectedAtoms> select_atoms(const ChargedMolecule& molecule,
                                                  const std::string& expression) {
  if (trimmed(expression).empty()) return nullptr;
  auto selected = std::make_shared<SelectedAtoms>();
  selected->atoms = structures::select_atoms(molecule.charges, expression);
  selected->residues.resize(molecule.residues.all.size());
  for (std::size_t i = 0; i < selected->atoms.size(); ++i) {
    if (!selected->atoms[i]) continue;
    ++selected->atom_count;
    selected->charge += molecule.charges.charge[i];
    selected->residues[molecule.residues.of_atom[i]] = true;
  }
  selected->residue_count = static_cast<std::size_t>(std::ranges::count(selected->residues, true));
  return selected;
}

}  // namespace isolume::labs::electrostatics

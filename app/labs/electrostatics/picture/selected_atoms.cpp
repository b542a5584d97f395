#include "app/labs/electrostatics/picture/selected_atoms.h"

#include <algorithm>

#include "app/scene/props/halos.h"
#include "core/base/text.h"
#include "core/structures/selection.h"

namespace isolume::labs::electrostatics {

std::shared_ptr<const SelectedAtoms> select_atoms(const ChargedMolecule& molecule,
                                                  const std::string& expression,
                                                  const jobs::Progress& progress) {
  if (trimmed(expression).empty()) return nullptr;
  auto selected = std::make_shared<SelectedAtoms>();
  selected->atoms = structures::select_atoms(molecule.charges, expression, progress);
  selected->residues.resize(molecule.residues.all.size());
  std::vector<Eigen::Vector3f> places;
  for (std::size_t i = 0; i < selected->atoms.size(); ++i) {
    if (!selected->atoms[i]) continue;
    ++selected->atom_count;
    selected->charge += molecule.charges.charge[i];
    selected->residues[molecule.residues.of_atom[i]] = true;
    places.emplace_back(molecule.charges.place(i).cast<float>());
  }
  if (selected->atom_count == 0) return nullptr;
  progress.check();
  selected->residue_count = static_cast<std::size_t>(std::ranges::count(selected->residues, true));
  selected->first_residue =
      static_cast<std::size_t>(std::ranges::find(selected->residues, true) - selected->residues.begin());
  selected->halos = scene::halos_at(places);
  return selected;
}

}  // namespace isolume::labs::electrostatics

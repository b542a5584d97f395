#include "app/labs/electrostatics/picture/atom_labels.h"

#include <fmt/format.h>

#include "app/labs/electrostatics/picture/picked_atom.h"
#include "core/base/language.h"
#include "core/base/shown_number.h"
#include "core/molecules/element.h"

namespace isolume::labs::electrostatics {
namespace {

std::string text_of(const ChargedMolecule& molecule, AtomLabels what, std::size_t atom) {
  const auto& charges = molecule.charges;
  switch (what) {
    case AtomLabels::name:
      if (atom < charges.labels.size() && !charges.labels[atom].atom.empty())
        return charges.labels[atom].atom;
      break;
    case AtomLabels::charge:
      return charge_text(charges.charge[atom]) + " e";
    case AtomLabels::radius:
      return shown_reading(charges.radius[atom]) + " Å";
    default:
      break;
  }
  const int number = molecule.molecule.atoms[atom].atomic_number;
  return fmt::format("{}{}", molecules::element(number).symbol, atom + 1);
}

std::vector<scene::Label> labels_of_residues(const ChargedMolecule& molecule, const SelectedAtoms* only) {
  std::vector<scene::Label> labels;
  for (std::size_t i = 0; i < molecule.residues.all.size(); ++i) {
    if (only != nullptr && !only->residues[i]) continue;
    const auto& residue = molecule.residues.all[i];
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (const auto atom : residue.atoms) sum += molecule.charges.place(atom);
    labels.push_back({sum / static_cast<double>(residue.atoms.size()), residue.name});
    if (labels.size() > most_labels) break;
  }
  return labels;
}

std::vector<scene::Label> labels_of_atoms(const ChargedMolecule& molecule, AtomLabels what,
                                          const SelectedAtoms* only) {
  std::vector<scene::Label> labels;
  for (std::size_t i = 0; i < molecule.charges.size(); ++i) {
    if (only != nullptr && !only->atoms[i]) continue;
    labels.push_back({molecule.charges.place(i), text_of(molecule, what, i)});
    if (labels.size() > most_labels) break;
  }
  return labels;
}

}  // namespace

AtomTexts atom_texts(const ChargedMolecule& molecule, AtomLabels what, const SelectedAtoms* only) {
  if (what == AtomLabels::none) return {};
  AtomTexts texts;
  texts.labels = what == AtomLabels::residue ? labels_of_residues(molecule, only)
                                             : labels_of_atoms(molecule, what, only);
  if (texts.labels.size() <= most_labels) return texts;
  texts.labels.clear();
  texts.refused = filled(
      localised("electrostatics",
                "Labels are left out: more than %1 would hide the picture. Select the atoms to label."),
      {std::to_string(most_labels)});
  return texts;
}

}  // namespace isolume::labs::electrostatics

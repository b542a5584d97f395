#include "core/structures/molecule_of.h"

#include "core/base/units.h"
#include "core/molecules/residue_names.h"

namespace isolume::structures {

int element_of(const AtomLabel& label) {
  return label.atomic_number > 0 ? label.atomic_number
                                 : molecules::element_of_name(label.atom, label.residue);
}

molecules::Molecule molecule_of(const Charges& charges, const std::string& title) {
  molecules::Molecule molecule;
  molecule.title = title;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    auto& atom = molecule.atoms.emplace_back();
    const int number = i < charges.labels.size() ? element_of(charges.labels[i]) : 0;
    constexpr int carbon = 6;
    atom.atomic_number = number > 0 ? number : carbon;
    atom.nuclear_charge = atom.atomic_number;
    atom.position_bohr = charges.place(i) * units::bohr_per_angstrom;
  }
  return molecule;
}

}  // namespace isolume::structures

// What a mmCIF file says of helices and strands, between a heading and atoms that are sound: it may be refused with an Error, and whatever
// else happens is a fault.
#include <string>

#include "core/base/error.h"
#include "core/structures/secondary_structure.h"
#include "core/structures/structure.h"
#include "tests/fuzz/fuzzed_file.h"

namespace {

constexpr const char* atoms =
    "\nloop_\n_atom_site.group_PDB\n_atom_site.type_symbol\n_atom_site.label_atom_id\n_atom_site.label_comp_"
    "id\n"
    "_atom_site.label_asym_id\n_atom_site.label_seq_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n"
    "_atom_site.Cartn_z\n"
    "ATOM N N GLY A 1 0 0 0\nATOM C CA GLY A 1 1.458 0 0\nATOM C C GLY A 1 2.009 1.42 0\n"
    "ATOM O O GLY A 1 1.251 2.39 0\nATOM N N GLY A 2 3.335 1.54 0\nATOM C CA GLY A 2 3.97 2.85 0\n"
    "ATOM C C GLY A 2 5.48 2.7 0\nATOM O O GLY A 2 6.0 1.58 0\n";

/// Each atom with no charge.
isolume::structures::Charges charges_of(const isolume::structures::Structure& structure) {
  isolume::structures::Charges charges;
  for (const auto& residue : structure.residues) {
    for (const auto& atom : residue.atoms)
      add_atom(charges, atom.place, 0, 1,
               {atom.name, residue.name, residue.chain, residue.number, residue.insertion, residue.is_hetero,
                atom.atomic_number});
  }
  return charges;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume;
  const std::string text = "data_X\n" + std::string(fuzz::text_of(data, size)) + atoms;
  const auto file = fuzz::write_file("fuzzed.cif", text);
  try {
    const auto structure = structures::read_structure(file);
    const auto charges = charges_of(structure);
    structures::recorded_secondary(charges, structures::residues_of(charges), structure.secondary);
  } catch (const Error&) {
  }
  return 0;
}

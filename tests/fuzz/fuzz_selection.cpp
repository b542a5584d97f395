// A selection may be refused with an Error; whatever else happens is a fault. What is selected are atoms of the molecule, and what
// is not selected is the rest.
#include <cstdlib>
#include <string>

#include "core/base/error.h"
#include "core/structures/selection.h"
#include "tests/fuzz/fuzzed_file.h"

namespace {

/// Two residues of a protein, one of them with a code of insertion, a nucleotide, an ion and water.
isolume::structures::Charges molecule() {
  using isolume::structures::add_atom;
  isolume::structures::Charges charges;
  double x = 0;
  const auto add = [&](const char* atom, const char* residue, const char* chain, int number, char insertion,
                       bool hetero, int element) {
    add_atom(charges, {x, 0.5 * x, 0}, 0.1, 1.5, {atom, residue, chain, number, insertion, hetero, element});
    x += 1.4;
  };
  for (const char* atom : {"N", "CA", "C", "O", "H"})
    add(atom, "LYS", "A", 1, ' ', false, atom[0] == 'H' ? 1 : 6);
  for (const char* atom : {"N", "CA", "C", "O"}) add(atom, "GLY", "A", 1, 'B', false, 6);
  for (const char* atom : {"P", "C1'", "C3'", "C4'", "O3'"}) add(atom, "DA", "", 7, ' ', false, 6);
  add("NA", "NA", "B", -3, ' ', true, 11);
  add("O", "HOH", "B", 4, ' ', true, 8);
  return charges;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume;
  static const auto charges = molecule();
  const std::string expression(fuzz::text_of(data, size));
  try {
    const auto selected = structures::select_atoms(charges, expression);
    const auto others = structures::select_atoms(charges, "not (" + expression + ")");
    if (selected.size() != charges.size() || others.size() != charges.size()) std::abort();
    for (std::size_t i = 0; i < selected.size(); ++i)
      if (selected[i] == others[i]) std::abort();
  } catch (const Error&) {
  }
  return 0;
}

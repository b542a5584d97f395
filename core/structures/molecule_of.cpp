#include "core/structures/molecule_of.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "core/base/units.h"
#include "core/molecules/element.h"

namespace isolume::structures {
namespace {

/// Names that say an element wherever they stand: of metals in cofactors, and of ions as CHARMM calls them.
int element_of_known_name(std::string_view letters) {
  constexpr std::array<std::pair<std::string_view, int>, 14> known{{{"FE", 26},
                                                                    {"ZN", 30},
                                                                    {"MG", 12},
                                                                    {"MN", 25},
                                                                    {"CU", 29},
                                                                    {"CL", 17},
                                                                    {"BR", 35},
                                                                    {"SE", 34},
                                                                    {"SOD", 11},
                                                                    {"POT", 19},
                                                                    {"CES", 55},
                                                                    {"RUB", 37},
                                                                    {"CAD", 48},
                                                                    {"LIT", 3}}};
  const auto found = std::ranges::find(known, letters, &std::pair<std::string_view, int>::first);
  return found == known.end() ? 0 : found->second;
}

}  // namespace

int element_of(const AtomLabel& label) {
  if (label.atomic_number > 0) return label.atomic_number;
  std::string letters;
  for (const char each : label.atom) {
    if (std::isalpha(static_cast<unsigned char>(each)) != 0) letters += each;
  }
  if (const int number = element_of_known_name(letters); number > 0) return number;
  if (letters.size() > 1 && label.residue.starts_with(letters.substr(0, 2))) {
    if (const int number = molecules::atomic_number(letters.substr(0, 2)); number > 0) return number;
  }
  const int number = letters.empty() ? -1 : molecules::atomic_number(letters.substr(0, 1));
  return std::max(0, number);
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

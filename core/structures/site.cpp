#include "core/structures/site.h"

#include <cctype>
#include <limits>
#include <utility>

namespace isolume::structures {
namespace {

constexpr double longest_bond_of_hydrogen = 1.45;  ///< in angstrom; S-H is 1.34

/// The atom that carries a hydrogen; null if none is close enough.
const StructureAtom* carrier_of(const Site& site, const StructureAtom& hydrogen) {
  const StructureAtom* nearest = nullptr;
  double least = longest_bond_of_hydrogen;
  for (const auto& atom : site.atoms) {
    const double apart = (atom.place - hydrogen.place).norm();
    if (is_hydrogen(atom) || apart >= least) continue;
    nearest = &atom;
    least = apart;
  }
  return nearest;
}

}  // namespace

std::string hydrogen_name(std::string_view name) {
  std::string usual(name);
  // "1HB" becomes "HB1"; "'" and quotes of nucleotides keep their position.
  if (usual.size() > 1 && std::isdigit(static_cast<unsigned char>(usual.front())) != 0)
    std::rotate(usual.begin(), usual.begin() + 1, usual.end());
  if (usual.starts_with('D')) usual.front() = 'H';
  return usual;
}

std::vector<std::size_t> hydrogens_at(const Site& site, std::string_view carrier,
                                      const std::vector<std::string>& names) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < site.atoms.size(); ++i) {
    const auto& atom = site.atoms[i];
    if (!is_hydrogen(atom)) continue;
    const auto* bonded = carrier_of(site, atom);
    const bool is_carried = bonded != nullptr
                                ? bonded->name == carrier
                                : std::ranges::find(names, hydrogen_name(atom.name)) != names.end();
    if (is_carried) found.push_back(i);
  }
  return found;
}

std::size_t protons(const Site& site, std::string_view carrier, const std::vector<std::string>& names) {
  return hydrogens_at(site, carrier, names).size();
}

}  // namespace isolume::structures

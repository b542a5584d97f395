#include "gpu/orbitals/generated/atom_types.h"

#include <algorithm>

#include "gpu/orbitals/packed_layout.h"

namespace isolume::gpu {
namespace {

TypeShell as_type_shell(const molecules::Shell& shell) {
  TypeShell made{shell.angular_momentum, shell.exponents, {}};
  for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
    made.factors.push_back(shell.coefficients[p] *
                           molecules::primitive_norm(shell.exponents[p], {shell.angular_momentum, 0, 0}));
  }
  return made;
}

}  // namespace

std::size_t AtomType::monomial_count() const {
  std::size_t count = 0;
  for (const auto& shell : shells) count += gpu::monomial_count(shell.angular_momentum);
  return count;
}

std::vector<AtomType> find_atom_types(const molecules::Molecule& molecule, const molecules::BasisSet& basis) {
  std::vector<std::vector<TypeShell>> of_atom(molecule.atoms.size());
  for (const auto& shell : basis.shells) {
    if (!shell.exponents.empty()) of_atom[shell.atom].push_back(as_type_shell(shell));
  }
  std::vector<AtomType> types;
  for (std::size_t atom = 0; atom < of_atom.size(); ++atom) {
    if (of_atom[atom].empty()) continue;
    auto type = std::ranges::find(types, of_atom[atom], &AtomType::shells);
    if (type == types.end()) type = types.insert(type, {std::move(of_atom[atom]), {}});
    type->atoms.push_back(static_cast<int>(atom));
  }
  return types;
}

}  // namespace isolume::gpu

#pragma once

#include <cstddef>
#include <vector>

#include "core/molecules/wavefunction.h"

namespace isolume::gpu {

/// A shell as far as it is the same for all atoms of a type: radial part sum_p factor[p] exp(-exponent[p]
/// r^2) with the norm N_l folded into the factors. Whether its functions are spherical or Cartesian matters
/// only for the coefficients of an orbital, which are given for monomials.
struct TypeShell {
  int angular_momentum = 0;
  std::vector<double> exponents;
  std::vector<double> factors;

  bool operator==(const TypeShell&) const = default;
};

/// Atoms with the same shells in the same order: those of one element, as a rule.
struct AtomType {
  std::vector<TypeShell> shells;
  std::vector<int> atoms;

  /// Of all shells together.
  std::size_t monomial_count() const;
};

/// Types by the first of their atoms. Atoms without shells, and shells without primitives, are left out.
std::vector<AtomType> find_atom_types(const molecules::Molecule& molecule, const molecules::BasisSet& basis);

}  // namespace isolume::gpu

#pragma once

#include <cstddef>
#include <vector>

#include "core/molecules/wavefunction.h"

namespace isolume::gpu {

/// The part of a shell that is the same for all atoms of a type: radial part sum_p factor[p] exp(-exponent[p]
/// r^2) with the norm N_l folded into the factors. Spherical or Cartesian functions differ only in the
/// coefficients of an orbital, which are given for monomials.
struct TypeShell {
  int angular_momentum = 0;
  std::vector<double> exponents;
  std::vector<double> factors;

  bool operator==(const TypeShell&) const = default;
};

/// Atoms with the same shells in the same order: usually those of one element.
struct AtomType {
  std::vector<TypeShell> shells;
  std::vector<int> atoms;

  /// Sum over all shells.
  std::size_t monomial_count() const;
};

/// Types in the order of their first atoms. Atoms without shells, and shells without primitives, are left
/// out.
std::vector<AtomType> find_atom_types(const molecules::Molecule& molecule, const molecules::BasisSet& basis);

}  // namespace isolume::gpu

#pragma once

#include "tests/core/orbitals/made_up_wavefunction.h"

namespace isolume::test {

/// As many kinds of atoms as wanted, each with all shells.
inline molecules::Wavefunction many_kinds(int kinds) {
  molecules::Wavefunction made;
  const auto one = all_shells(true);
  for (int kind = 0; kind < kinds; ++kind) {
    made.molecule.atoms.push_back({6, {0.2 * kind, 0, 0}, 6.0});
    for (auto shell : one.basis.shells) {
      if (shell.atom != 0) continue;
      shell.atom = kind;
      for (double& exponent : shell.exponents) exponent *= 1 + 0.01 * kind;
      made.basis.shells.push_back(shell);
    }
  }
  return made;
}

}  // namespace isolume::test

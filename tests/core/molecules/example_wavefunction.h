#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "core/molecules/angular_order.h"
#include "core/molecules/overlap.h"
#include "core/molecules/wavefunction.h"

namespace isolume::molecules::testing {

/// Two atoms with one contracted shell and one primitive shell of each kind in `letters` ("spd"), orthonormal
/// orbitals C = S^-1/2 and occupations 2, 2, 0 ... Overlaps are tested on their own against quadrature.
inline Wavefunction example_wavefunction(std::string_view letters, bool spherical) {
  Wavefunction made;
  made.molecule.atoms = {{8, {0.1, -0.2, 0.3}, 8}, {6, {1.2, 0.4, 1.7}, 6}};
  made.molecule.title = "example";
  for (int atom = 0; atom < 2; ++atom) {
    for (const char letter : letters) {
      const int l = static_cast<int>(std::string_view("spdfgh").find(letter));
      Shell shell{atom, l, spherical && l > 1, {3.1 + 0.2 * l, 0.9}, {0.4, 0.7}};
      const double norm = self_overlap(shell);
      for (double& c : shell.coefficients) c /= std::sqrt(norm);
      made.basis.shells.push_back(shell);
      if (l < 3) made.basis.shells.push_back({atom, l, spherical && l > 1, {0.31 + 0.07 * atom}, {1.0}});
    }
  }
  const Eigen::MatrixXd overlap = overlap_matrix(made.molecule, made.basis);
  OrbitalSet set;
  set.coefficients = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(overlap).operatorInverseSqrt();
  for (Eigen::Index i = 0; i < set.coefficients.cols(); ++i) {
    set.orbitals.push_back({Spin::alpha, i < 7 ? 2.0 : 0.0, -1.0 + 0.1 * static_cast<double>(i), "a"});
  }
  made.sets.push_back(std::move(set));
  return made;
}

/// How a Molden file is written; the defaults are what the format asks.
struct MoldenStyle {
  AngularOrder order = molden_order;
  std::string title;
  std::string unit = "AU";
  double length = 1;      ///< coordinates times this
  std::string tags = "";  ///< e.g. "[5D]\n[9G]\n"
  bool mo_first = false;  ///< [MO] before [GTO]
  bool tags_last = false;
  bool blank_between_atoms = true;
  bool keep_zeros = true;  ///< list coefficients that are zero
};

inline std::string molden_text(const Wavefunction& wavefunction, const MoldenStyle& style = {}) {
  const OrbitalSet& set = wavefunction.sets.front();
  std::string basis = "[GTO]\n";
  int atom = -1;
  for (const Shell& shell : wavefunction.basis.shells) {
    if (shell.atom != atom) {
      if (atom >= 0 && style.blank_between_atoms) basis += '\n';
      atom = shell.atom;
      basis += fmt::format("  {} 0\n", atom + 1);
    }
    basis += fmt::format(" {}   {} 1.00\n", "spdfgh"[shell.angular_momentum], shell.exponents.size());
    for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
      basis += fmt::format("  {:.15e} {:.15e}\n", shell.exponents[p], shell.coefficients[p]);
    }
  }
  basis += '\n';
  Eigen::MatrixXd rows = set.coefficients;
  rearrange_rows(rearrangement(wavefunction.basis, isolume_order, style.order), rows);
  std::string orbitals = "[MO]\n";
  for (std::size_t i = 0; i < set.orbitals.size(); ++i) {
    const Orbital& orbital = set.orbitals[i];
    orbitals += fmt::format(" Sym= {}\n Ene= {:.10f}\n Spin= {}\n Occup= {:.6f}\n", orbital.symmetry,
                            orbital.energy_hartree, orbital.spin == Spin::beta ? "Beta" : "Alpha",
                            orbital.occupation);
    for (Eigen::Index row = 0; row < rows.rows(); ++row) {
      const double value = rows(row, static_cast<Eigen::Index>(i));
      if (value != 0 || style.keep_zeros) orbitals += fmt::format("{:4d} {:.14f}\n", row + 1, value);
    }
  }
  std::string text = "[Molden Format]\n[Title]\n " + style.title + "\n[Atoms] " + style.unit + "\n";
  for (std::size_t i = 0; i < wavefunction.molecule.atoms.size(); ++i) {
    const Atom& a = wavefunction.molecule.atoms[i];
    const Eigen::Vector3d p = a.position_bohr * style.length;
    text += fmt::format("{} {} {} {:.14f} {:.14f} {:.14f}\n",
                        a.atomic_number == 8   ? "O"
                        : a.atomic_number == 6 ? "C"
                                               : "H",
                        i + 1, a.atomic_number, p.x(), p.y(), p.z());
  }
  if (!style.tags_last) text += style.tags;
  text += style.mo_first ? orbitals + basis : basis + orbitals;
  if (style.tags_last) text += style.tags;
  return text;
}

}  // namespace isolume::molecules::testing

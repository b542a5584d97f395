#pragma once

#include <array>
#include <random>

#include "core/grid/grid.h"
#include "core/molecules/wavefunction.h"

namespace isolume::test {

/// A contracted shell, its contraction not normalised (nothing here needs that).
inline molecules::Shell shell(int atom, int angular_momentum, bool spherical, std::vector<double> exponents,
                              std::vector<double> coefficients) {
  return {atom, angular_momentum, spherical, std::move(exponents), std::move(coefficients)};
}

inline molecules::Molecule atoms_at(const std::vector<Eigen::Vector3d>& places) {
  molecules::Molecule molecule;
  for (const auto& place : places) molecule.atoms.push_back({6, place, 6.0});
  return molecule;
}

/// Three atoms with every angular momentum from s to h, Cartesian or spherical, SP shells, tight and diffuse.
inline molecules::Wavefunction all_shells(bool spherical) {
  molecules::Wavefunction made;
  made.molecule = atoms_at({{0, 0, 0}, {1.3, 0.4, -0.7}, {-1.1, 1.9, 0.8}});
  for (int atom = 0; atom < 3; ++atom) {
    auto& shells = made.basis.shells;
    shells.push_back(shell(atom, 0, false, {3047.5, 457.4, 103.9, 29.2, 9.3, 3.2},
                           {0.0018, 0.0140, 0.0688, 0.2322, 0.4679, 0.3623}));
    shells.push_back(shell(atom, 0, false, {7.9, 1.9, 0.54}, {-0.1193, -0.1609, 1.1435}));
    shells.push_back(shell(atom, 1, false, {7.9, 1.9, 0.54}, {0.0690, 0.3164, 0.7443}));
    shells.push_back(shell(atom, 1, false, {0.11}, {1.0}));
    for (int l = 2; l <= molecules::max_angular_momentum; ++l) {
      shells.push_back(shell(atom, l, spherical, {0.5 + 0.2 * l}, {1.0}));
    }
  }
  return made;
}

/// A zigzag of 30 carbon atoms with the shells of 6-31G*, 450 functions.
inline molecules::Wavefunction carbon_chain() {
  molecules::Wavefunction made;
  for (int atom = 0; atom < 30; ++atom) {
    made.molecule.atoms.push_back({6, {2.4 * atom - 35, atom % 2 == 0 ? -0.8 : 0.8, 0.05 * atom}, 6});
    auto& shells = made.basis.shells;
    shells.push_back(shell(atom, 0, false, {3047.5, 457.4, 103.9, 29.2, 9.3, 3.2},
                           {0.0018, 0.0140, 0.0688, 0.2322, 0.4679, 0.3623}));
    shells.push_back(shell(atom, 0, false, {7.87, 1.88, 0.544}, {-0.1193, -0.1609, 1.1435}));
    shells.push_back(shell(atom, 1, false, {7.87, 1.88, 0.544}, {0.0690, 0.3164, 0.7443}));
    shells.push_back(shell(atom, 0, false, {0.1687}, {1}));
    shells.push_back(shell(atom, 1, false, {0.1687}, {1}));
    shells.push_back(shell(atom, 2, false, {0.8}, {1}));
  }
  return made;
}

inline Eigen::MatrixXd random_coefficients(const molecules::BasisSet& basis, int columns, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  return Eigen::MatrixXd::NullaryExpr(static_cast<Eigen::Index>(basis.function_count()), columns,
                                      [&](auto, auto) { return uniform(generator); });
}

inline grid::Grid box_grid(std::array<int, 3> dimensions, const Eigen::Vector3d& step,
                           const Eigen::Vector3d& origin) {
  grid::Grid made;
  made.dimensions = dimensions;
  made.origin = origin;
  made.step = step.asDiagonal();
  return made;
}

}  // namespace isolume::test

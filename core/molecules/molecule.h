#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

namespace isolume::molecules {

struct Atom {
  int atomic_number = 0;  ///< 0: a ghost atom (basis functions without a nucleus)
  Eigen::Vector3d position_bohr = Eigen::Vector3d::Zero();
  double nuclear_charge =
      0;             ///< charge seen by the electrons: the atomic number minus an effective core's electrons
  int ghost_of = 0;  ///< for a ghost: the element whose functions these are, if the file states it
};

struct Molecule {
  std::vector<Atom> atoms;
  std::string title;
  std::optional<int> charge;        ///< if the file states it
  std::optional<int> multiplicity;  ///< 2S+1, if the file states it
};

struct Box {
  Eigen::Vector3d low_bohr = Eigen::Vector3d::Zero();
  Eigen::Vector3d high_bohr = Eigen::Vector3d::Zero();
};
/// Bounding box along x, y and z of the atoms' centres; a point at zero without atoms.
Box nuclei_box(const Molecule& molecule);

/// Pairs of atom indices (first < second) closer than 1.2 times the sum of their covalent radii. Linear in the number
/// of atoms.
std::vector<std::pair<int, int>> find_bonds(const Molecule& molecule);

}  // namespace isolume::molecules

#pragma once

#include <span>
#include <string>

#include <Eigen/Core>

#include "core/molecules/molecule.h"

namespace isolume::molecules {

/// Angle at b, in [0, 180]; NaN if two positions coincide.
double angle_degrees(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c);

/// Dihedral angle about b-c, in (-180, 180]: positive where d, seen from b to c, lies clockwise of a (IUPAC). NaN if
/// three neighbours are collinear.
double dihedral_degrees(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
                        const Eigen::Vector3d& d);

/// "C1", counted from 1 through the molecule.
std::string atom_label(const Molecule& molecule, int atom);

/// Of two atoms their distance in angstrom, of three the angle and of four the dihedral angle in degrees.
struct Measurement {
  double value = 0;  ///< NaN if collinear atoms leave an angle undefined
  bool is_distance = true;

  std::string text() const;  ///< "1.397 Å", "120.0°"
};
/// Of 2 to 4 atoms (from 0). Throws as `measure`.
Measurement measurement(const Molecule& molecule, std::span<const int> atoms);

/// Description of 1 to 4 atoms (from 0): "C1 (carbon)", "C1–C2: 1.397 Å", "C1–C2–C3: 120.0°", a dihedral for four.
/// Throws Error for an atom that does not exist, the same atom twice, or another number of atoms.
std::string measure(const Molecule& molecule, std::span<const int> atoms);

}  // namespace isolume::molecules

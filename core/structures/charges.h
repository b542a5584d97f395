#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace isolume::structures {

/// Which atom of which residue, as the file names it.
struct AtomLabel {
  std::string atom, residue, chain;
  int number = 0;          ///< of the residue
  char insertion = ' ';    ///< of the residue
  bool is_hetero = false;  ///< not of a chain's own residues
};

/// Of its residue: "CA A 501", "GLY B 52A".
std::string name_of_residue(const AtomLabel& label);

/// Point charges: in e at places in angstrom, each in a sphere of a radius in angstrom.
struct Charges {
  std::vector<double> x, y, z, charge, radius;
  std::vector<AtomLabel> labels;

  std::size_t size() const { return x.size(); }
  Eigen::Vector3d place(std::size_t atom) const { return {x[atom], y[atom], z[atom]}; }
};

/// Places, charges and radii lie within this, each in its unit: far beyond every molecule, and single precision still tells
/// charges apart from nothing.
inline constexpr double most_magnitude = 1e6;

/// In e.
double total_charge(const Charges& charges);

struct Box {
  Eigen::Vector3d low, high;
};
/// The smallest one along x, y and z around all places; there is one at least.
Box box_of(const Charges& charges);

/// Residues none of whose atoms has a charge, as in "CA A 501": nothing was known of them. In the order of the file, each
/// once.
std::vector<std::string> residues_without_parameters(const Charges& charges);

/// Throws Error unless everything is finite and within most_magnitude, and no radius is negative.
void check(const Charges& charges);

}  // namespace isolume::structures

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/base/remarks.h"
#include "core/molecules/crystal_cell.h"

namespace isolume::structures {

/// Which atom of which residue, as the file names it.
struct AtomLabel {
  std::string atom, residue, chain;
  int number = 0;          ///< of the residue
  char insertion = ' ';    ///< of the residue
  bool is_hetero = false;  ///< not of a chain's own residues
  int atomic_number = 0;   ///< 0 where the file does not say
};

/// Of its residue: "CA A 501", "GLY B 52A".
std::string name_of_residue(const AtomLabel& label);

/// Point charges: in e at places in angstrom, each in a sphere of a radius in angstrom.
struct Charges {
  std::vector<double> x, y, z, charge, radius;
  std::vector<AtomLabel> labels;
  /// Of the box that repeats in space, where the file states one: its edges are the columns, in angstrom.
  std::optional<Eigen::Matrix3d> cell = {};
  Remarks remarks = {};  ///< what was left out, assumed or changed on the way from the file to these

  std::size_t size() const { return x.size(); }
  Eigen::Vector3d place(std::size_t atom) const { return {x[atom], y[atom], z[atom]}; }
};

using molecules::cell_of;
using molecules::most_magnitude;

/// Adds an atom behind the others.
void add_atom(Charges& charges, const Eigen::Vector3d& place, double charge, double radius, AtomLabel label);

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

inline constexpr std::string_view first_frame_only = "Only the first of several frames is used.";

/// Adds a remark where there are such.
void remark_on_uncharged_residues(Charges& charges);

/// Throws Error unless everything is finite and within most_magnitude, and no radius is negative.
void check(const Charges& charges);

}  // namespace isolume::structures

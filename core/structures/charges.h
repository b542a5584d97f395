#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/base/remarks.h"
#include "core/molecules/crystal_cell.h"

namespace isolume::structures {

/// Identification of an atom and its residue, as in the file.
struct AtomLabel {
  std::string atom, residue, chain;
  int number = 0;          ///< of the residue
  char insertion = ' ';    ///< of the residue
  bool is_hetero = false;  ///< not one of the standard residues of a chain
  int atomic_number = 0;   ///< 0 if the file does not state it
};

/// Name of its residue: "CA A 501", "GLY B 52A".
std::string name_of_residue(const AtomLabel& label);

/// Point charges in e at positions in angstrom, each in a sphere with a radius in angstrom.
struct Charges {
  std::vector<double> x, y, z, charge, radius;
  std::vector<AtomLabel> labels;
  /// Edges of the periodic box as columns, in angstrom, if the file states one.
  std::optional<Eigen::Matrix3d> cell = {};
  Remarks remarks = {};  ///< what was left out, assumed or changed since the file was read
  std::vector<std::filesystem::path> files = {};  ///< that were read besides the one with the positions

  std::size_t size() const { return x.size(); }
  Eigen::Vector3d place(std::size_t atom) const { return {x[atom], y[atom], z[atom]}; }
};

using molecules::cell_of;
using molecules::most_magnitude;

/// Appends an atom.
void add_atom(Charges& charges, const Eigen::Vector3d& place, double charge, double radius, AtomLabel label);

/// In e.
double total_charge(const Charges& charges);

struct Box {
  Eigen::Vector3d low, high;
};
/// Bounding box of all positions; at least one.
Box box_of(const Charges& charges);

/// Residues without any charged atom, as in "CA A 501", for which no parameters were known. In the order of the file,
/// each once.
std::vector<std::string> residues_without_parameters(const Charges& charges);

inline constexpr std::string_view first_frame_only = "Only the first of several frames is used.";

/// Adds a remark if there are such residues.
void remark_on_uncharged_residues(Charges& charges);
/// Adds a remark if atoms are nearer to each other than nuclei can be, as those of a copy or of alternate locations
/// without letters are. Virtual sites and Drude particles, which have no radius, do not count.
void remark_on_overlaps(Charges& charges);

/// Throws Error unless everything is finite and within most_magnitude, and no radius is negative.
void check(const Charges& charges);

}  // namespace isolume::structures

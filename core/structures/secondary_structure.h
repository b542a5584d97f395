#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "core/structures/charges.h"
#include "core/structures/residues.h"
#include "core/structures/structure.h"

namespace isolume::structures {

/// The backbone atoms of a residue, in angstrom: N to O for amino acids, P and O3' for nucleotides.
struct Backbone {
  std::optional<Eigen::Vector3d> nitrogen, alpha_carbon, carbon, oxygen, phosphorus, o3;
  bool has_amide_hydrogen = true;  ///< false for proline
};

/// One for each residue. Atoms named CA or P of another element, such as calcium, are ignored.
std::vector<Backbone> backbones_of(const Charges& charges, const Residues& residues);

/// A peptide bond of at most 2.5 angstrom; where one of its atoms is missing, alpha carbons at most 4.5 angstrom
/// apart. For nucleotides O3' and P within 2.5, or without O3' two P within 8.
bool are_joined(const Backbone& first, const Backbone& next);

/// By backbone hydrogen bonds, as in Kabsch and Sander, Biopolymers 22, 2577 (1983): an oxygen and an amide hydrogen
/// 1.0 angstrom from its nitrogen, opposite to the preceding C=O, are bonded at less than -0.5 kcal/mol; an oxygen
/// can have several such bonds, a hydrogen the two best. Two consecutive n-turns are a helix (n = 4, then 3 and 5
/// where nothing else is assigned), bridges form a ladder, and ladders of one kind with at most one further residue
/// between them on one side and four on the other form a strand on each. Residues that lack a backbone atom are left
/// unassigned. Neighbours are those that `are_joined`.
std::vector<Secondary> assigned_secondary(const std::vector<Backbone>& backbones);

/// As stated in a file. Where records overlap, the last one counts.
std::vector<Secondary> recorded_secondary(const Charges& charges, const Residues& residues,
                                          const std::vector<SecondaryRange>& recorded);

}  // namespace isolume::structures

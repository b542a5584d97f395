#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "core/structures/charges.h"
#include "core/structures/residues.h"
#include "core/structures/structure.h"

namespace isolume::structures {

/// Of a residue the atoms that chains run through, in angstrom: of amino acids N to O, of nucleotides P and O3'.
struct Backbone {
  std::optional<Eigen::Vector3d> nitrogen, alpha_carbon, carbon, oxygen, phosphorus, o3;
  bool has_amide_hydrogen = true;  ///< proline has none
};

/// Of every residue. What is called CA or P, but is calcium or of another element, does not count.
std::vector<Backbone> backbones_of(const Charges& charges, const Residues& residues);

/// A peptide bond of at most 2.5 angstrom; where an atom of it is missing, alpha carbons at most 4.5 angstrom apart. Of
/// nucleotides O3' and P within 2.5, or without O3' two P within 8.
bool are_joined(const Backbone& first, const Backbone& next);

/// By backbone hydrogen bonds, as Kabsch and Sander, Biopolymers 22, 2577 (1983): an oxygen and an amide hydrogen 1.0
/// angstrom from its nitrogen, opposite to the C=O before it, are bonded at less than -0.5 kcal/mol; an oxygen can have
/// several such bonds, a hydrogen the two best. Two consecutive n-turns are a helix (n = 4, then 3 and 5 where nothing
/// else is), bridges a ladder, and ladders of one kind with at most one further residue between them on one side
/// and four on the other a strand on each. Residues that lack an atom of the backbone are none. Neighbours are those
/// that `are_joined`.
std::vector<Secondary> assigned_secondary(const std::vector<Backbone>& backbones);

/// By what a file states. Of records that overlap the last one counts.
std::vector<Secondary> recorded_secondary(const Charges& charges, const Residues& residues,
                                          const std::vector<SecondaryRange>& recorded);

}  // namespace isolume::structures

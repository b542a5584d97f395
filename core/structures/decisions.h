#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/remarks.h"
#include "core/structures/prepare.h"
#include "core/structures/residues.h"

namespace isolume::structures {

/// In the order in which they are told.
enum class DecisionKind {
  source,
  hydrogens,
  water,
  without_charge,
  atoms_without_charge,
  incomplete,
  given,
  equalised,
  state,
  end,
  disulphide,
  link,
  added,
  alternatives
};

/// One thing that was decided when a structure was given its charges.
struct DecisionRow {
  DecisionKind kind{};
  std::vector<std::string> residues = {};  ///< that it is about, "LYS A 12"; none: the whole structure
  std::size_t atoms = 0;                   ///< how many it is about; 0: no number of atoms tells anything
  std::string what = {}, why = {};         ///< either may be empty
};

/// All of them, each residue without charges in a row of its own with the number of its atoms. `residues`: those of the
/// charges that were prepared.
std::vector<DecisionRow> decisions_of(const Preparation& made, const Residues& residues);

/// Of a file that has its charges: residues none of whose atoms has one.
std::vector<DecisionRow> decisions_of(const Residues& residues);

/// What of these a person has to know unasked: what was left out, assumed or changed, each kind in one remark.
Remarks remarks_of(const Preparation& made);

/// "Disulphide".
std::string title_of(DecisionKind kind);
/// "CYS A 3, CYS A 22".
std::string residues_of(const DecisionRow& row);
/// "Disulphide: CYS A 3, CYS A 22: 2.03 angstrom".
std::string line_of(const DecisionRow& row);

/// A table with a line for each: kind,residues,atoms,what,why. Throws Error where it cannot be written.
void write_decisions(const std::vector<DecisionRow>& rows, const std::filesystem::path& path);

/// How many atoms each of the residues has, by their names, in that order.
std::vector<std::pair<std::string, std::size_t>> atom_counts(const std::vector<std::string>& names,
                                                             const Residues& residues);

}  // namespace isolume::structures

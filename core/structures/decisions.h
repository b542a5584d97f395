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

/// In the order in which they are reported.
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
  alternatives,
  pka
};

/// One decision made in the preparation of a structure.
struct DecisionRow {
  DecisionKind kind{};
  std::vector<std::string> residues = {};  ///< affected residues, "LYS A 12"; none: the whole structure
  std::size_t atoms = 0;                   ///< number of affected atoms; 0: not applicable
  std::string what = {}, why = {};         ///< either may be empty
};

/// The rows of the preparation report; each residue without charges has a row of its own with its number of atoms.
/// `residues`: those of the prepared charges.
std::vector<DecisionRow> decisions_of(const Preparation& made, const Residues& residues);

/// For a file with charges: residues without any charged atom.
std::vector<DecisionRow> decisions_of(const Residues& residues);

/// The decisions that users must know of: what was left out, assumed or changed, with one remark for each kind.
Remarks remarks_of(const Preparation& made);

/// "Disulphide".
std::string title_of(DecisionKind kind);
/// "CYS A 3, CYS A 22".
std::string residues_of(const DecisionRow& row);
/// "Disulphide: CYS A 3, CYS A 22: 2.03 angstrom".
std::string line_of(const DecisionRow& row);

/// Writes a table with a line for each: kind,residues,atoms,what,why. Throws Error where it cannot be written.
void write_decisions(const std::vector<DecisionRow>& rows, const std::filesystem::path& path);

/// Number of atoms in each of the named residues, in that order.
std::vector<std::pair<std::string, std::size_t>> atom_counts(const std::vector<std::string>& names,
                                                             const Residues& residues);

}  // namespace isolume::structures

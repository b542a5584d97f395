#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "core/base/remarks.h"
#include "core/molecules/assembly.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/structure.h"

namespace isolume::molecules {

/// An atom as given by a line of a structure file.
struct AtomRow {
  std::string name, residue, chain;
  std::string part = {};  ///< identifies molecules within a chain
  int number = 0;         ///< of the residue
  char insertion = ' ';
  char alternative = ' ';
  bool is_hetero = false;
  bool is_numbered = true;  ///< false: the residue number is **** or missing
  bool begins_with_symbol =
      false;                   ///< alignment of the name indicates that its first two letters are an element
  int element = 0;             ///< as stated in the file; 0 if it is not
  int formal_charge = 0;       ///< in e, as stated in the file; 0 if it is not
  double occupancy = 1;        ///< of an alternate location
  bool is_unoccupied = false;  ///< the file states an occupancy of 0
  std::size_t model = 0;       ///< position in AtomRows::models
  Eigen::Vector3d place = Eigen::Vector3d::Zero();
};

/// All atoms of a file, and its other data.
struct AtomRows {
  std::vector<AtomRow> atoms = {};
  std::vector<int> models = {};  ///< model numbers, each once, in the order of the file
  bool has_residues = true;      ///< false: a small-molecule crystal
  bool is_fractional = false;    ///< positions were given in fractional coordinates
  std::optional<Eigen::Matrix3d> cell = {};
  std::vector<SecondaryRange> secondary = {};
  std::string title = {};
  Assemblies assemblies = {};
  Remarks remarks = {};
};
AtomRows read_pdb_rows(LineReader& file);
AtomRows read_cif_rows(LineReader& file);

/// Gives atoms without a letter that have alternate locations with one a letter of their own, so that occupancies decide
/// between them, too.
void letter_all_alternatives(std::vector<AtomRow>& atoms);

/// The models of a file as residues, all of them or the one at an index in AtomRows::models. Atoms get elements, and
/// names as in wwPDB.
std::vector<Structure> models_of(const AtomRows& rows, std::optional<std::size_t> only = {});

/// Parses the current CRYST1 line; nothing, with a remark, if it cannot be read.
std::optional<Eigen::Matrix3d> pdb_cell(const LineReader& file, Remarks& remarks);

/// Parses a formal charge: "2+", "1-", "+3". Nothing for other text, as a charge without a sign can be anything.
std::optional<int> formal_charge_of(std::string_view text);

/// Throws InputError if it is not a finite number within most_magnitude.
double coordinate(std::string_view word, std::string_view what, const LineReader& file);

}  // namespace isolume::molecules

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

/// An atom as a line of a structure's file has it.
struct AtomRow {
  std::string name, residue, chain;
  std::string part = {};  ///< what tells molecules of a chain apart
  int number = 0;         ///< of the residue
  char insertion = ' ';
  char alternative = ' ';
  bool is_hetero = false;
  bool is_numbered = true;          ///< false: the file has **** for the number of the residue, or nothing
  bool begins_with_symbol = false;  ///< the name's columns say that its first two letters are an element
  int element = 0;                  ///< that the file states; 0 where it does not
  double occupancy = 1;
  std::size_t model = 0;  ///< position in AtomRows::models
  Eigen::Vector3d place = Eigen::Vector3d::Zero();
};

/// All atoms of a file, and what it states besides.
struct AtomRows {
  std::vector<AtomRow> atoms = {};
  std::vector<int> models = {};  ///< numbers, each once, in the order of the file
  bool has_residues = true;      ///< false: a crystal of small molecules
  bool is_fractional = false;    ///< places were given in parts of the cell's edges
  std::optional<Eigen::Matrix3d> cell = {};
  std::vector<SecondaryRange> secondary = {};
  std::string title = {};
  Assemblies assemblies = {};
  Remarks remarks = {};
};
AtomRows read_pdb_rows(LineReader& file);
AtomRows read_cif_rows(LineReader& file);

/// The models of a file as residues, all of them or that at a position in AtomRows::models. Atoms get elements, and names
/// as wwPDB has them.
std::vector<Structure> models_of(const AtomRows& rows, std::optional<std::size_t> only = {});

/// Of the line CRYST1 that the reader is at; nothing, and a remark, where it cannot be read.
std::optional<Eigen::Matrix3d> pdb_cell(const LineReader& file, Remarks& remarks);

/// Throws InputError where it is no finite number within most_magnitude.
double coordinate(std::string_view word, std::string_view what, const LineReader& file);

}  // namespace isolume::molecules

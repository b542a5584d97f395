#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/molecules/line_reader.h"
#include "core/structures/structure.h"

namespace isolume::structures {

/// An atom as a line of a structure's file has it.
struct StructureRow {
  StructureAtom atom;
  AtomLabel label;
  char alternative = ' ';
  double occupancy = 1;
  int model = 1;
  std::string part;  ///< what tells molecules of a chain apart
};

/// All atoms of a file, and its cell, helices and strands where it states such.
struct StructureRows {
  std::vector<StructureRow> atoms;
  std::optional<Eigen::Matrix3d> cell = {};
  std::vector<SecondaryRange> secondary = {};
};
StructureRows read_pdb_rows(molecules::LineReader& file);
StructureRows read_mmcif_rows(molecules::LineReader& file);

/// Of the line CRYST1 that the file is at. Nothing for what stands there where there is no crystal: edges of 1 angstrom.
std::optional<Eigen::Matrix3d> pdb_cell(const molecules::LineReader& file);
/// The same for six numbers.
std::optional<Eigen::Matrix3d> crystal_cell(const Eigen::Vector3d& lengths, const Eigen::Vector3d& angles);

/// Throws InputError where it is no finite number within most_magnitude.
double coordinate(std::string_view word, std::string_view what, const molecules::LineReader& file);

}  // namespace isolume::structures

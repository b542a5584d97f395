#pragma once

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

std::vector<StructureRow> read_pdb_rows(molecules::LineReader& file);
std::vector<StructureRow> read_mmcif_rows(molecules::LineReader& file);

/// Throws InputError where it is no finite number within most_magnitude.
double coordinate(std::string_view word, std::string_view what, const molecules::LineReader& file);

}  // namespace isolume::structures

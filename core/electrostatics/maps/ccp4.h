#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/remarks.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// Reads a map of real numbers (mode 2) in the CCP4 or MRC2014 format, plain or gzipped, with either byte order and
/// any order of axes; the field's axes are the cell's. The position is the header's origin or, where that is zero,
/// its first indices (NXSTART) times the steps; a remark reports other first indices. Lengths are in angstrom. The unit is taken from brackets in the first
/// label, as in files written here, if it is a unit of potential; otherwise it is empty.
///
/// Throws InputError, ResourceError, Cancelled.
grid::ScalarField read_ccp4(const std::filesystem::path& path, const jobs::Progress& progress = {},
                            Remarks* remarks = nullptr);
/// Reads only the grid; the values are not read.
grid::Grid read_ccp4_grid(const std::filesystem::path& path, Remarks* remarks = nullptr);

/// Writes such a map, little-endian, gzipped if its name ends with .gz. The position is written as first indices if
/// it is a whole number of steps, otherwise as the origin in angstrom. Throws Error if the grid's first step is
/// not along x or its second one not in the xy plane, which the format cannot express, or if the file cannot be
/// written; Cancelled.
void write_ccp4(const grid::ScalarField& field, const std::filesystem::path& path,
                const jobs::Progress& progress = {});

/// Writes such a map in parts, not gzipped, byte for byte as write_ccp4 does: the file appears at `commit`, or not at
/// all.
class Ccp4Writer {
 public:
  /// Throws Error as write_ccp4.
  Ccp4Writer(const std::filesystem::path& path, const grid::Grid& grid, std::string name, std::string unit);
  ~Ccp4Writer();
  /// Writes the next planes across the first axis: a field on these only. Throws Error, Cancelled.
  void put(const grid::ScalarField& planes, const jobs::Progress& progress);
  /// Call after all planes. Throws Error where the file cannot be written.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isolume::electrostatics

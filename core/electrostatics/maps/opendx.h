#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// Reads a scalar field on a regular grid in angstrom from an OpenDX file as written by APBS, plain or gzipped:
/// gridpositions, gridconnections and one array of rank 0 of numbers in text. Other objects and attributes are
/// ignored. The unit is taken from brackets in a comment, as in "# POTENTIAL (kT/e)", if it is a unit of potential;
/// otherwise it is empty.
///
/// Throws InputError with the line number, ResourceError, Cancelled.
grid::ScalarField read_opendx(const std::filesystem::path& path, const jobs::Progress& progress = {});
/// Reads only the grid; the values are not read.
grid::Grid read_opendx_grid(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// Writes such a file in parts, with the same result as write_opendx: the file appears at `commit`, or not at all.
class OpenDxWriter {
 public:
  /// Throws Error where it cannot be written.
  OpenDxWriter(const std::filesystem::path& path, const grid::Grid& grid, std::string_view name,
               std::string_view unit);
  ~OpenDxWriter();
  /// Writes the next planes across the first axis: a field on these only. Throws Cancelled.
  void put(const grid::ScalarField& planes, const jobs::Progress& progress);
  /// Call after all planes. Throws Error where the file cannot be written.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes such a file with seven digits, gzipped if its name ends with .gz. A grid in bohr is converted to
/// angstrom. Throws Error where it cannot be written, Cancelled.
void write_opendx(const grid::ScalarField& field, const std::filesystem::path& path,
                  const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics

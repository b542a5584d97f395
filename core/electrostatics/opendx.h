#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

namespace isolume::electrostatics {

/// Reads a scalar field on a regular lattice in angstrom from an OpenDX file as APBS writes them, plain or gzipped:
/// gridpositions, gridconnections and one array of rank 0 of numbers in text. What other objects and attributes say is
/// left out. The unit is what a comment has in brackets, as in "# POTENTIAL (kT/e)", if it is one of a potential; or empty.
///
/// Throws InputError with the line's number, ResourceError, Cancelled.
lattice::ScalarField read_opendx(const std::filesystem::path& path, const jobs::Progress& progress = {});
/// The lattice alone; its numbers are not looked at.
lattice::Lattice read_opendx_lattice(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// Writes such a file part after part, as write_opendx does in one piece: it is there after `commit`, or not at all.
class OpenDxWriter {
 public:
  /// Throws Error where it cannot be written.
  OpenDxWriter(const std::filesystem::path& path, const lattice::Lattice& lattice, std::string_view name,
               std::string_view unit);
  ~OpenDxWriter();
  /// The next planes across the first axis: a field on these alone. Throws Cancelled.
  void put(const lattice::ScalarField& planes, const jobs::Progress& progress);
  /// After all planes. Throws Error where the file cannot be written.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes such a file with seven digits, gzipped where its name ends with .gz. A lattice in bohr is written in angstrom.
/// Throws Error where it cannot be written, Cancelled.
void write_opendx(const lattice::ScalarField& field, const std::filesystem::path& path,
                  const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics

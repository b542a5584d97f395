#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

namespace isolume::electrostatics {

/// Writes a field as VTK's XML image data with binary numbers, in angstrom, for ParaView and VTK 9 or later. Throws Error
/// where the lattice's steps are not at right angles, which the format cannot say, or it cannot be written; Cancelled.
void write_vti(const lattice::ScalarField& field, const std::filesystem::path& path,
               const jobs::Progress& progress = {});

/// Writes such a file part after part, with the bytes that write_vti writes: it is there after `commit`, or not at all.
class VtiWriter {
 public:
  /// Throws Error as write_vti.
  VtiWriter(const std::filesystem::path& path, const lattice::Lattice& lattice, const std::string& name,
            const std::string& unit);
  ~VtiWriter();
  /// The next planes across the first axis: a field on these alone. Throws Error, Cancelled.
  void put(const lattice::ScalarField& planes, const jobs::Progress& progress);
  /// After all planes. Throws Error where the file cannot be written.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isolume::electrostatics

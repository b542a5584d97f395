#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

namespace isolume::electrostatics {

/// Reads one number a point (PointData) of VTK's XML image data in one piece, in text, or in binary of either byte order: in its
/// place, or appended as it is or in base64; packed by zlib or not. Of several arrays it is the one that is named as the
/// scalars, or the first. Lengths are taken as angstrom; the unit is what the array's name has in brackets, as in those that
/// are written here, if it is one of a potential; or empty.
///
/// Throws InputError, ResourceError, Cancelled.
lattice::ScalarField read_vti(const std::filesystem::path& path, const jobs::Progress& progress = {});
/// The lattice alone; its numbers are not looked at.
lattice::Lattice read_vti_lattice(const std::filesystem::path& path, const jobs::Progress& progress = {});

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

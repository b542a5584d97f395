#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/remarks.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// Reads one number per point (PointData) from VTK's XML image data in one piece, as text, or in binary of either
/// byte order: inline, or appended raw or in base64; compressed by zlib or not. Of several arrays it takes the one
/// named as the scalars, or the first. Lengths are taken as angstrom. The unit is taken from brackets in the array's
/// name, as in files written here, if it is a unit of potential; otherwise it is empty.
///
/// Remarks name the other arrays. Throws InputError, ResourceError, Cancelled.
grid::ScalarField read_vti(const std::filesystem::path& path, const jobs::Progress& progress = {},
                           Remarks* remarks = nullptr);
/// Reads only the grid; the values are not read.
grid::Grid read_vti_grid(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// Writes a field as VTK's XML image data with binary numbers, in angstrom, for ParaView and VTK 9 or later. Throws
/// Error where the grid's steps are not at right angles, which the format cannot express, or it cannot be written;
/// Cancelled.
void write_vti(const grid::ScalarField& field, const std::filesystem::path& path,
               const jobs::Progress& progress = {});

/// Writes such a file in parts, byte for byte as write_vti does: it appears at `commit`, or not at all.
class VtiWriter {
 public:
  /// Throws Error as write_vti.
  VtiWriter(const std::filesystem::path& path, const grid::Grid& grid, const std::string& name,
            const std::string& unit);
  ~VtiWriter();
  /// Writes the next planes across the first axis: a field on these only. Throws Error, Cancelled.
  void put(const grid::ScalarField& planes, const jobs::Progress& progress);
  /// Call after all planes. Throws Error where the file cannot be written.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isolume::electrostatics

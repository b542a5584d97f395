#pragma once

#include <filesystem>

#include "core/base/remarks.h"
#include "core/jobs/progress.h"
#include "core/tomography/geometry.h"

namespace isolume::tomography {

/// A stack of pictures of one size, x fastest.
struct Stack {
  int columns = 0, rows = 0, count = 0;
  Eigen::Vector3d origin = Eigen::Vector3d::Zero(),
                  spacing = Eigen::Vector3d::Ones();  ///< below 0 along flipped axes
  bool has_spacing = true;                            ///< whether the file states both: NumPy and TIFF do not
  FieldValues values;
  Remarks remarks;
};
/// Any image of three dimensions that images::read_image reads, or a NumPy file (.npy, versions 1 to 3) of real
/// numbers of shape (views, rows, columns) or (rows, columns). Throws InputError.
Stack read_stack(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// Reads a geometry for a stack. Either JSON as write_geometry() writes it, or with the circle that the manual
/// describes; or the XML of RTK (version 3) without tilted axes: RTK's axes x, y, z become x, z, -y, so that its axis
/// of rotation, y, is z here, and pixels lie where spacing and origin of the stack state. Throws InputError which
/// names the entry.
Geometry read_geometry(const std::filesystem::path& path, const Stack& stack);
/// JSON with the source and the vectors of the detector of each view.
void write_geometry(const Geometry& geometry, const std::filesystem::path& path);

struct ScanFiles {
  std::filesystem::path projections, geometry;
  std::filesystem::path flat = {}, dark = {};  ///< empty: none
  bool are_intensities = false;                ///< whether projections have no logarithm yet
};
struct Scan {
  Projections projections;
  Remarks remarks;
};
/// The geometry next to projections: the same name with .json or .xml. Throws InputError if there is none.
std::filesystem::path geometry_of(const std::filesystem::path& projections);
/// Throws InputError, also where projections are intensities without a flat field.
Scan read_scan(const ScanFiles& files, const jobs::Progress& progress = {});
/// Projections as a stack of pictures: .mha, .nrrd, .nii, .nii.gz (images::write_volume). Returns its remarks.
Remarks write_projections(const Projections& projections, const std::filesystem::path& path);
/// The same numbers, x fastest: u, v, view.
FieldValues stacked(const Projections& projections);

}  // namespace isolume::tomography

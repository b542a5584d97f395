#include "core/images/document.h"

#include <cmath>
#include <limits>

#include <Eigen/LU>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/images/readers.h"

namespace isolume::images {

namespace fs = std::filesystem;

void require_sizes(const fs::path& file, const std::vector<std::uint64_t>& sizes) {
  double voxels = 1;
  for (const std::uint64_t size : sizes) {
    voxels *= static_cast<double>(size);
    // 2^48 numbers of 8 bytes are more than any machine has, and leave room for sums of offsets.
    if (size < 1 || size > std::numeric_limits<int>::max() || voxels > 0x1p48) {
      throw InputError(file, 0, fmt::format("no image has {} voxels", fmt::join(sizes, " x ")),
                       "The file is damaged: copy or export it again.");
    }
  }
}

void require_grid(const fs::path& file, const Geometry& geometry) {
  const bool sensible = geometry.origin_mm.allFinite() && geometry.spacing_mm.allFinite() &&
                        geometry.spacing_mm.minCoeff() > 0 && geometry.direction.allFinite() &&
                        std::abs(geometry.direction.determinant()) > 1e-3;
  if (!sensible) {
    throw InputError(file, 0,
                     fmt::format("its spacing ({} mm), origin or directions are no grid",
                                 fmt::join(geometry.spacing_mm, " x ")),
                     "Export the image again.");
  }
}

Document read_image(const fs::path& path, const ReadOptions& options, const jobs::Progress& progress) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (!fs::exists(status)) throw InputError(path, 0, "no such file", "Check the name.");
  const bool is_folder = fs::is_directory(status);
  if (!is_folder && !fs::is_regular_file(status)) {
    throw InputError(path, 0, "this is no file and no folder", "Choose another.");
  }
  const FileFormat format = is_folder ? FileFormat::dicom : format_of(path);
  if (format == FileFormat::none) {
    throw InputError(path, 0, "this is no image that can be read",
                     "Choose a DICOM file or folder, NIfTI, NRRD, MetaImage, PNG, TIFF or JPEG.");
  }
  if (format == FileFormat::dicom) return read_dicom(path, options, progress);
  if (format == FileFormat::png) return read_png(path, progress);
  if (format == FileFormat::jpeg) return read_jpeg(path, progress);
  return read_volume_file(path, format, progress);
}

bool is_image(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return format_of(path) != FileFormat::none;
  for (fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, failed), end;
       !failed && at != end; at.increment(failed)) {
    if (format_of(at->path()) == FileFormat::dicom) return true;
  }
  return false;
}

}  // namespace isolume::images

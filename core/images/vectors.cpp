#include "core/images/vectors.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/images/file_format.h"
#include "core/images/stored_volume.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;

StoredVolume stored_at(const fs::path& path) {
  switch (format_of(path)) {
    case ImageFormat::nifti:
      return stored_nifti(path);
    case ImageFormat::nrrd:
      return stored_nrrd(path);
    case ImageFormat::metaimage:
      return stored_metaimage(path);
    default:
      throw InputError(path, 0, "this is not an image with three numbers in each voxel",
                       "Choose a field of displacements as NIfTI, NRRD or MetaImage.");
  }
}

/// Throws for what other programs store as three numbers, which are no vectors along the patient's axes.
void require_vectors(const StoredVolume& stored) {
  const auto& [code, name] = stored.intent;
  if (name == "Mapping") {
    throw InputError(stored.file, 0,
                     "this is a deformation of SPM, which holds positions and not displacements",
                     "Convert it to a displacement field of ITK.");
  }
  // FSL_FNIRT_DISPLACEMENT_FIELD to FSL_TOPUP_FIELD of FSL's nifti1.h.
  constexpr int first_of_fsl = 2006, last_of_fsl = 2018;
  if (code >= first_of_fsl && code <= last_of_fsl) {
    throw InputError(stored.file, 0,
                     "this is a warp of FSL, whose vectors run along the voxels' axes and not the patient's",
                     "Convert it to a displacement field of ITK.");
  }
}

}  // namespace

VectorVolume read_vectors(const fs::path& path, const jobs::Progress& progress) {
  const StoredVolume stored = stored_at(path);
  require_vectors(stored);
  StoredVectors vectors = read_stored_vectors(stored, progress);
  return {.geometry = stored.geometry,
          .components = std::move(vectors.components),
          .remarks = std::move(vectors.remarks)};
}

}  // namespace isolume::images

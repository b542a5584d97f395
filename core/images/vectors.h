#pragma once

#include <array>
#include <filesystem>

#include "core/base/field_values.h"
#include "core/base/remarks.h"
#include "core/images/geometry.h"
#include "core/jobs/progress.h"

namespace isolume::images {

/// Three numbers in each voxel: components[c][i + nx*(j + ny*k)], as in the file.
struct VectorVolume {
  Geometry geometry;
  std::array<FieldValues, 3> components;
  Remarks remarks;
};

/// Reads NIfTI, NRRD or MetaImage. Throws InputError as read_image, for another number of components, for colours,
/// and for NIfTI files whose intent names something else than vectors: deformations of SPM and warps of FSL.
VectorVolume read_vectors(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// Writes float32 vectors as NRRD, NIfTI or MetaImage by the suffix (.nrrd, .nii, .nii.gz, .mha); NIfTI has five
/// dimensions and the intent 1007 (vector), as ITK and ANTs write it. The file states positions along the patient's
/// axes, whatever the geometry's frame, because vectors belong to positions. It appears as a whole or not at all.
/// Throws Error.
void write_vectors(const Geometry& geometry, const std::array<FieldValues, 3>& components,
                   const std::filesystem::path& path);

}  // namespace isolume::images

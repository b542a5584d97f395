#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/remarks.h"
#include "core/images/document.h"
#include "core/images/voxel_body.h"
#include "core/jobs/progress.h"

namespace isolume::images {

/// What NIfTI states about the numbers (nifti1.h): 1007 for vectors.
struct NiftiIntent {
  int code = 0;
  std::string name;
};

/// Description of a volume in its file, before its numbers are read.
struct StoredVolume {
  std::filesystem::path file;
  Geometry geometry;
  NumberType type = NumberType::uint8;
  /// Numbers from a voxel to the next along i, j and k.
  std::array<std::uint64_t, 3> strides{1, 1, 1};
  enum class Meaning { value, colour, complex, vector };
  Meaning meaning = Meaning::value;
  std::uint64_t components = 1;        ///< numbers of a voxel; 3 or 4 for colours
  std::uint64_t component_stride = 1;  ///< from one of them to the next
  /// Component to read, if the caller requests them one by one; by default the first or a combination.
  std::optional<std::uint64_t> component;
  std::uint64_t promised = 0;         ///< numbers in the file, including those of further volumes
  std::optional<double> time_step_s;  ///< from one volume to the next
  double slope = 1, intercept = 0;
  std::string unit;  ///< of the values, where the file states it
  NiftiIntent intent;
  VoxelBody body;
  Remarks remarks;
};

/// Reads one of the volumes: values as stored, colours with their grey, the first component of anything else. Throws
/// InputError if the geometry is invalid or the file contains less than promised.
Document read_stored(const StoredVolume& stored, const ReadOptions& options, const jobs::Progress& progress);

/// Three numbers of each voxel, as an array for each: its components, or three volumes of one file.
struct StoredVectors {
  std::array<FieldValues, 3> components;
  Remarks remarks;
};
/// Throws InputError as read_stored, and if the file has another number of them or its numbers are not real.
StoredVectors read_stored_vectors(const StoredVolume& stored, const jobs::Progress& progress);

// What the headers of files describe. As the readers of readers.h, these only throw InputError and ResourceError.
StoredVolume stored_nifti(const std::filesystem::path& file);
StoredVolume stored_nrrd(const std::filesystem::path& file, std::optional<std::uint64_t> component = {});
StoredVolume stored_metaimage(const std::filesystem::path& file);

/// Remark for files that do not state their spacing.
inline constexpr const char* voxel_size_remark =
    "The file does not say how large a voxel is: 1 mm is assumed.";

}  // namespace isolume::images

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
  VoxelBody body;
  Remarks remarks;
};

/// Reads one of the volumes: values as stored, colours with their grey, the first component of anything else. Throws
/// InputError if the geometry is invalid or the file contains less than promised.
Document read_stored(const StoredVolume& stored, int time_point, const jobs::Progress& progress);

/// Remark for files that do not state their spacing.
inline constexpr const char* voxel_size_remark =
    "The file does not say how large a voxel is: 1 mm is assumed.";

}  // namespace isolume::images

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

/// A volume as its file has it, before its numbers are read.
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
  /// Which of them is read, where the caller asks for one after the other; otherwise the first or what they mean.
  std::optional<std::uint64_t> component;
  std::uint64_t promised = 0;  ///< numbers in the file, those of further volumes too
  double slope = 1, intercept = 0;
  VoxelBody body;
  Remarks remarks;
};

/// Reads one of the volumes: values as they are stored, colours with their grey, the first number of anything else.
/// Throws InputError where the geometry is none or the file does not hold what is promised.
Document read_stored(const StoredVolume& stored, int time_point, const jobs::Progress& progress);

/// What is said where a file does not tell its spacing.
inline constexpr const char* voxel_size_remark =
    "The file does not say how large a voxel is: 1 mm is assumed.";

}  // namespace isolume::images

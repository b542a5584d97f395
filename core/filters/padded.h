#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "core/base/field_values.h"
#include "core/filters/in_parallel.h"
#include "core/volumes/counts.h"

namespace isolume::filters {

/// A copy of a volume with voxels around it, which repeat the nearest value inside. Rows may be read 32 voxels farther than
/// their padding, for vectors.
class Padded {
 public:
  Padded(std::span<const float> volume, const volumes::Counts& counts, const std::array<int, 3>& edge)
      : edge_(edge) {
    constexpr std::size_t overrun = 32;
    std::array<std::size_t, 3> sizes{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      sizes[axis] = static_cast<std::size_t>(counts[axis]) + 2 * static_cast<std::size_t>(edge[axis]);
    row_ = sizes[0] + overrun;
    plane_ = row_ * sizes[1];
    values_.resize(plane_ * sizes[2]);
    const auto width = static_cast<std::size_t>(counts[0]), side = static_cast<std::size_t>(edge[0]);
    in_parallel(static_cast<int>(sizes[2]), {}, [&](int k) {
      const int z = std::clamp(k - edge[2], 0, counts[2] - 1);
      for (int j = 0; j < static_cast<int>(sizes[1]); ++j) {
        const int y = std::clamp(j - edge[1], 0, counts[1] - 1);
        const float* from =
            volume.data() + width * (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts[1]) +
                                     static_cast<std::size_t>(y));
        float* to =
            values_.data() + static_cast<std::size_t>(k) * plane_ + static_cast<std::size_t>(j) * row_;
        std::fill_n(to, side, from[0]);
        std::copy_n(from, width, to + side);
        std::fill_n(to + side + width, side + overrun, from[width - 1]);
      }
    });
  }

  /// Row (y, z) of the volume; from its first voxel on.
  const float* row(int y, int z) const {
    return values_.data() + offset(edge_[0], y + edge_[1], z + edge_[2]);
  }
  /// From a voxel to another one in memory.
  std::ptrdiff_t offset(int x, int y, int z) const {
    return x + static_cast<std::ptrdiff_t>(row_) * y + static_cast<std::ptrdiff_t>(plane_) * z;
  }

 private:
  std::array<int, 3> edge_;
  std::size_t row_ = 0, plane_ = 0;
  FieldValues values_;
};

}  // namespace isolume::filters

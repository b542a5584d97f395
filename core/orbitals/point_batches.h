#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include <Eigen/Core>

#include "core/grid/grid.h"
#include "core/orbitals/scattered_points.h"

namespace isolume::orbitals {

/// Up to batch_points neighbouring points and the destinations of their values; entries past `count` repeat the last
/// one.
struct PointBatch {
  ScatteredPoints::Batch places;
  std::array<std::size_t, scattered::batch_points> targets;
  int count = 0;

  void add(const Eigen::Vector3d& place, std::size_t target) {
    places.row(count) = place.transpose();
    targets[count++] = target;
  }
  void pad() {
    for (int n = count; n < scattered::batch_points; ++n) places.row(n) = places.row(count - 1);
  }
};

/// A list of points (3 x n) in batches of consecutive ones.
class ListBatches {
 public:
  explicit ListBatches(const Eigen::Matrix3Xd& points) : points_(points) {}
  std::size_t count() const {
    return (points_.cols() + scattered::batch_points - 1) / scattered::batch_points;
  }
  PointBatch batch(std::size_t number) const {
    PointBatch made;
    const Eigen::Index first = static_cast<Eigen::Index>(number) * scattered::batch_points;
    const Eigen::Index last = std::min<Eigen::Index>(first + scattered::batch_points, points_.cols());
    for (Eigen::Index n = first; n < last; ++n) made.add(points_.col(n), static_cast<std::size_t>(n));
    made.pad();
    return made;
  }

 private:
  const Eigen::Matrix3Xd& points_;
};

/// Any grid in blocks of 4 x 4 x 4 points.
class GridBatches {
 public:
  static constexpr int edge = 4;
  static_assert(edge * edge * edge == scattered::batch_points);

  explicit GridBatches(const grid::Grid& grid) : grid_(grid) {
    for (int axis = 0; axis < 3; ++axis) blocks_[axis] = (grid.dimensions[axis] + edge - 1) / edge;
  }
  std::size_t count() const { return blocks_[0] * blocks_[1] * blocks_[2]; }
  PointBatch batch(std::size_t number) const {
    PointBatch made;
    const auto& n = grid_.dimensions;
    const std::array<int, 3> first{edge * static_cast<int>(number % blocks_[0]),
                                   edge * static_cast<int>(number / blocks_[0] % blocks_[1]),
                                   edge * static_cast<int>(number / blocks_[0] / blocks_[1])};
    for (int k = first[2]; k < std::min(first[2] + edge, n[2]); ++k) {
      for (int j = first[1]; j < std::min(first[1] + edge, n[1]); ++j) {
        const std::size_t row = static_cast<std::size_t>(n[0]) * (j + static_cast<std::size_t>(n[1]) * k);
        for (int i = first[0]; i < std::min(first[0] + edge, n[0]); ++i)
          made.add(grid_.position(i, j, k), row + i);
      }
    }
    made.pad();
    return made;
  }

 private:
  grid::Grid grid_;
  std::array<std::size_t, 3> blocks_{};
};

}  // namespace isolume::orbitals

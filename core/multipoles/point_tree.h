#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Geometry>

#include "core/base/field_values.h"
#include "core/jobs/progress.h"

namespace isolume::multipoles {

/// In large pages, as walks through trees jump about in them.
template <class T>
using Paged = std::vector<T, UninitialisedAllocator<T>>;

/// Places, all three of one length; of sources, with a charge for each.
struct Points {
  std::span<const double> x, y, z;
  std::span<const double> charge = {};

  std::size_t size() const { return x.size(); }
};

/// Lengths are divided by a power of 2 that brings all points into [-2, 2] about `centre`, charges by the sum of
/// their magnitudes.
struct Frame {
  Eigen::Vector3d centre = {0, 0, 0};
  double length = 1;
  double charge = 1;  ///< 1 where nothing is charged
};
/// Around all points of both; each may be empty.
Frame frame_around(const Points& sources, const Points& targets);

/// A part of the points; lengths as the frame has them.
struct PointCell {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t next = 0;  ///< the cell after all of those in this one
  bool leaf = true;
  Eigen::Vector3d centre = {0, 0, 0};  ///< of the smallest box around its points
  double radius = 0;                   ///< no point is farther from the centre

  std::uint32_t count() const { return end - begin; }
};

/// Points in an order in which those of a cell follow each other. cells[0] is all points, and a cell is followed
/// by those in it. No leaf has more than `leaf_size` points unless they are all at one place.
///
/// A cell is cut through the middle of its smallest box, across those directions in which that is at least half
/// as long as in its longest: parts are about as long as they are wide, whatever the shape of the whole.
struct PointTree {
  Paged<std::uint32_t> original;  ///< number of each among the points that were given
  Paged<double> x, y, z, charge;
  Paged<PointCell> cells;
};

/// At least one point, finite and in the frame. The same tree whatever the number of threads.
PointTree build_point_tree(const Points& points, const Frame& frame, std::uint32_t leaf_size,
                           const jobs::Progress& progress = {});

}  // namespace isolume::multipoles

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Geometry>

#include "core/base/field_values.h"
#include "core/jobs/progress.h"

namespace isolume::multipoles {

/// Allocated in large pages, since tree walks access memory at random.
template <class T>
using Paged = std::vector<T, UninitialisedAllocator<T>>;

/// Positions: three arrays of one length; for sources, with a charge for each.
struct Points {
  std::span<const double> x, y, z;
  std::span<const double> charge = {};

  std::size_t size() const { return x.size(); }
};

/// The units of a tree: lengths are divided by the power of 2 that brings all points into [-2, 2] about
/// `centre`, charges by the sum of their magnitudes.
struct Frame {
  Eigen::Vector3d centre = {0, 0, 0};
  double length = 1;
  double charge = 1;  ///< 1 if all charges are 0
};
/// A frame that encloses all points of both; each may be empty.
Frame frame_around(const Points& sources, const Points& targets);

/// A cell of the tree; lengths are in units of the frame.
struct PointCell {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t next = 0;  ///< the cell after all descendants of this one
  bool leaf = true;
  Eigen::Vector3d centre = {0, 0, 0};  ///< of the smallest box around its points
  double radius = 0;                   ///< distance of the farthest point from the centre

  std::uint32_t count() const { return end - begin; }
};

/// Points in an order in which those of a cell are contiguous. cells[0] holds all points, and each cell is
/// followed by its descendants. No leaf has more than `leaf_size` points, unless all of them are at one
/// position.
///
/// A cell is cut through the middle of its bounding box, along those axes in which the box is at least half
/// as long as along its longest. Cells are therefore about as long as they are wide, whatever the shape of
/// the whole.
struct PointTree {
  Paged<std::uint32_t> original;  ///< index of each point in the input
  Paged<double> x, y, z, charge;
  Paged<PointCell> cells;
};

/// Needs at least one point; all must be finite and inside the frame. The tree is the same on any number of
/// threads.
PointTree build_point_tree(const Points& points, const Frame& frame, std::uint32_t leaf_size,
                           const jobs::Progress& progress = {});

}  // namespace isolume::multipoles

#include <algorithm>
#include <cmath>
#include <limits>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/nbody/forces/cell_moments.h"
#include "core/nbody/forces/target_group.h"
#include "gpu/nbody/tree/tree_on_device.h"
#include "gpu/runtime/memory/upload_vector.h"

namespace isolume::gpu {
namespace {

namespace kernels = nbody_kernels;
using UploadRange = tbb::blocked_range<std::size_t>;

/// The float is not less than the double in spite of rounding; 0 is reserved for bodies at one position.
float rounded_up(double value) {
  const auto rounded = static_cast<float>(value * (1 + 1e-6));
  return value > 0 ? std::max(rounded, std::numeric_limits<float>::min()) : rounded;
}

/// The CPU's criterion: by the angle of the box, with the offset of the centre of mass from its middle
/// (Barnes, ASP Conf. Ser. 10 (1995)), or by the bound of the first neglected moments, about M r^3 / d^5.
kernels::WalkCell walk_cell(const nbody::Cell& cell, const nbody::CellMoments& moments, double angle) {
  const double squared = cell.radius * cell.radius;
  const auto second = [&](std::size_t i, double factor) {
    return static_cast<float>(factor * squared * static_cast<double>(moments.values[i]));
  };
  return {.x = cell.centre_of_mass.x(),
          .y = cell.centre_of_mass.y(),
          .z = cell.centre_of_mass.z(),
          .mass = static_cast<float>(cell.mass),
          .radius = rounded_up(cell.radius),
          .opening_by_angle = static_cast<float>(cell.box.sizes().maxCoeff() / angle +
                                                 (cell.centre_of_mass - cell.box.center()).norm()),
          .opening_by_error = static_cast<float>(std::pow(cell.mass * squared * cell.radius, 0.2)),
          .next = cell.next,
          .begin = cell.begin,
          .end = cell.end,
          .xx = second(0, 2),
          .xy = second(1, 1),
          .xz = second(2, 1),
          .yy = second(3, 2),
          .yz = second(4, 1),
          .zz = second(5, 2)};
}

}  // namespace

TreeToUpload::TreeToUpload(const nbody::Octree& of, double opening_angle)
    : octree(of), cells(of.cells.size()), chunk_groups(1, 0) {
  const auto moments = nbody::cell_moments(octree);
  handover::parallel_for(UploadRange(0, cells.size(), 1 << 10), [&](const UploadRange& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      cells[i] = walk_cell(octree.cells[i], moments[i], opening_angle);
    }
  });
  const auto& bodies = octree.bodies;
  const auto bounds = nbody::group_bounds(bodies, 0, bodies.size(), kernels::walk_group_size);
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const nbody::TargetGroup group(bodies, bounds[i], bounds[i + 1]);
    auto& made = groups.emplace_back();
    std::copy_n(group.place.data(), 3, made.place);
    for (int axis = 0; axis < 3; ++axis) made.half[axis] = rounded_up(group.box.sizes()[axis] / 2);
    made.first = static_cast<std::uint32_t>(bounds[i]);
    made.end = static_cast<std::uint32_t>(bounds[i + 1]);
    if (made.end % kernels::walk_group_size == 0 || made.end == bodies.size())
      chunk_groups.push_back(static_cast<std::uint32_t>(groups.size()));
  }
}

TreeOnDevice upload_tree(const TreeToUpload& tree, const Stream& stream, const WaitLimits& limits) {
  const auto& bodies = tree.octree.bodies;
  return {upload_vector<kernels::WalkBody>(bodies.points, stream, limits),
          upload_vector<std::uint32_t>(bodies.original, stream, limits),
          upload_vector<kernels::WalkCell>(tree.cells, stream, limits),
          upload_vector<kernels::WalkGroup>(tree.groups, stream, limits),
          upload_vector<std::uint32_t>(tree.chunk_groups, stream, limits)};
}

}  // namespace isolume::gpu

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/field_values.h"
#include "core/jobs/progress.h"
#include "core/volumes/counts.h"

namespace isolume::regions {

/// Directions to the six neighbours of a voxel: +x, -x, +y, -y, +z, -z. `direction ^ 1` is the opposite one.
using Direction = std::uint8_t;
inline constexpr Direction directions = 6;

/// A voxel as a node of a flow network.
struct alignas(16) FlowNode {
  std::array<std::uint16_t, 6> residual;  ///< capacity that is left towards each neighbour
  std::int32_t excess;                    ///< capacity that is left from the source; below 0: to the sink
};

/// Maximum flow from a source to a sink through the grid of 6 neighbours (4 for a single slice). Capacities are whole
/// numbers, so that the flow is exact.
///
/// Incremental breadth-first search: A. V. Goldberg, S. Hed, H. Kaplan, R. E. Tarjan, R. F. Werneck, ESA 2011, LNCS
/// 6942, 457. On one thread: searches in blocks, on two threads, were no faster in noisy images.
///
/// A flow may be continued: after terminals have changed by `excess`, solve() begins with the flow there is (P. Kohli,
/// P. H. S. Torr, IEEE Trans. Pattern Anal. Mach. Intell. 29, 2079, 2007).
class GridFlow {
 public:
  /// Without capacities. Throws ResourceError for a grid that does not fit in memory.
  explicit GridFlow(const volumes::Counts& counts);

  const volumes::Counts& counts() const { return counts_; }
  /// The node of voxel (0, y, z); those of the row follow.
  std::size_t row(int y, int z) const {
    return static_cast<std::size_t>(step_[4]) * static_cast<std::size_t>(z + 1) +
           static_cast<std::size_t>(step_[2]) * static_cast<std::size_t>(y + 1) + 1;
  }
  /// The node of a voxel, in the order of the grid.
  std::size_t node(std::size_t voxel) const {
    const auto width = static_cast<std::uint32_t>(counts_[0]),
               height = static_cast<std::uint32_t>(counts_[1]);
    const std::uint32_t row_of = static_cast<std::uint32_t>(voxel) / width;
    return row(static_cast<int>(row_of % height), static_cast<int>(row_of / height)) + voxel % width;
  }
  FlowNode& operator[](std::size_t node) { return nodes_[node]; }
  const FlowNode& operator[](std::size_t node) const { return nodes_[node]; }
  /// From a node to its neighbour.
  std::ptrdiff_t step(Direction direction) const { return step_[direction]; }
  /// Sets the capacities between a node and the next one along an axis, which must be in the grid. Their sum is at most
  /// 65535.
  void link(std::size_t node, std::size_t axis, std::uint16_t forth, std::uint16_t back) {
    nodes_[node].residual[2 * axis] = forth;
    nodes_[node + static_cast<std::size_t>(step_[2 * axis])].residual[2 * axis + 1] = back;
  }

  /// Sends as much as possible from nodes of positive to nodes of negative excess. Returns how much. Throws Cancelled;
  /// the flow so far is kept, and solve() continues it.
  std::int64_t solve(const jobs::Progress& progress = {});
  /// The same for some voxels, ascending, which costs the time of these. All others must be closed.
  std::int64_t solve(std::span<const std::uint32_t> voxels, const jobs::Progress& progress = {});
  /// Takes a node out of all trees. Its neighbours must have no capacity towards it.
  void close(std::size_t node) {
    nodes_[node].excess = 0;
    labels_[node] = 0;
  }
  /// After solve(): whether a node is on the side of the source in the minimum cut that is closest to the source. This
  /// cut is unique.
  bool is_source_side(std::size_t node) const { return labels_[node] > 0; }

 private:
  using Open = std::array<std::vector<std::int32_t>, 2>;  ///< of the sink, and of the source
  std::int64_t run(std::span<const Open> parts, const jobs::Progress& progress);

  volumes::Counts counts_;
  std::array<std::ptrdiff_t, 6> step_{};
  template <class T>
  using Numbers = std::vector<T, UninitialisedAllocator<T>>;
  Numbers<FlowNode> nodes_;        ///< with a border of one voxel without capacities
  Numbers<std::int32_t> labels_;   ///< distances in the trees: see FlowTrees
  Numbers<std::uint8_t> parents_;  ///< directions to parents
};

}  // namespace isolume::regions

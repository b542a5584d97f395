#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/jobs/progress.h"
#include "core/regions/grid_flow.h"

namespace isolume::regions {

/// Search trees of the source and the sink over the nodes of a grid: see GridFlow. Nodes must have no capacity towards
/// places that are not in the grid.
class FlowTrees {
 public:
  FlowTrees(std::span<FlowNode> nodes, std::span<std::int32_t> labels, std::span<std::uint8_t> parents,
            const std::array<std::ptrdiff_t, 6>& step)
      : nodes_(nodes.data()), labels_(labels.data()), parents_(parents.data()), step_(step) {}

  /// Makes nodes with an excess roots: their labels are 1, or -1 for those of the sink; 0 elsewhere. `open` are those
  /// with neighbours of another label.
  void begin(std::vector<std::int32_t> open_sources, std::vector<std::int32_t> open_sinks);
  /// The flow that was sent. The tree of the source has then all nodes that it reaches.
  std::int64_t run(const jobs::Progress& progress);

  static constexpr std::uint8_t no_parent = 6;  ///< of roots, and of nodes outside of the trees

 private:
  template <bool is_source>
  void grow(const jobs::Progress& progress);
  void augment(std::int32_t source_node, Direction direction);
  template <bool is_source>
  void lose(std::int32_t node);
  template <bool is_source>
  void adopt();
  /// Capacity that is left between a node and its neighbour, away from the root of its tree.
  template <bool is_source>
  int outward(std::int32_t node, Direction direction) const {
    return is_source ? nodes_[node].residual[direction]
                     : nodes_[node + step_[direction]].residual[direction ^ 1U];
  }
  /// The same between the neighbour and the node, when the neighbour is the node's parent.
  template <bool is_source>
  int inward(std::int32_t node, Direction direction) const {
    return outward<!is_source>(node, direction);
  }
  std::int32_t neighbour(std::int32_t node, Direction direction) const {
    return node + static_cast<std::int32_t>(step_[direction]);
  }

  FlowNode* nodes_;
  std::int32_t*
      labels_;  ///< d at distance d - 1 from a root of the source's tree, -d in the sink's; 0 outside of both
  std::uint8_t* parents_;
  std::array<std::ptrdiff_t, 6> step_;
  std::int64_t flow_ = 0;
  std::array<std::vector<std::int32_t>, 2>
      frontiers_;                              ///< nodes of the largest distance; of the sink, of the source
  std::array<std::int32_t, 2> largest_{1, 1};  ///< distances
  std::vector<std::int32_t> current_, freed_;
  std::vector<std::vector<std::int32_t>> orphans_, found_;  ///< by distance
  std::int32_t first_orphan_ = 0, last_orphan_ = 0;
};

}  // namespace isolume::regions

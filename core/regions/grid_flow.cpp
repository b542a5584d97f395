#include "core/regions/grid_flow.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>

#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"
#include "core/regions/flow_trees.h"

namespace isolume::regions {
namespace {

using Counts = volumes::Counts;

std::array<std::ptrdiff_t, 6> steps_of(const Counts& counts) {
  const std::ptrdiff_t row = counts[0] + 1;
  // A single slice has no neighbours along z, nor capacities towards them: any step will do.
  const std::ptrdiff_t plane = counts[2] == 1 ? 0 : row * (counts[1] + 1);
  return {1, -1, row, -row, plane, -plane};
}

/// Nodes of a grid with a border of one, which rows and planes share.
std::size_t node_count(const Counts& counts) {
  const std::size_t row = static_cast<std::size_t>(counts[0]) + 1,
                    height = static_cast<std::size_t>(counts[1]);
  return counts[2] == 1 ? row * (height + 2) : row * (height + 1) * (static_cast<std::size_t>(counts[2]) + 2);
}

std::int32_t sign_of(std::int32_t excess) {
  return excess > 0 ? 1 : excess < 0 ? -1 : 0;
}

/// A part of the grid, with nodes of its own while its flow is searched.
struct Block {
  std::vector<FlowNode> nodes;
  std::vector<std::int32_t> labels;
  std::vector<std::uint8_t> parents;
};

/// Calls `visit(row of the whole, row of the block)` for all rows of a block.
template <class Visit>
void for_rows(const GridFlow& whole, const std::array<int, 3>& first, const Counts& counts,
              const std::array<std::ptrdiff_t, 6>& step, const Visit& visit) {
  for (int z = 0; z < counts[2]; ++z) {
    for (int y = 0; y < counts[1]; ++y) {
      visit(whole.row(first[1] + y, first[2] + z) + static_cast<std::size_t>(first[0]),
            static_cast<std::size_t>(step[4] * (z + 1) + step[2] * (y + 1) + 1), y, z);
    }
  }
}

/// Labels roots by their excess, and returns those with a neighbour of another label: of the sink, and of the source.
void label_row(const FlowNode* nodes, std::int32_t* labels, std::uint8_t* parents, std::size_t begin,
               int count) {
  for (std::size_t node = begin; node < begin + static_cast<std::size_t>(count); ++node) {
    labels[node] = sign_of(nodes[node].excess);
    parents[node] = FlowTrees::no_parent;
  }
}

void add_open(const FlowNode* nodes, const std::int32_t* labels, const std::array<std::ptrdiff_t, 6>& step,
              std::size_t begin, int count, std::array<std::vector<std::int32_t>, 2>& open) {
  for (std::size_t node = begin; node < begin + static_cast<std::size_t>(count); ++node) {
    const std::int32_t label = labels[node];
    if (label == 0) continue;
    for (Direction direction = 0; direction < directions; ++direction) {
      const std::size_t other = node + static_cast<std::size_t>(step[direction]);
      const auto left = label > 0 ? nodes[node].residual[direction] : nodes[other].residual[direction ^ 1U];
      if (left > 0 && labels[other] != label) {
        open[label > 0].push_back(static_cast<std::int32_t>(node));
        break;
      }
    }
  }
}

}  // namespace

GridFlow::GridFlow(const Counts& counts) : counts_(counts), step_(steps_of(counts)) {
  const std::size_t count = node_count(counts);
  dispatch::require_memory("The graph of the image", count * (sizeof(FlowNode) + sizeof(std::int32_t) + 1),
                           "Crop or resample the image.");
  nodes_.resize(count);
  labels_.resize(count);
  parents_.resize(count);
  // All threads write: the first write to memory costs more than the numbers.
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, count, 1U << 16U), [&](const auto& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      nodes_[i] = {};
      labels_[i] = 0;
      parents_[i] = FlowTrees::no_parent;
    }
  });
}

std::int64_t GridFlow::solve_blocks(bool is_shifted, const jobs::Progress& progress) {
  const int side = counts_[2] == 1 ? 128 : 48;  // measured
  std::array<int, 3> blocks{}, shift{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    shift[axis] = is_shifted && counts_[axis] > 1 ? side / 2 : 0;
    blocks[axis] = (counts_[axis] + shift[axis] + side - 1) / side;
  }
  tbb::enumerable_thread_specific<Block> memory;
  std::atomic<std::int64_t> flow = 0;
  std::atomic<int> done = 0;
  const int all = blocks[0] * blocks[1] * blocks[2];
  handover::parallel_for(tbb::blocked_range<int>(0, all, 1), [&](const auto& part) {
    for (int i = part.begin(); i != part.end(); ++i) {
      progress.check();
      progress.report(static_cast<double>(done++) / all);
      const std::array<int, 3> at{i % blocks[0], i / blocks[0] % blocks[1], i / blocks[0] / blocks[1]};
      std::array<int, 3> first{};
      Counts counts{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        first[axis] = std::max(at[axis] * side - shift[axis], 0);
        counts[axis] = std::min((at[axis] + 1) * side - shift[axis], counts_[axis]) - first[axis];
      }
      auto step = steps_of(counts);
      bool has_source = false, has_sink = false;
      for_rows(*this, first, counts, step, [&](std::size_t row, std::size_t, int, int) {
        for (std::size_t x = row; x < row + static_cast<std::size_t>(counts[0]); ++x) {
          has_source |= nodes_[x].excess > 0;
          has_sink |= nodes_[x].excess < 0;
        }
      });
      if (!has_source || !has_sink) continue;
      Block& block = memory.local();
      block.nodes.assign(node_count(counts), FlowNode{});
      block.labels.assign(block.nodes.size(), 0);
      block.parents.resize(block.nodes.size());
      std::array<std::vector<std::int32_t>, 2> open;
      for_rows(*this, first, counts, step, [&](std::size_t from, std::size_t to, int y, int z) {
        std::copy_n(nodes_.data() + from, counts[0], block.nodes.data() + to);
        const auto close = [&](std::size_t node, Direction direction) {
          block.nodes[node].residual[direction] = 0;
        };
        close(to, 1);
        close(to + static_cast<std::size_t>(counts[0]) - 1, 0);
        for (std::size_t x = to; x < to + static_cast<std::size_t>(counts[0]); ++x) {
          if (y == 0) close(x, 3);
          if (y == counts[1] - 1) close(x, 2);
          if (z == 0) close(x, 5);
          if (z == counts[2] - 1) close(x, 4);
        }
        label_row(block.nodes.data(), block.labels.data(), block.parents.data(), to, counts[0]);
      });
      for_rows(*this, first, counts, step, [&](std::size_t, std::size_t row, int, int) {
        add_open(block.nodes.data(), block.labels.data(), step, row, counts[0], open);
      });
      FlowTrees trees(block.nodes, block.labels, block.parents, step);
      trees.begin(std::move(open[1]), std::move(open[0]));
      flow += trees.run(false, progress);
      for_rows(*this, first, counts, step, [&](std::size_t to, std::size_t from, int y, int z) {
        for (int x = 0; x < counts[0]; ++x, ++to, ++from) {
          FlowNode& node = nodes_[to];
          node.excess = block.nodes[from].excess;
          const std::array<bool, 6> closed{x == counts[0] - 1, x == 0, y == counts[1] - 1, y == 0,
                                           z == counts[2] - 1, z == 0};
          for (std::size_t direction = 0; direction < directions; ++direction) {
            if (!closed[direction]) node.residual[direction] = block.nodes[from].residual[direction];
          }
        }
      });
    }
  });
  return flow;
}

std::int64_t GridFlow::solve(const jobs::Progress& progress) {
  std::int64_t flow = solve_blocks(false, progress.part(0, 0.3));
  // Much of what is left are flows between blocks.
  flow += solve_blocks(true, progress.part(0.3, 0.6));

  const int rows = counts_[1] * counts_[2];
  using Range = tbb::blocked_range<int>;
  const auto row_at = [this](int i) { return row(i % counts_[1], i / counts_[1]); };
  handover::parallel_for(Range(0, rows, 64), [&](const Range& part) {
    for (int i = part.begin(); i != part.end(); ++i)
      label_row(nodes_.data(), labels_.data(), parents_.data(), row_at(i), counts_[0]);
  });
  std::vector<std::array<std::vector<std::int32_t>, 2>> parts(
      static_cast<std::size_t>(counts_[2] == 1 ? 1 : counts_[2]));
  handover::parallel_for(Range(0, static_cast<int>(parts.size())), [&](const Range& range) {
    for (int z = range.begin(); z != range.end(); ++z) {
      for (int y = 0; y < counts_[1]; ++y)
        add_open(nodes_.data(), labels_.data(), step_, row(y, z), counts_[0],
                 parts[static_cast<std::size_t>(z)]);
    }
  });
  std::array<std::vector<std::int32_t>, 2> open;
  for (const auto& part : parts) {
    for (std::size_t side = 0; side < 2; ++side)
      open[side].insert(open[side].end(), part[side].begin(), part[side].end());
  }
  FlowTrees trees(nodes_, labels_, parents_, step_);
  trees.begin(std::move(open[1]), std::move(open[0]));
  return flow + trees.run(true, progress);
}

}  // namespace isolume::regions

#include "core/regions/grid_flow.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
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

/// Labels nodes that follow each other by the sign of their excess: those that have one are roots.
void label_row(const FlowNode* nodes, std::int32_t* labels, std::uint8_t* parents, std::size_t begin,
               int count) {
  for (std::size_t node = begin; node < begin + static_cast<std::size_t>(count); ++node) {
    labels[node] = sign_of(nodes[node].excess);
    parents[node] = FlowTrees::no_parent;
  }
}

/// Adds roots with neighbours of another label: of the sink, and of the source.
void add_open(const FlowNode* nodes, const std::int32_t* labels, const std::array<std::ptrdiff_t, 6>& step,
              std::size_t begin, int count, std::array<std::vector<std::int32_t>, 2>& open) {
  for (std::size_t node = begin; node < begin + static_cast<std::size_t>(count); ++node) {
    const std::int32_t label = labels[node];
    const auto differs = [&](Direction direction) {
      return labels[node + static_cast<std::size_t>(step[direction])] ^ label;
    };
    // Most voxels lie among their like.
    if (label == 0 || (differs(0) | differs(1) | differs(2) | differs(3) | differs(4) | differs(5)) == 0)
      continue;
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
  constexpr const char* remedy = "Crop or resample the image.";
  if (count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw ResourceError(
        fmt::format("The image has more than 2^31 voxels, which the graph cannot count. {}", remedy));
  dispatch::require_memory("The graph of the image", count * (sizeof(FlowNode) + sizeof(std::int32_t) + 1),
                           remedy);
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

std::int64_t GridFlow::solve(const jobs::Progress& progress) {
  const int rows = counts_[1] * counts_[2];
  using Range = tbb::blocked_range<int>;
  const auto row_at = [this](int i) { return row(i % counts_[1], i / counts_[1]); };
  handover::parallel_for(Range(0, rows, 64), [&](const Range& part) {
    for (int i = part.begin(); i != part.end(); ++i)
      label_row(nodes_.data(), labels_.data(), parents_.data(), row_at(i), counts_[0]);
  });
  std::vector<Open> parts(static_cast<std::size_t>(counts_[2]));
  handover::parallel_for(Range(0, counts_[2]), [&](const Range& range) {
    for (int z = range.begin(); z != range.end(); ++z) {
      for (int y = 0; y < counts_[1]; ++y)
        add_open(nodes_.data(), labels_.data(), step_, row(y, z), counts_[0],
                 parts[static_cast<std::size_t>(z)]);
    }
  });
  return run(parts, progress);
}

std::int64_t GridFlow::solve(std::span<const std::uint32_t> voxels, const jobs::Progress& progress) {
  using Range = tbb::blocked_range<std::size_t>;
  constexpr std::size_t in_part = 1U << 15U;
  handover::parallel_for(Range(0, voxels.size(), in_part), [&](const Range& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i)
      label_row(nodes_.data(), labels_.data(), parents_.data(), node(voxels[i]), 1);
  });
  std::vector<Open> parts((voxels.size() + in_part - 1) / in_part);
  handover::parallel_for(Range(0, parts.size()), [&](const Range& range) {
    for (std::size_t part = range.begin(); part != range.end(); ++part) {
      for (const std::uint32_t voxel :
           voxels.subspan(part * in_part).first(std::min(in_part, voxels.size() - part * in_part)))
        add_open(nodes_.data(), labels_.data(), step_, node(voxel), 1, parts[part]);
    }
  });
  return run(parts, progress);
}

std::int64_t GridFlow::run(std::span<const Open> parts, const jobs::Progress& progress) {
  Open open;
  for (const Open& part : parts) {
    for (std::size_t side = 0; side < 2; ++side)
      open[side].insert(open[side].end(), part[side].begin(), part[side].end());
  }
  FlowTrees trees(nodes_, labels_, parents_, step_);
  trees.begin(std::move(open[1]), std::move(open[0]));
  return trees.run(progress);
}

}  // namespace isolume::regions

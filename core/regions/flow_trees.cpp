#include "core/regions/flow_trees.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace isolume::regions {
namespace {

constexpr std::int32_t no_label = std::numeric_limits<std::int32_t>::max();

}  // namespace

void FlowTrees::begin(std::vector<std::int32_t> open_sources, std::vector<std::int32_t> open_sinks) {
  flow_ = 0;
  frontiers_ = {std::move(open_sinks), std::move(open_sources)};
  largest_ = {1, 1};
  first_orphan_ = no_label;
  last_orphan_ = 0;
}

std::int64_t FlowTrees::run(const jobs::Progress& progress) {
  while (!frontiers_[1].empty()) {
    const bool grows_source = frontiers_[0].empty() || frontiers_[1].size() <= frontiers_[0].size();
    grows_source ? grow<true>(progress) : grow<false>(progress);
  }
  return flow_;
}

template <bool is_source>
void FlowTrees::grow(const jobs::Progress& progress) {
  constexpr std::int32_t sign = is_source ? 1 : -1;
  auto& frontier = frontiers_[is_source];
  const std::int32_t level = largest_[is_source]++, next = sign * (level + 1);
  current_.clear();
  std::swap(current_, frontier);
  std::size_t until_check = 0;
  for (const std::int32_t node : current_) {
    constexpr std::size_t between_checks = 4096;
    if (until_check-- == 0) {
      progress.check();
      until_check = between_checks;
    }
    for (Direction direction = 0; direction < directions && labels_[node] == sign * level; ++direction) {
      const std::int32_t other = neighbour(node, direction);
      while (labels_[node] == sign * level && outward<is_source>(node, direction) > 0) {
        const std::int32_t label = labels_[other];
        if (label == 0) {
          labels_[other] = next;
          parents_[other] = direction ^ 1U;
          frontier.push_back(other);
        }
        if (sign * label >= 0) break;
        is_source ? augment(node, direction) : augment(other, direction ^ 1U);
      }
    }
  }
}

/// Sends what fits along the path from a root of the source by an arc between the trees to a root of the sink.
void FlowTrees::augment(std::int32_t source_node, Direction direction) {
  const std::int32_t sink_node = neighbour(source_node, direction);
  std::int32_t amount = nodes_[source_node].residual[direction];
  std::int32_t root = source_node;
  for (; parents_[root] != no_parent; root = neighbour(root, parents_[root]))
    amount = std::min<std::int32_t>(amount, inward<true>(root, parents_[root]));
  amount = std::min(amount, nodes_[root].excess);
  std::int32_t end = sink_node;
  for (; parents_[end] != no_parent; end = neighbour(end, parents_[end]))
    amount = std::min<std::int32_t>(amount, inward<false>(end, parents_[end]));
  amount = std::min(amount, -nodes_[end].excess);

  const auto send = [&](std::int32_t from, Direction along) {
    auto& left = nodes_[from].residual[along];
    auto& back = nodes_[from + step_[along]].residual[along ^ 1U];
    left = static_cast<std::uint16_t>(left - amount);
    back = static_cast<std::uint16_t>(back + amount);
    return left == 0;
  };
  flow_ += amount;
  send(source_node, direction);
  for (std::int32_t node = source_node; node != root;) {
    const std::int32_t parent = neighbour(node, parents_[node]);
    if (send(parent, parents_[node] ^ 1U)) lose<true>(node);
    node = parent;
  }
  nodes_[root].excess -= amount;
  if (nodes_[root].excess == 0) lose<true>(root);
  adopt<true>();
  for (std::int32_t node = sink_node; node != end;) {
    const std::int32_t parent = neighbour(node, parents_[node]);
    if (send(node, parents_[node])) lose<false>(node);
    node = parent;
  }
  nodes_[end].excess += amount;
  if (nodes_[end].excess == 0) lose<false>(end);
  adopt<false>();
}

/// Notes that a node has lost its parent, or its excess. The node keeps its label until adopt().
template <bool is_source>
void FlowTrees::lose(std::int32_t node) {
  const std::int32_t label = is_source ? labels_[node] : -labels_[node];
  parents_[node] = no_parent;
  if (static_cast<std::size_t>(label) >= orphans_.size())
    orphans_.resize(static_cast<std::size_t>(label) + 1);
  orphans_[static_cast<std::size_t>(label)].push_back(node);
  first_orphan_ = std::min(first_orphan_, label);
  last_orphan_ = std::max(last_orphan_, label);
}

/// Joins orphans to parents of least distance, or frees them where there is none within the largest distance.
template <bool is_source>
void FlowTrees::adopt() {
  constexpr std::int32_t sign = is_source ? 1 : -1;
  const std::int32_t largest = largest_[is_source];
  freed_.clear();
  // Nodes that are nearer to the root have their final parents already.
  for (std::int32_t label = first_orphan_; label <= last_orphan_; ++label) {
    // Children that lose their parent are added to the next list meanwhile.
    orphans_.resize(std::max(orphans_.size(), static_cast<std::size_t>(label) + 2));
    auto& all = orphans_[static_cast<std::size_t>(label)];
    for (const std::int32_t node : all) {
      Direction parent = no_parent;
      for (Direction direction = 0; direction < directions && label > 1; ++direction) {
        if (labels_[node + step_[direction]] == sign * (label - 1) &&
            inward<is_source>(node, direction) > 0) {
          parent = direction;
          break;
        }
      }
      parents_[node] = parent;
      if (parent != no_parent) continue;
      labels_[node] = 0;
      freed_.push_back(node);
      for (Direction direction = 0; direction < directions; ++direction) {
        const std::int32_t child = neighbour(node, direction);
        if (labels_[child] == sign * (label + 1) && parents_[child] == (direction ^ 1U))
          lose<is_source>(child);
      }
    }
    all.clear();
  }
  first_orphan_ = no_label;
  last_orphan_ = 0;
  if (freed_.empty()) return;

  if (found_.size() <= static_cast<std::size_t>(largest) + 1)
    found_.resize(static_cast<std::size_t>(largest) + 2);
  std::int32_t first = no_label;
  for (const std::int32_t node : freed_) {
    std::int32_t least = no_label - 1;
    for (Direction direction = 0; direction < directions; ++direction) {
      const std::int32_t label = sign * labels_[node + step_[direction]];
      if (label > 0 && label < least && inward<is_source>(node, direction) > 0) least = label;
    }
    if (least >= largest) {
      // Roots among the like are not in the frontier, until one of these is free.
      for (Direction direction = 0; direction < directions && least == 1; ++direction) {
        if (labels_[node + step_[direction]] == sign && inward<is_source>(node, direction) > 0)
          frontiers_[is_source].push_back(neighbour(node, direction));
      }
      continue;
    }
    found_[static_cast<std::size_t>(least) + 1].push_back(node);
    first = std::min(first, least + 1);
  }
  for (std::int32_t label = first; label <= largest; ++label) {
    auto& all = found_[static_cast<std::size_t>(label)];
    for (const std::int32_t node : all) {
      if (labels_[node] != 0) continue;
      labels_[node] = sign * label;
      if (label == largest) frontiers_[is_source].push_back(node);
      for (Direction direction = 0; direction < directions; ++direction) {
        const std::int32_t other = neighbour(node, direction);
        if (parents_[node] == no_parent && labels_[other] == sign * (label - 1) &&
            inward<is_source>(node, direction) > 0) {
          parents_[node] = direction;
        } else if (label < largest && labels_[other] == 0 && outward<is_source>(node, direction) > 0) {
          found_[static_cast<std::size_t>(label) + 1].push_back(other);
        }
      }
    }
    all.clear();
  }
}

}  // namespace isolume::regions

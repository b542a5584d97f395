#include "core/regions/graph_cut.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"

namespace isolume::regions {
namespace {

constexpr int scale = 4096;  ///< of a link of weight 1
/// More than all links of a voxel together: what has it is on the terminal's side.
constexpr std::int32_t hard = 6 * 2 * scale + 1;
constexpr double least_density = 0.01;  ///< relative to an even one

}  // namespace

/// Costs of labels at voxels that are not seeds, in units of the links: -ln of the density of the voxel's value,
/// relative to an even one, by a kernel estimate from the seeds' values. Far from all seeds, labels cost the same.
class GraphCut::Costs {
 public:
  /// Labels count from 1 to `labels`. That of a label without seeds is as unlikely as possible.
  Costs(const SeededImage& image, int labels, double weight);
  const SeededImage& image() const { return image_; }
  std::int32_t operator()(Label label, std::size_t voxel) const {
    const float place = (image_.values[voxel] - low_) * bins_per_value_;
    const std::size_t bin = place <= 0 ? 0 : std::min(static_cast<std::size_t>(place), bins - 1);
    return costs_[bin * labels_ + static_cast<std::size_t>(label) - 1];
  }

 private:
  static constexpr std::size_t bins = 1024;

  SeededImage image_;
  std::size_t labels_;
  float low_ = 0, bins_per_value_ = 0;
  std::vector<std::int32_t> costs_;  ///< of all labels in each bin
};

GraphCut::Costs::Costs(const SeededImage& image, int labels, double weight)
    : image_(image), labels_(static_cast<std::size_t>(labels)), costs_(labels_ * bins) {
  if (weight == 0) return;
  std::vector<std::vector<double>> values(static_cast<std::size_t>(labels));
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < image.seeds.size(); ++i) {
    if (image.seeds[i] == 0) continue;
    const auto value = static_cast<double>(image.values[i]);
    values[image.seeds[i] - 1U].push_back(value);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!(high > low)) return;  // values do not tell labels apart
  const double margin = 0.25 * (high - low);
  low -= margin;
  high += margin;
  low_ = static_cast<float>(low);
  bins_per_value_ = static_cast<float>(bins / (high - low));
  for (std::size_t label = 0; label < values.size(); ++label) {
    const auto& own = values[label];
    std::vector<double> densities(bins);
    if (!own.empty()) {
      const auto count = static_cast<double>(own.size());
      const double mean = std::accumulate(own.begin(), own.end(), 0.0) / count;
      double squares = 0;
      for (const double each : own) squares += (each - mean) * (each - mean);
      // Silverman's rule; a few values are not more certain than a part of the range.
      const double bandwidth =
          std::max(1.06 * std::sqrt(squares / count) * std::pow(count, -0.2), 0.02 * (high - low));
      const double width = bandwidth * static_cast<double>(bins_per_value_);
      std::vector<double> counts(bins), kernel(bins);
      for (const double each : own)
        ++counts[std::min(static_cast<std::size_t>((each - low) * static_cast<double>(bins_per_value_)),
                          bins - 1)];
      for (std::size_t away = 0; away < bins; ++away) {
        const double ratio = static_cast<double>(away) / width;
        kernel[away] = bins / (count * width * std::sqrt(2 * M_PI)) * std::exp(-0.5 * ratio * ratio);
      }
      for (std::size_t from = 0; from < bins; ++from) {
        if (counts[from] == 0) continue;
        for (std::size_t to = 0; to < bins; ++to)
          densities[to] += counts[from] * kernel[to > from ? to - from : from - to];
      }
    }
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const double density = (1 - least_density) * densities[bin] + least_density;
      costs_[bin * labels_ + label] =
          static_cast<std::int32_t>(std::lrint(-weight * scale * std::log(density)));
    }
  }
}

GraphCut::GraphCut(const grid::Grid& grid, std::span<const float> values, double edge)
    : grid_(grid), values_(values), weights_(grid, values, edge) {
  // The flow, three links, terminals and labels.
  constexpr std::size_t bytes =
      sizeof(FlowNode) + sizeof(std::int32_t) + 1 + 3 * sizeof(std::uint16_t) + sizeof(std::int32_t) + 1;
  dispatch::require_memory("The graph cut", values.size() * bytes, "Crop or resample the image.");
  flow_.emplace(grid.dimensions);
  const auto& n = grid.dimensions;
  const std::array<std::size_t, 3> strides{1, static_cast<std::size_t>(n[0]),
                                           static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1])};
  for (auto& each : links_) each.resize(values.size());
  handover::parallel_for(tbb::blocked_range<int>(0, n[1] * n[2], 8), [&](const auto& part) {
    for (int row = part.begin(); row != part.end(); ++row) {
      const std::array<int, 3> at{0, row % n[1], row / n[1]};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const int count = axis == 0 ? n[0] - 1 : at[axis] + 1 < n[axis] ? n[0] : 0;
        const std::size_t first = static_cast<std::size_t>(row) * strides[1];
        const float* own = values_.data() + first;
        const float* other = own + strides[axis];
        std::uint16_t* links = links_[axis].data() + first;
        for (int x = 0; x < count; ++x) {
          // None is 0: without links, voxels would have any label.
          links[x] =
              static_cast<std::uint16_t>(std::max(scale * weights_(own[x], other[x], axis) + 0.5F, 1.F));
        }
        std::fill(links + count, links + n[0], std::uint16_t{0});
      }
    }
  });
}

void GraphCut::link() {
  const auto& n = grid_.dimensions;
  handover::parallel_for(tbb::blocked_range<int>(0, n[1] * n[2], 8), [&](const auto& part) {
    for (int row = part.begin(); row != part.end(); ++row) {
      const int y = row % n[1], z = row / n[1];
      std::size_t i = static_cast<std::size_t>(row) * static_cast<std::size_t>(n[0]), node = flow_->row(y, z);
      for (int x = 0; x < n[0]; ++x, ++i, ++node) {
        (*flow_)[node].excess = 0;
        if (x + 1 < n[0]) flow_->link(node, 0, links_[0][i], links_[0][i]);
        if (y + 1 < n[1]) flow_->link(node, 1, links_[1][i], links_[1][i]);
        if (z + 1 < n[2]) flow_->link(node, 2, links_[2][i], links_[2][i]);
      }
    }
  });
}

void GraphCut::cut_in_two(const Costs& costs, std::array<Label, 2> labels, Result& result,
                          const jobs::Progress& progress) {
  if (terminals_.empty()) {
    link();
    terminals_.assign(values_.size(), 0);
  }
  const auto& n = grid_.dimensions;
  const auto for_rows = [&](const auto& visit) {
    handover::parallel_for(tbb::blocked_range<int>(0, n[1] * n[2], 8), [&](const auto& part) {
      for (int row = part.begin(); row != part.end(); ++row) {
        std::size_t i = static_cast<std::size_t>(row) * static_cast<std::size_t>(n[0]);
        const std::size_t node = flow_->row(row % n[1], row / n[1]);
        for (std::size_t x = 0; x < static_cast<std::size_t>(n[0]); ++x, ++i) visit(node + x, i);
      }
    });
  };
  for_rows([&](std::size_t node, std::size_t i) {
    const Label seed = costs.image().seeds[i];
    const std::int32_t terminal = seed == labels[0] ? hard
                                  : seed == labels[1]
                                      ? -hard
                                      : std::clamp(costs(labels[1], i) - costs(labels[0], i), -hard, hard);
    (*flow_)[node].excess += terminal - terminals_[i];
    terminals_[i] = terminal;
  });
  flow_->solve(progress);
  for_rows([&](std::size_t node, std::size_t i) {
    result.labels[i] = flow_->is_source_side(node) ? labels[0] : labels[1];
  });
}

template <class Visit>
void GraphCut::for_open(const Visit& visit) const {
  using Range = tbb::blocked_range<std::size_t>;
  handover::parallel_for(Range(0, open_.size(), 4096), [&](const Range& part) {
    for (std::size_t k = part.begin(); k != part.end(); ++k) visit(open_[k], flow_->node(open_[k]));
  });
}

/// Links an open voxel: visit(neighbour, weight, direction) returns the capacity towards each neighbour that is in the
/// flow, and nothing for the others.
template <class Visit>
void GraphCut::link_open(std::size_t i, std::size_t node, const Visit& visit) {
  FlowNode& own = (*flow_)[node];
  own.residual = {};
  const auto link = [&](std::size_t other, std::uint16_t weight, Direction direction) {
    if (weight == 0) return;  // the image ends here
    if (const std::optional<std::uint16_t> capacity = visit(other, weight, direction)) {
      own.residual[direction] = *capacity;
    } else {
      (*flow_)[node + static_cast<std::size_t>(flow_->step(direction))].residual[direction ^ 1U] = 0;
    }
  };
  std::size_t stride = 1;
  for (Direction axis = 0; axis < 3; stride *= static_cast<std::size_t>(grid_.dimensions[axis++])) {
    const auto forth = static_cast<Direction>(2 * axis), back = static_cast<Direction>(forth + 1);
    link(i + stride, links_[axis][i], forth);
    if (i >= stride) link(i - stride, links_[axis][i - stride], back);
  }
}

/// Gives a label to the open voxels that have it in every labelling of least energy, and closes them: those on the side
/// of the label in the cut against the cheapest other label of each voxel (I. Kovtun, DAGM 2003, LNCS 2781, 402). They have
/// it after the best expansion of any labelling, too.
void GraphCut::fix(const Costs& costs, std::span<const Label> used, Label label, std::vector<Label>& labels,
                   const jobs::Progress& progress) {
  for_open([&](std::size_t i, std::size_t node) {
    std::array<std::int32_t, 256> cost;  // less the same number for all labels
    for (const Label each : used) cost[each] = costs(each, i);
    link_open(i, node,
              [&](std::size_t other, std::uint16_t weight, Direction) -> std::optional<std::uint16_t> {
                if (labels[other] == 0) return weight;
                cost[labels[other]] -= weight;
                return std::nullopt;
              });
    std::int32_t others = std::numeric_limits<std::int32_t>::max();
    for (const Label each : used) {
      if (each != label) others = std::min(others, cost[each]);
    }
    (*flow_)[node].excess = others - cost[label];
  });
  flow_->solve(open_, progress);
  for_open([&](std::size_t i, std::size_t node) {
    if (!flow_->is_source_side(node)) return;
    labels[i] = label;
    flow_->close(node);
  });
  std::erase_if(open_, [&](std::uint32_t i) { return labels[i] != 0; });
}

/// Gives a label to all open voxels for which that lowers the energy most. Returns whether any changed.
bool GraphCut::expand(const Costs& costs, Label label, const std::vector<std::uint8_t>& is_open,
                      std::vector<Label>& labels, const jobs::Progress& progress) {
  const auto moves = [&](std::size_t i) { return is_open[i] != 0 && labels[i] != label; };
  for_open([&](std::size_t i, std::size_t node) {
    const Label own = labels[i];
    std::int32_t excess = 0;
    if (own != label) {
      excess = costs(own, i) - costs(label, i);
      link_open(
          i, node,
          [&](std::size_t other, std::uint16_t weight, Direction direction) -> std::optional<std::uint16_t> {
            if (!moves(other)) {
              excess += (labels[other] != own ? weight : 0) - (labels[other] != label ? weight : 0);
              return std::nullopt;
            }
            if (labels[other] == own) return weight;
            // The link is free if both change: it costs the second voxel as much to keep its label as to change alone.
            const bool is_second = (direction & 1U) != 0;
            excess += is_second ? weight : 0;
            return is_second ? weight : std::uint16_t{0};
          });
    }
    (*flow_)[node].excess = excess;
  });
  flow_->solve(open_, progress);
  std::atomic<bool> is_changed = false;
  for_open([&](std::size_t i, std::size_t node) {
    if (labels[i] == label || !flow_->is_source_side(node)) return;
    labels[i] = label;
    is_changed = true;
  });
  return is_changed;
}

void GraphCut::cut_several(const Costs& costs, std::span<const Label> used, Result& result,
                           const jobs::Progress& progress) {
  std::vector<Label>& labels = result.labels;
  terminals_ = {};  // the flow becomes another one
  open_.clear();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = costs.image().seeds[i];
    labels[i] == 0 ? open_.push_back(static_cast<std::uint32_t>(i)) : flow_->close(flow_->node(i));
  }
  // A label that is fixed makes others certain. Rounds end when they fix little.
  for (std::size_t before = 0; before != open_.size() && before / 100 <= before - open_.size();) {
    before = open_.size();
    for (const Label each : used) fix(costs, used, each, labels, progress);
  }
  if (open_.empty()) return;
  std::vector<std::uint8_t> is_open(labels.size());
  for (const std::uint32_t i : open_) {
    is_open[i] = 1;
    labels[i] = used.back();
    for (const Label each : used) {
      if (costs(each, i) < costs(labels[i], i)) labels[i] = each;
    }
  }
  // Ends after all labels in turn have brought nothing.
  for (std::size_t unchanged = 0, next = 0; unchanged < used.size(); next = (next + 1) % used.size()) {
    ++result.expansions;
    unchanged = expand(costs, used[next], is_open, labels, progress) ? 0 : unchanged + 1;
  }
}

std::int64_t GraphCut::energy(const Costs& costs, std::span<const Label> labels) const {
  const auto& n = grid_.dimensions;
  const std::array<std::size_t, 3> strides{1, static_cast<std::size_t>(n[0]),
                                           static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1])};
  using Range = tbb::blocked_range<std::size_t>;
  return handover::parallel_reduce(
      Range(0, labels.size(), 1U << 16U), std::int64_t{0},
      [&](const Range& part, std::int64_t sum) {
        for (std::size_t i = part.begin(); i != part.end(); ++i) {
          if (costs.image().seeds[i] == 0) sum += costs(labels[i], i);
          for (std::size_t axis = 0; axis < 3; ++axis) {
            // Links are 0 at the last voxel.
            if (links_[axis][i] > 0 && labels[i] != labels[i + strides[axis]]) sum += links_[axis][i];
          }
        }
        return sum;
      },
      std::plus<>());
}

GraphCut::Result GraphCut::cut(std::span<const Label> seeds, double likelihood,
                               const jobs::Progress& progress) {
  const SeededImage image{grid_, values_, seeds};
  require_seeds(image, 2);
  const int count = image.label_count();
  const Costs costs(image, count, likelihood);
  std::vector<Label> used;
  for (int label = 1; label <= count; ++label) {
    if (std::ranges::find(seeds, static_cast<Label>(label)) != seeds.end())
      used.push_back(static_cast<Label>(label));
  }
  Result result;
  result.labels.resize(seeds.size());
  if (used.size() == 2) {
    cut_in_two(costs, {used[0], used[1]}, result, progress);
  } else {
    cut_several(costs, used, result, progress);
  }
  result.energy = static_cast<double>(energy(costs, result.labels)) / scale;
  return result;
}

}  // namespace isolume::regions

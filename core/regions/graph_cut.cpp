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
    return costs_[(static_cast<std::size_t>(label) - 1) * bins + bin];
  }

 private:
  static constexpr std::size_t bins = 1024;

  SeededImage image_;
  float low_ = 0, bins_per_value_ = 0;
  std::vector<std::int32_t> costs_;
};

GraphCut::Costs::Costs(const SeededImage& image, int labels, double weight)
    : image_(image), costs_(static_cast<std::size_t>(labels) * bins) {
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
      costs_[label * bins + bin] = static_cast<std::int32_t>(std::lrint(-weight * scale * std::log(density)));
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

/// Gives `label` to all voxels for which that lowers the energy most. Returns whether any changed.
bool GraphCut::expand(const Costs& costs, Label label, Result& result, const jobs::Progress& progress) {
  const auto& n = grid_.dimensions;
  terminals_.clear();  // the flow is another one
  link();
  const std::array<std::size_t, 3> strides{1, static_cast<std::size_t>(n[0]),
                                           static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1])};
  using Range = tbb::blocked_range<int>;
  const auto add = [&](std::size_t node, std::size_t i, const std::array<int, 3>& at) {
    const Label own = result.labels[i], seed = costs.image().seeds[i];
    std::int32_t excess = 0;
    // What a voxel that has the label already would cost otherwise does not matter: it keeps it either way.
    if (seed != 0) {
      excess = seed == label ? hard : -hard;
    } else if (own != label) {
      excess = std::clamp(costs(own, i) - costs(label, i), -hard, hard);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // Costs of a link when both keep theirs, and when the second or the first one changes; both changing is free.
      // Links within another label are as for two labels.
      if (at[axis] + 1 < n[axis]) {
        const Label other = result.labels[i + strides[axis]];
        const std::uint16_t weight = links_[axis][i];
        const int keep = own == other ? 0 : weight, second = own == label ? 0 : weight,
                  first = label == other ? 0 : weight;
        if (own != other || own == label) {
          excess -= first - keep;
          flow_->link(node, axis, 0, static_cast<std::uint16_t>(second + first - keep));
        }
      }
      if (at[axis] > 0 && own != label && result.labels[i - strides[axis]] != own)
        excess += links_[axis][i - strides[axis]];
    }
    (*flow_)[node].excess = excess;
  };
  handover::parallel_for(Range(0, n[1] * n[2], 8), [&](const Range& part) {
    for (int row = part.begin(); row != part.end(); ++row) {
      std::array<int, 3> at{0, row % n[1], row / n[1]};
      std::size_t node = flow_->row(at[1], at[2]), i = static_cast<std::size_t>(row) * strides[1];
      for (; at[0] < n[0]; ++at[0]) add(node++, i++, at);
    }
  });
  flow_->solve(progress);
  std::atomic<bool> is_changed = false;
  handover::parallel_for(Range(0, n[1] * n[2], 8), [&](const Range& part) {
    for (int row = part.begin(); row != part.end(); ++row) {
      const std::size_t node = flow_->row(row % n[1], row / n[1]),
                        first = static_cast<std::size_t>(row) * strides[1];
      for (std::size_t x = 0; x < strides[1]; ++x) {
        if (result.labels[first + x] == label || !flow_->is_source_side(node + x)) continue;
        result.labels[first + x] = label;
        is_changed = true;
      }
    }
  });
  return is_changed;
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
    result.energy = static_cast<double>(energy(costs, result.labels)) / scale;
    return result;
  }
  for (std::size_t i = 0; i < seeds.size(); ++i) result.labels[i] = seeds[i] != 0 ? seeds[i] : used.back();
  std::int64_t least = energy(costs, result.labels);
  // Ends after all labels in turn have brought nothing.
  for (std::size_t unchanged = 0, next = 0; unchanged < used.size(); next = (next + 1) % used.size()) {
    const std::vector<Label> before = result.labels;
    ++result.expansions;
    const std::int64_t now =
        expand(costs, used[next], result, progress) ? energy(costs, result.labels) : least;
    if (now < least) {
      least = now;
      unchanged = 0;
    } else {
      result.labels = before;
      ++unchanged;
    }
  }
  result.energy = static_cast<double>(least) / scale;
  return result;
}

}  // namespace isolume::regions

#include "core/livewire/costs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <optional>
#include <utility>

#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/livewire/edge_rows.h"

namespace isolume::livewire {

namespace {

/// The directions to the left and to the right of a direction of travel.
constexpr int left_of(int direction) {
  return direction < 4 ? (direction + 3) % 4 : 4 + (direction + 3) % 4;
}
constexpr int right_of(int direction) {
  return opposite(left_of(direction));
}

/// Converts a cost in grid units to an integer.
std::uint16_t whole_cost(float cost) {
  // Not std::lround, which would be a function call for each pixel.
  const auto rounded = static_cast<std::int32_t>(cost + 0.5F);
  return static_cast<std::uint16_t>(std::clamp(rounded, 1, static_cast<std::int32_t>(greatest_node_cost)));
}

rows::Bounds both(rows::Bounds one, rows::Bounds other) {
  return {std::min(one.least, other.least), std::max(one.greatest, other.greatest)};
}

/// An image with a border of two pixels, so that the neighbours of an arc need no bounds checks.
class BorderedImage {
 public:
  template <class Value>  ///< function (x, y) -> float, within the slice
  BorderedImage(int width, int height, Value&& value)
      : stride_(width + 4),
        values_(static_cast<std::size_t>(stride_) * static_cast<std::size_t>(height + 4)) {
    handover::parallel_for(tbb::blocked_range<int>(-2, height + 2, 16), [&](const auto& rows) {
      for (int y = rows.begin(); y < rows.end(); ++y) {
        float* to = row(y);
        const int inside = std::clamp(y, 0, height - 1);
        for (int x = 0; x < width; ++x) to[x] = value(x, inside);
        to[-2] = to[-1] = to[0];
        to[width] = to[width + 1] = to[width - 1];
      }
    });
  }
  float* row(int y) { return values_.data() + (y + 2) * static_cast<std::ptrdiff_t>(stride_) + 2; }
  const float* row(int y) const {
    return values_.data() + (y + 2) * static_cast<std::ptrdiff_t>(stride_) + 2;
  }

 private:
  int stride_;
  FieldValues values_;
};

/// Weights normalised by the sum of those in use.
struct Weights {
  float gradient, zero_crossing, direction, inside, outside, trained;
  bool need_sides() const { return inside > 0 || outside > 0 || trained > 0; }
  bool need_arcs() const { return direction > 0 || need_sides(); }
};
Weights relative_weights(const CostParameters& parameters, bool is_trained) {
  const double trained = is_trained ? parameters.trained_weight : 0;
  const double sum = parameters.gradient_weight + parameters.zero_crossing_weight +
                     parameters.direction_weight + parameters.inside_weight + parameters.outside_weight +
                     trained;
  if (!(sum > 0)) throw Error("All weights of the cost are 0. Give one that is not.");
  const auto part = [&](double weight) { return static_cast<float>(weight / sum); };
  return {part(parameters.gradient_weight),  part(parameters.zero_crossing_weight),
          part(parameters.direction_weight), part(parameters.inside_weight),
          part(parameters.outside_weight),   part(trained)};
}

CostGrid empty_grid(const images::SliceImage& slice, Neighbours neighbours) {
  CostGrid grid;
  grid.width = slice.plane.columns;
  grid.height = slice.plane.rows;
  grid.neighbours = neighbours;
  grid.length = step_lengths(slice.plane.metric());
  grid.units_per_one = greatest_node_cost;
  return grid;
}

/// f = (1 - (G - G_min) / (G_max - G_min)) |p - q| / sqrt(2); the constant is in `units_per_one`.
CostGrid thesis_costs(const images::SliceImage& slice, const Features& features) {
  CostGrid grid = empty_grid(slice, Neighbours::four);
  grid.units_per_one *= std::numbers::sqrt2;
  const auto [least, greatest] = std::ranges::minmax(features.gradient);
  const float range = greatest > least ? greatest - least : 1;
  grid.node.resize(grid.pixel_count());
  for (std::size_t at = 0; at < grid.node.size(); ++at)
    grid.node[at] =
        whole_cost(static_cast<float>(greatest_node_cost) * (1 - (features.gradient[at] - least) / range));
  finish(grid);
  return grid;
}

rows::PixelCosts pixel_costs_of(const Features& features, const CostParameters& parameters,
                                const Weights& weights) {
  constexpr auto units = static_cast<float>(greatest_node_cost);
  return {.gradient_weight = units * weights.gradient,
          .zero_crossing_weight = units * weights.zero_crossing,
          .full_gradient = static_cast<float>(parameters.zero_crossing_threshold) * features.gradient_scale,
          // In an edge's middle the Laplacian changes by gradient / sigma^2 a pixel; far less is rounding.
          .least_change = 1e-3F * features.gradient_scale /
                          static_cast<float>(parameters.sigma_px * parameters.sigma_px)};
}

/// Gradient that counts as 1: the strongest one of the neighbourhood, within bounds. Computed for square blocks, with
/// linear interpolation between their centres.
class LocalScale {
 public:
  LocalScale(const Features& features, double reach_px) {
    constexpr float least_part = 0.2F;
    const int longest = std::max(features.width, features.height);
    side_ = reach_px > 0 ? std::clamp(static_cast<int>(std::lround(reach_px)), 2, longest + 1) : longest + 1;
    across_ = (features.width + side_ - 1) / side_;
    down_ = (features.height + side_ - 1) / side_;
    scales_.assign(static_cast<std::size_t>(across_) * static_cast<std::size_t>(down_),
                   features.gradient_scale);
    if (reach_px <= 0) return;
    handover::parallel_for(tbb::blocked_range<int>(0, down_), [&](const auto& blocks) {
      std::vector<float> columns(static_cast<std::size_t>(features.width));
      for (int block = blocks.begin(); block < blocks.end(); ++block) {
        std::fill(columns.begin(), columns.end(), least_part * features.gradient_scale);
        for (int y = block * side_; y < std::min((block + 1) * side_, features.height); ++y) {
          const float* from =
              &features.gradient[static_cast<std::size_t>(y) * static_cast<std::size_t>(features.width)];
          for (std::size_t x = 0; x < columns.size(); ++x) columns[x] = std::max(columns[x], from[x]);
        }
        for (int i = 0; i < across_; ++i) {
          const auto first = columns.begin() + i * side_;
          const auto last = columns.begin() + std::min((i + 1) * side_, features.width);
          const float strongest = *std::max_element(first, last);
          row(block)[i] = std::min(strongest, features.gradient_scale);
        }
      }
    });
  }

  void fill_row(int y, int width, float* to) const {
    const auto [above, weight] = blocks_about(y, down_);
    const float *one = row(above), *other = row(std::min(above + 1, down_ - 1));
    for (int x = 0; x < width;) {
      const int block = blocks_about(x, across_).first, next = std::min(block + 1, across_ - 1);
      const float left = one[block] + weight * (other[block] - one[block]),
                  right = one[next] + weight * (other[next] - one[next]);
      const int behind_next_middle = ((2 * next + 1) * side_ + 1) / 2;
      const int end = next == across_ - 1 ? width : std::min(width, behind_next_middle);
      const float slope = (right - left) / static_cast<float>(side_);
      const float start =
          static_cast<float>(x) + 0.5F - (static_cast<float>(block) + 0.5F) * static_cast<float>(side_);
      for (int i = x; i < end; ++i)
        to[i] = left + slope * std::clamp(start + static_cast<float>(i - x), 0.0F, static_cast<float>(side_));
      x = end;
    }
  }

 private:
  float* row(int block) {
    return &scales_[static_cast<std::size_t>(block) * static_cast<std::size_t>(across_)];
  }
  const float* row(int block) const {
    return &scales_[static_cast<std::size_t>(block) * static_cast<std::size_t>(across_)];
  }
  /// The last block whose centre is not after a pixel's, and the fraction of the way to the next.
  std::pair<int, float> blocks_about(int pixel, int count) const {
    const float at = (static_cast<float>(pixel) + 0.5F) / static_cast<float>(side_) - 0.5F;
    const int block = std::clamp(static_cast<int>(std::floor(at)), 0, std::max(0, count - 2));
    return {block, std::clamp(at - static_cast<float>(block), 0.0F, 1.0F)};
  }

  int side_ = 1, across_ = 1, down_ = 1;
  std::vector<float> scales_;
};

/// Arc costs from the intensities on both sides.
class SideCosts {
 public:
  SideCosts(const images::SliceImage& slice, const Features& features, const CostParameters& parameters,
            const Training* training, const Weights& weights)
      : parameters_(parameters),
        training_(weights.trained > 0 ? training : nullptr),
        weights_(weights),
        gradient_(features.width, features.height,
                  [&](int x, int y) {
                    return features
                        .gradient[static_cast<std::size_t>(y) * static_cast<std::size_t>(features.width) +
                                  static_cast<std::size_t>(x)];
                  }),
        intensity_(features.width, features.height, [&](int x, int y) { return slice.at(x, y); }) {}

  void fill_row(int y, int d, int width, float* costs) const {
    const Pixel step = steps[static_cast<std::size_t>(d)];
    const auto side = [&](int direction) {
      const Pixel off = steps[static_cast<std::size_t>(direction)];
      return intensity_.row(y + off.y) + off.x;
    };
    const auto side_of_end = [&](int direction) {
      const Pixel off = steps[static_cast<std::size_t>(direction)];
      return intensity_.row(y + off.y + step.y) + off.x + step.x;
    };
    const float *left = side(left_of(d)), *left_of_end = side_of_end(left_of(d));
    const float *right = side(right_of(d)), *right_of_end = side_of_end(right_of(d));
    const float* gradient = gradient_.row(y + step.y) + step.x;
    for (int x = 0; x < width; ++x) {
      const float on_left = (left[x] + left_of_end[x]) / 2, on_right = (right[x] + right_of_end[x]) / 2;
      float cost =
          weights_.inside * deviation(on_left, parameters_.inside_value, parameters_.inside_tolerance) +
          weights_.outside * deviation(on_right, parameters_.outside_value, parameters_.outside_tolerance);
      if (training_ != nullptr) cost += weights_.trained * training_->cost(gradient[x], on_left, on_right);
      costs[x] = static_cast<float>(greatest_node_cost) * cost;
    }
  }

 private:
  static float deviation(float intensity, double wanted, double tolerance) {
    const float relative = std::abs(intensity - static_cast<float>(wanted)) / static_cast<float>(tolerance);
    return relative <= 1 ? relative : 1;
  }

  const CostParameters& parameters_;
  const Training* training_;
  Weights weights_;
  BorderedImage gradient_, intensity_;
};

/// The costs of a band of rows. Pixel costs and edge directions are kept for three rows, since arcs lead to those
/// above and below; the slice's border is repeated outwards.
class Band {
 public:
  Band(const images::SliceImage& slice, const Features& features, const CostParameters& parameters,
       const Weights& weights, const LocalScale& scale, const SideCosts* sides, CostGrid& grid)
      : features_(features),
        scale_(scale),
        sides_(sides),
        grid_(grid),
        pixel_costs_(pixel_costs_of(features, parameters, weights)),
        padded_(5, features.width, 1),
        costs_(3, features.width, 1),
        turns_(12, features.width, 1),
        more_(8, features.width, 0),
        words_(part_px * 4 + 64) {
    const Eigen::Matrix2d to_mm = slice.plane.metric();
    for (const std::size_t d : {0, 1, 4, 5}) {
      const Eigen::Vector2d step = to_mm * Eigen::Vector2d(steps[d].x, steps[d].y);
      axes_.push_back(static_cast<float>(std::atan2(step.y(), step.x())));
    }
    // Gradients transform with the inverse transpose of the map.
    shear_ = static_cast<float>(to_mm(0, 1) / to_mm(0, 0));
    if (grid.neighbours == Neighbours::four) axes_.resize(2);
    angles_ = {.height_by_width = static_cast<float>(to_mm(1, 1) / to_mm(0, 0)),
               .weight = static_cast<float>(greatest_node_cost) * weights.direction * 2 /
                         (3 * std::numbers::pi_v<float>),
               .axes = axes_};
  }

  rows::Bounds fill_arcs(int first, int last) {
    rows::Bounds bounds;
    for (int y = first - 1; y <= first; ++y) prepare(y);
    for (int y = first; y < last; ++y) {
      prepare(y + 1);
      for (int d = 0; sides_ != nullptr && d < grid_.directions(); ++d)
        sides_->fill_row(y, d, grid_.width, more_[d]);
      for (int x = 0; x < grid_.width; x += part_px) fill_arcs_of(x, y, bounds);
    }
    return bounds;
  }
  void fill_nodes(int first, int last) {
    for (int y = first; y < last; ++y) {
      prepare(y);
      const float* costs = costs_[slot(y)];
      std::transform(costs, costs + grid_.width, &grid_.node[grid_.index({0, y})], whole_cost);
    }
  }

 private:
  static constexpr int part_px = 256;  ///< per pass over a row, so that the words of its arcs fit into the
                                       ///< first-level cache

  void fill_arcs_of(int x, int y, rows::Bounds& bounds) {
    rows::Arcs arcs{.width = std::min(part_px, grid_.width - x),
                    .directions = grid_.directions(),
                    .length = grid_.length,
                    .turn_weight = angles_.weight};
    for (int dy = -1; dy <= 1; ++dy) {
      const auto row = static_cast<std::size_t>(dy + 1);
      arcs.pixel_costs[row] = costs_[slot(y + dy)] + x;
      for (std::size_t axis = 0; axis < axes_.size(); ++axis)
        arcs.turns[axis][row] = turn_row(axis, y + dy) + x;
    }
    for (int d = 0; sides_ != nullptr && d < grid_.directions(); ++d)
      arcs.more[static_cast<std::size_t>(d)] = more_[d] + x;
    rows::arc_costs(arcs, words_.data(), bounds);
    const auto directions = static_cast<std::size_t>(grid_.directions());
    std::memcpy(&grid_.arcs[grid_.index({x, y}) * directions], words_.data(),
                static_cast<std::size_t>(arcs.width) * directions * sizeof(std::uint16_t));
  }

  static int slot(int y) { return (y + 3) % 3; }
  float* turn_row(std::size_t axis, int y) { return turns_[static_cast<int>(axis) * 3 + slot(y)]; }

  void prepare(int y) {
    const int width = grid_.width, inside = std::clamp(y, 0, grid_.height - 1);
    for (int dy = -1; dy <= 1; ++dy)
      copy_row(features_.laplacian, std::clamp(inside + dy, 0, grid_.height - 1), padded_[1 + dy]);
    copy_row(features_.gradient, inside, padded_[3]);
    scale_.fill_row(inside, width, padded_[4]);
    float* costs = costs_[slot(y)];
    rows::pixel_costs(pixel_costs_, padded_[3], padded_[4], {padded_[0], padded_[1], padded_[2]}, width,
                      costs);
    repeat_border(costs);
    if (grid_.arcs.empty()) return;
    std::array<float*, 4> turns{};
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) turns[axis] = turn_row(axis, y);
    if (angles_.weight > 0) {
      copy_row(features_.gradient_x, inside, padded_[3]);
      copy_row(features_.gradient_y, inside, padded_[4]);
      for (int x = -1; shear_ != 0 && x <= width; ++x) padded_[4][x] -= shear_ * padded_[3][x];
      rows::turns(angles_, padded_[3], padded_[4], width, turns.data());
      for (std::size_t axis = 0; axis < axes_.size(); ++axis) repeat_border(turns[axis]);
    } else {
      for (std::size_t axis = 0; axis < axes_.size(); ++axis) std::fill_n(turns[axis] - 1, width + 2, 0.0F);
    }
  }
  void copy_row(const FieldValues& image, int y, float* to) const {
    std::copy_n(image.data() + grid_.index({0, y}), grid_.width, to);
    repeat_border(to);
  }
  void repeat_border(float* row) const {
    row[-1] = row[0];
    row[grid_.width] = row[grid_.width - 1];
  }

  const Features& features_;
  const LocalScale& scale_;
  const SideCosts* sides_;
  CostGrid& grid_;
  rows::PixelCosts pixel_costs_;
  rows::Turns angles_;
  float shear_ = 0;
  std::vector<float> axes_;
  rows::Buffer padded_, costs_, turns_, more_;
  std::vector<std::uint32_t> words_;
};

}  // namespace

Sides sides_of_step(const images::SliceImage& slice, Pixel from, int direction) {
  const auto at = [&](Pixel pixel, int towards) {
    const Pixel off = steps[static_cast<std::size_t>(towards)];
    return slice.at(std::clamp(pixel.x + off.x, 0, slice.plane.columns - 1),
                    std::clamp(pixel.y + off.y, 0, slice.plane.rows - 1));
  };
  const Pixel step = steps[static_cast<std::size_t>(direction)];
  const Pixel end{from.x + step.x, from.y + step.y};
  return {(at(from, left_of(direction)) + at(end, left_of(direction))) / 2,
          (at(from, right_of(direction)) + at(end, right_of(direction))) / 2};
}

CostGrid make_costs(const images::SliceImage& slice, const Features& features,
                    const CostParameters& parameters, const Training* training,
                    const jobs::Progress& progress) {
  if (parameters.model == CostModel::thesis) return thesis_costs(slice, features);
  const Weights weights = relative_weights(parameters, training != nullptr && !training->empty());
  CostGrid grid = empty_grid(
      slice, parameters.neighbours == NeighbourChoice::four ? Neighbours::four : Neighbours::eight);
  const LocalScale scale(features, parameters.gradient_reach_px);
  std::optional<SideCosts> sides;
  if (weights.need_sides()) sides.emplace(slice, features, parameters, training, weights);
  if (weights.need_arcs()) {
    grid.arcs.resize(grid.pixel_count() * static_cast<std::size_t>(grid.directions()));
  } else {
    grid.node.resize(grid.pixel_count());
  }
  const auto in_band = [&](const auto& rows, rows::Bounds bounds) {
    progress.check();
    Band band(slice, features, parameters, weights, scale, sides ? &*sides : nullptr, grid);
    if (grid.arcs.empty()) {
      band.fill_nodes(rows.begin(), rows.end());
      return bounds;
    }
    return both(bounds, band.fill_arcs(rows.begin(), rows.end()));
  };
  const rows::Bounds bounds =
      handover::parallel_reduce(tbb::blocked_range<int>(0, grid.height, 32), rows::Bounds(), in_band, both);
  progress.check();
  if (grid.arcs.empty()) {
    finish(grid);
  } else {
    grid.least_arc = bounds.least;
    grid.greatest_arc = bounds.greatest;
  }
  return grid;
}

}  // namespace isolume::livewire

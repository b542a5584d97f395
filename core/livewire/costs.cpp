#include "core/livewire/costs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"

namespace isolume::livewire {

namespace {

constexpr float pi = std::numbers::pi_v<float>;

/// Direction to the left of the way of another one, to the right of it.
constexpr int left_of(int direction) {
  return direction < 4 ? (direction + 3) % 4 : 4 + (direction + 3) % 4;
}
constexpr int right_of(int direction) {
  return opposite(left_of(direction));
}

/// In units of the grid; what is not a number is as dear as can be.
std::uint16_t whole_cost(float cost) {
  const float bounded = cost >= 0 && cost <= 1 ? cost : (cost < 0 ? 0.0F : 1.0F);
  // Not std::lround, which is a call for each arc.
  const auto rounded = static_cast<std::int32_t>(bounded * static_cast<float>(greatest_node_cost) + 0.5F);
  return static_cast<std::uint16_t>(std::max(1, rounded));
}

/// An image with a border of two pixels, so that what lies beside an arc need not be looked for.
class BorderedImage {
 public:
  template <class Value>  ///< (x, y) -> float, within the slice
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

/// 0 where the Laplacian changes sign towards a neighbour and this pixel is the nearer one to 0, in
/// proportion on weak gradients; 1 elsewhere.
class ZeroCrossings {
 public:
  ZeroCrossings(const Features& features, const CostParameters& parameters)
      : features_(features),
        full_gradient_(static_cast<float>(parameters.zero_crossing_threshold) * features.gradient_scale),
        // At an edge's middle the Laplacian changes by gradient / sigma^2 a pixel; far less is rounding.
        least_change_(1e-3F * features.gradient_scale /
                      static_cast<float>(parameters.sigma_px * parameters.sigma_px)) {}

  float cost(int x, int y) const {
    const std::size_t at = index(x, y);
    const float gradient = features_.gradient[at];
    if (!changes_sign(x, y, features_.laplacian[at]) || gradient == 0) return 1;
    return gradient >= full_gradient_ ? 0 : 1 - gradient / full_gradient_;
  }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(features_.width) +
           static_cast<std::size_t>(x);
  }
  bool changes_sign(int x, int y, float here) const {
    for (int d = 0; d < 4; ++d) {
      const Pixel step = steps[static_cast<std::size_t>(d)];
      const int other_x = x + step.x, other_y = y + step.y;
      if (other_x < 0 || other_y < 0 || other_x >= features_.width || other_y >= features_.height) continue;
      const float there = features_.laplacian[index(other_x, other_y)];
      if (here * there <= 0 && std::abs(here) <= std::abs(there) && std::abs(here - there) >= least_change_)
        return true;
    }
    return false;
  }

  const Features& features_;
  float full_gradient_, least_change_;
};

/// Weights divided by the sum of those that are used.
struct Weights {
  float gradient, zero_crossing, direction, inside, outside, trained;
  bool need_arcs() const { return direction > 0 || inside > 0 || outside > 0 || trained > 0; }
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
  grid.width = slice.plane.width;
  grid.height = slice.plane.height;
  grid.neighbours = neighbours;
  grid.length = step_lengths(slice.plane.spacing_mm.x(), slice.plane.spacing_mm.y());
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
    grid.node[at] = whole_cost(1 - (features.gradient[at] - least) / range);
  finish(grid);
  return grid;
}

/// What entering a pixel costs, from whichever side.
BorderedImage pixel_costs(const Features& features, const CostParameters& parameters,
                          const Weights& weights) {
  const ZeroCrossings crossings(features, parameters);
  return {features.width, features.height, [&, crossings](int x, int y) {
            const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(features.width) +
                                   static_cast<std::size_t>(x);
            const float gradient = 1 - std::min(1.0F, features.gradient[at] / features.gradient_scale);
            const float crossing = weights.zero_crossing > 0 ? crossings.cost(x, y) : 0;
            return weights.gradient * gradient + weights.zero_crossing * crossing;
          }};
}

/// Angle between the edge (at right angles to the gradient) and an axis, 0 to pi, in space rather than in
/// pixels; pi / 2 where there is no gradient.
float turn(float edge_angle, float axis_angle) {
  const float difference = std::abs(edge_angle - axis_angle);
  return std::isnan(edge_angle) ? pi / 2 : (difference > pi ? 2 * pi - difference : difference);
}

/// Costs of arcs, row by row.
class ArcCosts {
 public:
  ArcCosts(const images::SliceImage& slice, const Features& features, const CostParameters& parameters,
           const Training* training, const Weights& weights, CostGrid& grid)
      : parameters_(parameters),
        training_(training),
        weights_(weights),
        grid_(grid),
        pixel_cost_(pixel_costs(features, parameters, weights)),
        gradient_(features.width, features.height,
                  [&](int x, int y) {
                    return features.gradient[grid.index({x, y})];
                  }),
        edge_angle_(features.width, features.height,
                    [&](int x, int y) {
                      const std::size_t at = grid.index({x, y});
                      const auto& spacing = slice.plane.spacing_mm;
                      const float along_x = features.gradient_x[at] / static_cast<float>(spacing.x()),
                                  along_y = features.gradient_y[at] / static_cast<float>(spacing.y());
                      return along_x == 0 && along_y == 0 ? std::numeric_limits<float>::quiet_NaN()
                                                          : std::atan2(-along_x, along_y);
                    }),
        intensity_(features.width, features.height, [&](int x, int y) { return slice.at(x, y); }) {
    for (std::size_t d = 0; d < 8; ++d) {
      step_angle_[d] = static_cast<float>(
          std::atan2(steps[d].y * slice.plane.spacing_mm.y(), steps[d].x * slice.plane.spacing_mm.x()));
    }
  }

  void fill_row(int y, std::vector<float>& costs) const {
    for (int d = 0; d < grid_.directions(); ++d) {
      const int y_to = y + steps[static_cast<std::size_t>(d)].y;
      const float* entered = pixel_cost_.row(y_to) + steps[static_cast<std::size_t>(d)].x;
      std::copy_n(entered, grid_.width, costs.begin());
      if (weights_.direction > 0) add_direction(y, d, costs.data());
      if (weights_.inside > 0 || weights_.outside > 0 || weights_.trained > 0) add_sides(y, d, costs.data());
      store(y, d, costs);
    }
  }

 private:
  /// f_D = 2 / (3 pi) (acos(d_p) + acos(d_q)), with the step turned to go with the edge at p.
  void add_direction(int y, int d, float* costs) const {
    const Pixel step = steps[static_cast<std::size_t>(d)];
    const float* from = edge_angle_.row(y);
    const float* to = edge_angle_.row(y + step.y) + step.x;
    const float axis = step_angle_[static_cast<std::size_t>(d)], weight = weights_.direction * 2 / (3 * pi);
    for (int x = 0; x < grid_.width; ++x) {
      const float turn_from = turn(from[x], axis), turn_to = turn(to[x], axis);
      costs[x] += weight * (turn_from <= pi / 2 ? turn_from + turn_to : 2 * pi - turn_from - turn_to);
    }
  }
  void add_sides(int y, int d, float* costs) const {
    const auto side = [&](int direction) {
      const Pixel off = steps[static_cast<std::size_t>(direction)];
      return intensity_.row(y + off.y) + off.x;
    };
    const auto side_of_end = [&](int direction) {
      const Pixel off = steps[static_cast<std::size_t>(direction)], step = steps[static_cast<std::size_t>(d)];
      return intensity_.row(y + off.y + step.y) + off.x + step.x;
    };
    const float *left = side(left_of(d)), *left_of_end = side_of_end(left_of(d));
    const float *right = side(right_of(d)), *right_of_end = side_of_end(right_of(d));
    const Pixel step = steps[static_cast<std::size_t>(d)];
    const float* gradient = gradient_.row(y + step.y) + step.x;
    for (int x = 0; x < grid_.width; ++x) {
      const float on_left = (left[x] + left_of_end[x]) / 2, on_right = (right[x] + right_of_end[x]) / 2;
      costs[x] +=
          weights_.inside * deviation(on_left, parameters_.inside_value, parameters_.inside_tolerance) +
          weights_.outside * deviation(on_right, parameters_.outside_value, parameters_.outside_tolerance);
      if (weights_.trained > 0)
        costs[x] += weights_.trained * training_->cost(gradient[x], on_left, on_right);
    }
  }
  static float deviation(float intensity, double wanted, double tolerance) {
    const float relative = std::abs(intensity - static_cast<float>(wanted)) / static_cast<float>(tolerance);
    return relative <= 1 ? relative : 1;
  }
  void store(int y, int d, const std::vector<float>& costs) const {
    const std::uint32_t length = grid_.length[static_cast<std::size_t>(d)];
    const std::size_t directions = static_cast<std::size_t>(grid_.directions());
    std::uint16_t* to = grid_.arcs.data() + grid_.index({0, y}) * directions + static_cast<std::size_t>(d);
    for (std::size_t x = 0; x < static_cast<std::size_t>(grid_.width); ++x) {
      // The cap is for pixels more than 45 times as long as wide.
      const std::uint32_t cost = std::max(1u, (whole_cost(costs[x]) * length + 64) >> 7);
      to[x * directions] = static_cast<std::uint16_t>(std::min(cost, 65535u));
    }
  }

  const CostParameters& parameters_;
  const Training* training_;
  Weights weights_;
  CostGrid& grid_;
  BorderedImage pixel_cost_, gradient_, edge_angle_, intensity_;
  std::array<float, 8> step_angle_{};
};

}  // namespace

Sides sides_of_step(const images::SliceImage& slice, Pixel from, int direction) {
  const auto at = [&](Pixel pixel, int towards) {
    const Pixel off = steps[static_cast<std::size_t>(towards)];
    return slice.at(std::clamp(pixel.x + off.x, 0, slice.plane.width - 1),
                    std::clamp(pixel.y + off.y, 0, slice.plane.height - 1));
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
  if (weights.need_arcs()) {
    grid.arcs.resize(grid.pixel_count() * static_cast<std::size_t>(grid.directions()));
    const ArcCosts costs(slice, features, parameters, training, weights, grid);
    handover::parallel_for(tbb::blocked_range<int>(0, grid.height, 8), [&](const auto& rows) {
      std::vector<float> buffer(static_cast<std::size_t>(grid.width));
      progress.check();
      for (int y = rows.begin(); y < rows.end(); ++y) costs.fill_row(y, buffer);
    });
  } else {
    const BorderedImage costs = pixel_costs(features, parameters, weights);
    grid.node.resize(grid.pixel_count());
    for (int y = 0; y < grid.height; ++y) {
      std::transform(costs.row(y), costs.row(y) + grid.width,
                     grid.node.begin() + static_cast<std::ptrdiff_t>(grid.index({0, y})), whole_cost);
    }
  }
  progress.check();
  finish(grid);
  return grid;
}

}  // namespace isolume::livewire

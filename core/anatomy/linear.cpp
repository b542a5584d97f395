#include "core/anatomy/linear.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <vector>

#include <Eigen/Cholesky>
#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/anatomy/linear_kernels.h"
#include "core/anatomy/mask.h"
#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dispatch/memory.h"
#include "core/volumes/gaussian.h"
#include "core/volumes/resize.h"
#include "core/volumes/warp_kernels.h"

namespace isolume::anatomy {
namespace {

using Eigen::Affine3d;
using Eigen::Vector3d;
using volumes::Counts;
using Parameters12 = Eigen::Matrix<double, 12, 1>;
using Normal12 = Eigen::Matrix<double, 12, 12>;
using Basis = Eigen::Matrix<double, 12, Eigen::Dynamic>;

/// An image at a resolution, with the grid on which its points lie.
struct Sampled {
  grid::Grid grid;
  FieldValues values;
  FieldValues inside;  ///< how much of each point's volume its mask has; empty: all

  const Counts& counts() const { return grid.dimensions; }
  bool is_compared(std::size_t at) const { return inside.empty() || inside[at] >= 0.5F; }
  std::size_t compared_count() const {
    if (inside.empty()) return values.size();
    return static_cast<std::size_t>(std::ranges::count_if(inside, [](float each) { return each >= 0.5F; }));
  }
};

/// Over the same box with other numbers of points.
Sampled resized(const Sampled& from, const Counts& to) {
  Sampled result{
      .grid = from.grid,
      .values = volumes::resized(from.values, from.counts(), to),
      .inside = from.inside.empty() ? FieldValues() : volumes::resized(from.inside, from.counts(), to)};
  Vector3d first;
  for (int axis = 0; axis < 3; ++axis) {
    const double ratio = static_cast<double>(from.counts()[static_cast<std::size_t>(axis)]) /
                         to[static_cast<std::size_t>(axis)];
    result.grid.step.col(axis) *= ratio;
    first[axis] = 0.5 * ratio - 0.5;
  }
  result.grid.origin = from.grid.position(first);
  result.grid.dimensions = to;
  return result;
}

double extent_mm(const grid::Grid& grid, int axis) {
  return grid.spacing(axis) * grid.dimensions[static_cast<std::size_t>(axis)];
}

/// The numbers of points of about a spacing, never more than there are.
Counts counts_at(const grid::Grid& grid, double spacing_mm) {
  Counts counts = grid.dimensions;
  for (int axis = 0; axis < 3; ++axis) {
    int& count = counts[static_cast<std::size_t>(axis)];
    count = std::clamp(static_cast<int>(std::lround(extent_mm(grid, axis) / spacing_mm)), std::min(count, 4),
                       count);
  }
  return counts;
}

/// Finest first. Each level is smoothed a little, so that it is as smooth between its points as at them: otherwise images
/// on equal grids would look most alike where no value is interpolated.
std::vector<Sampled> levels_of(const ImageView& image, const std::vector<double>& spacings_mm) {
  std::vector<Sampled> levels;
  levels.reserve(spacings_mm.size());
  const Sampled whole{.grid = image.grid,
                      .values = continued(image.values, image.inside, image.grid.dimensions),
                      .inside = FieldValues(image.inside.begin(), image.inside.end())};
  for (const double spacing : spacings_mm) {
    const Sampled& finer = levels.empty() ? whole : levels.back();
    levels.push_back(resized(finer, counts_at(whole.grid, spacing)));
  }
  for (Sampled& each : levels) volumes::smooth_gaussian(each.values, each.counts(), {0.7, 0.7, 0.7});
  return levels;
}

/// Levels of 2 million voxels at most, each of twice the spacing, until the longest side has at most 16: what is
/// left there is the shape of a head, not what repeats within it.
std::vector<double> spacings_of(const grid::Grid& grid) {
  constexpr double most_points = 1 << 21;
  const double cell = grid.spacing().prod();
  double longest = 0;
  for (int axis = 0; axis < 3; ++axis) longest = std::max(longest, extent_mm(grid, axis));
  double spacing = std::max(grid.spacing().minCoeff(),
                            std::cbrt(cell * static_cast<double>(grid.point_count()) / most_points));
  std::vector<double> all{spacing};
  while (longest / spacing > 16) all.push_back(spacing *= 2);
  return all;
}

/// Values that leave out a thousandth of the voxels at either end.
std::pair<float, float> common_range(const Sampled& image) {
  FieldValues values = image.values;
  if (!image.inside.empty()) {
    values.clear();
    for (std::size_t i = 0; i < image.values.size(); ++i) {
      if (image.is_compared(i)) values.push_back(image.values[i]);
    }
    if (values.empty()) return {0.F, 1.F};  // a mask that is thinner than the points of this level
  }
  FieldValues sorted;
  const std::size_t stride = std::max<std::size_t>(1, values.size() / 50000);
  for (std::size_t i = 0; i < values.size(); i += stride) sorted.push_back(values[i]);
  std::ranges::sort(sorted);
  const std::size_t left_out = sorted.size() / 1000;
  float low = sorted[left_out], high = sorted[sorted.size() - 1 - left_out];
  if (low == high) {
    low = *std::ranges::min_element(values);
    high = *std::ranges::max_element(values);
  }
  return {low, high};
}

/// Points x of a row from `first` to before `last`.
struct Interval {
  int first = 0, last = 0;
};

/// Where all coordinates begin + x * step lie within half a voxel of the volume.
Interval inside(const Vector3d& begin, const Vector3d& step, const Counts& counts, int count) {
  double low = 0, high = count - 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double least = -0.5 - begin[axis];
    const double most = counts[static_cast<std::size_t>(axis)] - 0.5 - begin[axis];
    if (step[axis] == 0) {
      if (least > 0 || most < 0) return {};
      continue;
    }
    const double a = least / step[axis], b = most / step[axis];
    low = std::max(low, std::min(a, b));
    high = std::min(high, std::max(a, b));
  }
  if (!(low <= high)) return {};
  const int first = static_cast<int>(std::ceil(low)), last = static_cast<int>(std::floor(high)) + 1;
  return first < last ? Interval{first, last} : Interval{};
}

/// Sums over the points that both images have.
struct Moments {
  double count = 0, fixed = 0, moving = 0, fixed2 = 0, moving2 = 0, both = 0, squares = 0;

  void operator+=(const Moments& other) {
    count += other.count;
    fixed += other.fixed;
    moving += other.moving;
    fixed2 += other.fixed2;
    moving2 += other.moving2;
    both += other.both;
    squares += other.squares;
  }
  double fixed_variance() const { return fixed2 / count - std::pow(fixed / count, 2); }
  double moving_variance() const { return moving2 / count - std::pow(moving / count, 2); }
  double correlation() const {
    const double variances = fixed_variance() * moving_variance();
    return variances > 0 ? (both / count - fixed / count * moving / count) / std::sqrt(variances) : 0;
  }
};

/// The joint histogram of two images, smoothed along the moving image's values by a cubic B-spline, as Mattes' is. The values
/// are binned much finer than the spline is wide, and counted: sums of integers do not depend on threads.
class JointHistogram {
 public:
  static constexpr int fixed_bins = 32, parts = 4, moving_bins = 36 * parts;  ///< parts of the spline's knots
  using Cells = std::vector<std::int32_t>;                                    ///< counts

  /// The fixed image's bins; the moving one's values are mapped to bins, with room for the spline at either end.
  JointHistogram(const Sampled& fixed, const Sampled& moving) {
    const auto [low, high] = common_range(fixed);
    bins_.resize(fixed.values.size());
    const float scale = static_cast<float>(fixed_bins) / (high - low);
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      bins_[i] = static_cast<std::uint8_t>(
          std::clamp((fixed.values[i] - low) * scale, 0.F, static_cast<float>(fixed_bins) - 0.5F));
    }
    const auto [moving_low, moving_high] = common_range(moving);
    per_value_ = static_cast<float>(moving_bins - 4 * parts) / (moving_high - moving_low);
    low_ = moving_low;
    for (int i = -2 * parts; i <= 2 * parts; ++i) {
      const double u = std::abs(static_cast<double>(i)) / parts;
      const double value = u < 1 ? (4 - 6 * u * u + 3 * u * u * u) / 6 : std::pow(2 - u, 3) / 6;
      const double slope = u < 1 ? -2 * u + 1.5 * u * u : -0.5 * std::pow(2 - u, 2);
      kernel_.push_back(value / parts);
      kernel_slope_.push_back((i < 0 ? -slope : slope) / (parts * parts));
    }
  }

  std::size_t cell(std::size_t fixed_index, float moving) const {
    const float place =
        std::clamp((moving - low_) * per_value_, 0.F, static_cast<float>(moving_bins - 4 * parts - 1));
    return static_cast<std::size_t>(bins_[fixed_index]) * moving_bins +
           static_cast<std::size_t>(2 * parts + static_cast<int>(place));
  }

  /// Takes the counts of all cells; returns the mutual information in nats.
  double take(const Cells& counts) {
    const auto count = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    joint_.assign(counts.size(), 0);
    of_moving_.assign(moving_bins, 0);
    for (std::size_t f = 0; f < fixed_bins; ++f) {
      for (int j = 2 * parts; j < moving_bins - 2 * parts; ++j) {
        const std::int32_t number = counts[f * moving_bins + static_cast<std::size_t>(j)];
        if (number == 0) continue;
        const double share = number / count;
        double* to = joint_.data() + f * moving_bins + (j - 2 * parts);
        for (std::size_t k = 0; k < kernel_.size(); ++k) to[k] += share * kernel_[k];
      }
      for (std::size_t m = 0; m < moving_bins; ++m) of_moving_[m] += joint_[f * moving_bins + m];
    }
    double information = 0;
    for (std::size_t f = 0; f < fixed_bins; ++f) {
      const double of_fixed = fixed_share(f);
      for (std::size_t m = 0; m < moving_bins; ++m)
        information += joint_[f * moving_bins + m] * logarithm(f, m, of_fixed);
    }
    return information;
  }
  /// Makes slope() that of the counts taken last.
  void prepare_slopes() {
    slopes_.assign(joint_.size(), 0.F);
    std::vector<double> logarithms(moving_bins);
    for (std::size_t f = 0; f < fixed_bins; ++f) {
      const double of_fixed = fixed_share(f);
      if (of_fixed == 0) continue;
      for (std::size_t m = 0; m < moving_bins; ++m) logarithms[m] = logarithm(f, m, of_fixed);
      for (int j = 2 * parts; j < moving_bins - 2 * parts; ++j) {
        double slope = 0;
        for (std::size_t k = 0; k < kernel_.size(); ++k)
          slope -= kernel_slope_[k] * logarithms[static_cast<std::size_t>(j - 2 * parts) + k];
        slopes_[f * moving_bins + static_cast<std::size_t>(j)] =
            static_cast<float>(slope * static_cast<double>(per_value_));
      }
    }
  }
  /// The derivative of the mutual information times the number of points by the moving image's value at one of them.
  float slope(std::size_t cell) const { return slopes_[cell]; }

 private:
  std::vector<std::uint8_t> bins_;
  float low_ = 0, per_value_ = 0;
  double fixed_share(std::size_t f) const {
    const double* row = joint_.data() + f * moving_bins;
    return std::accumulate(row, row + moving_bins, 0.0);
  }
  double logarithm(std::size_t f, std::size_t m, double of_fixed) const {
    const double share = joint_[f * moving_bins + m];
    return share > 0 ? std::log(share / (of_fixed * of_moving_[m])) : 0;
  }

  std::vector<double> kernel_, kernel_slope_, joint_, of_moving_;
  std::vector<float> slopes_;
};

/// Two images at one resolution, and what a map makes of them.
class Match {
 public:
  Match(const Sampled& fixed, const Sampled& moving, Similarity similarity)
      : fixed_(fixed),
        moving_(moving),
        similarity_(similarity),
        warped_(fixed.values.size()),
        rows_(static_cast<std::size_t>(fixed.counts()[1] * fixed.counts()[2])) {
    if (similarity == Similarity::mutual_information) histogram_.emplace(fixed, moving);
    smaller_mm3_ = std::min(static_cast<double>(fixed.compared_count()) * fixed.grid.cell_volume(),
                            static_cast<double>(moving.compared_count()) * moving.grid.cell_volume());
  }

  /// Moves the moving image. Returns the cost, less where images are more alike; infinity without enough of an overlap.
  double measure(const Affine3d& map) {
    const Eigen::Matrix3d inverse = moving_.grid.step.inverse();
    const Eigen::Matrix3d step = inverse * map.linear() * fixed_.grid.step;
    const Vector3d origin = inverse * (map * fixed_.grid.origin - moving_.grid.origin);
    std::vector<Moments> sums(rows_.size());
    for_rows([&](std::size_t row, int y, int z) {
      const Vector3d begin = origin + y * step.col(1) + z * step.col(2);
      const int count = fixed_.counts()[0];
      set_runs(row, inside(begin, step.col(0), moving_.counts(), count), begin, step.col(0));
      float* to = warped_.data() + row * static_cast<std::size_t>(count);
      float places[3][volumes::most_of_a_row];
      for (int x = 0; x < count; x += volumes::most_of_a_row) {
        const int length = std::min(volumes::most_of_a_row, count - x);
        for (int axis = 0; axis < 3; ++axis) {
          const auto first = static_cast<float>(begin[axis] + x * step(axis, 0));
          const auto slope = static_cast<float>(step(axis, 0));
          for (int i = 0; i < length; ++i) places[axis][i] = first + static_cast<float>(i) * slope;
        }
        volumes::sample_row(moving_.values.data(), moving_.counts(),
                            {{places[0], places[1], places[2]}, length}, to + x);
      }
      sums[row] = moments_of(row);
    });
    moments_ = {};
    for (const Moments& each : sums) moments_ += each;
    return cost();
  }

  /// The step in the directions of `basis`, from the present map, that would make the images alike if values depended linearly
  /// on it: 12 numbers in mm, a matrix by rows for (p - centre) / radius, then a translation.
  Parameters12 step(const Basis& basis, const Vector3d& centre, double radius) {
    if (histogram_) histogram_->prepare_slopes();
    std::vector<RowMoments> all(rows_.size());
    for_rows([&](std::size_t row, int y, int z) {
      for (const auto& [first, last] : rows_[row]) {
        std::vector<float> weights(static_cast<std::size_t>(last - first));
        const std::size_t at = row * static_cast<std::size_t>(fixed_.counts()[0]);
        fill_weights(at + static_cast<std::size_t>(first), weights);
        add_row_moments(warped_.data() + at, weights.data(), first, last, fixed_.counts()[0],
                        static_cast<float>(fixed_.counts()[0] > 1 ? 1 / fixed_.grid.spacing(0) : 0),
                        neighbours(1, y), neighbours(2, z), all[row]);
      }
    });
    return solved(all, basis, centre, radius);
  }

  const Moments& moments() const { return moments_; }
  const grid::Grid& grid() const { return fixed_.grid; }

 private:
  template <class Row>
  void for_rows(const Row& row) const {
    using Rows = tbb::blocked_range<int>;
    const int width = fixed_.counts()[1];
    handover::parallel_for(Rows(0, width * fixed_.counts()[2], 8), [&](const Rows& part) {
      for (int i = part.begin(); i != part.end(); ++i) row(static_cast<std::size_t>(i), i % width, i / width);
    });
  }

  /// The parts of an interval of a row where both masks have the nearest points; without masks, all of it.
  void set_runs(std::size_t row, const Interval& interval, const Vector3d& begin, const Vector3d& step) {
    Runs& runs = rows_[row];
    runs.clear();
    if (fixed_.inside.empty() && moving_.inside.empty()) {
      if (interval.first < interval.last) runs.push_back(interval);
      return;
    }
    const Counts& to = moving_.counts();
    const std::size_t at = row * static_cast<std::size_t>(fixed_.counts()[0]);
    const auto is_compared = [&](int x) {
      if (!fixed_.is_compared(at + static_cast<std::size_t>(x))) return false;
      std::size_t nearest = 0;
      for (int axis = 2; axis >= 0; --axis) {
        const int count = to[static_cast<std::size_t>(axis)];
        const auto place = static_cast<int>(std::lround(begin[axis] + x * step[axis]));
        nearest = nearest * static_cast<std::size_t>(count) +
                  static_cast<std::size_t>(std::clamp(place, 0, count - 1));
      }
      return moving_.is_compared(nearest);
    };
    for (int x = interval.first; x < interval.last; ++x) {
      if (!is_compared(x)) continue;
      if (runs.empty() || runs.back().last < x) runs.push_back({x, x});
      ++runs.back().last;
    }
  }

  Moments moments_of(std::size_t row) const {
    const std::size_t at = row * static_cast<std::size_t>(fixed_.counts()[0]);
    const float* f = fixed_.values.data() + at;
    const float* m = warped_.data() + at;
    Moments sums;
    for (const auto& [first, last] : rows_[row]) {
      sums.count += last - first;
      for (int x = first; x < last; ++x) {
        const double a = static_cast<double>(f[x]), b = static_cast<double>(m[x]);
        sums.fixed += a;
        sums.moving += b;
        sums.fixed2 += a * a;
        sums.moving2 += b * b;
        sums.both += a * b;
        sums.squares += (a - b) * (a - b);
      }
    }
    return sums;
  }

  double cost() {
    if (!(moments_.count * fixed_.grid.cell_volume() >= 0.25 * smaller_mm3_) || moments_.count == 0 ||
        moments_.moving_variance() <= 0 || moments_.fixed_variance() <= 0)
      return std::numeric_limits<double>::infinity();
    switch (similarity_) {
      case Similarity::squares:
        return moments_.squares / moments_.count;
      case Similarity::correlation:
        return -moments_.correlation();
      case Similarity::mutual_information:
      case Similarity::landmarks:  // compares no images
        break;
    }
    information_ = histogram_->take(joint_counts());
    return -information_;
  }

  JointHistogram::Cells joint_counts() const {
    using Rows = tbb::blocked_range<std::size_t>;
    using Cells = JointHistogram::Cells;
    const auto width = static_cast<std::size_t>(fixed_.counts()[0]);
    const std::size_t cells = JointHistogram::fixed_bins * JointHistogram::moving_bins;
    // Few large parts, since each has a histogram of its own.
    const std::size_t grain = std::max<std::size_t>(1, rows_.size() / 16);
    return handover::parallel_reduce(
        Rows(0, rows_.size(), grain), Cells(),
        [&](const Rows& part, Cells counts) {
          counts.resize(cells);
          for (std::size_t row = part.begin(); row != part.end(); ++row) {
            for (const auto& [first, last] : rows_[row]) {
              for (int x = first; x < last; ++x) {
                const std::size_t at = row * width + static_cast<std::size_t>(x);
                ++counts[histogram_->cell(at, warped_[at])];
              }
            }
          }
          return counts;
        },
        [](Cells a, const Cells& b) {
          if (a.empty()) return b;
          for (std::size_t i = 0; i < b.size(); ++i) a[i] += b[i];
          return a;
        });
  }

  /// The changes of values that would make the images alike: residuals of the linear dependence of the fixed image's values on
  /// the moving one's. The mutual information's slopes are scaled as if both were normally distributed, where it is
  /// -log(1 - correlation^2) / 2.
  void fill_weights(std::size_t at, std::vector<float>& weights) const {
    const float* f = fixed_.values.data() + at;
    const float* m = warped_.data() + at;
    if (similarity_ == Similarity::mutual_information) {
      const double square = std::clamp(1 - std::exp(-2 * information_), 0.1, 0.999);
      const auto scale = static_cast<float>(moments_.moving_variance() * (1 - square) / square);
      for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = scale * histogram_->slope(histogram_->cell(at + i, m[i]));
      return;
    }
    double of_fixed = 1, of_moving = 1, constant = 0;
    if (similarity_ == Similarity::correlation) {
      const double correlation = moments_.correlation();
      of_fixed =
          std::sqrt(moments_.moving_variance() / moments_.fixed_variance()) / std::max(correlation, 0.1);
      of_moving = correlation / std::max(correlation, 0.1);
      constant = (of_moving * moments_.moving - of_fixed * moments_.fixed) / moments_.count;
    }
    const auto a = static_cast<float>(of_fixed), b = static_cast<float>(of_moving),
               c = static_cast<float>(constant);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = a * f[i] - b * m[i] + c;
  }

  Neighbours neighbours(int axis, int index) const {
    const Counts& counts = fixed_.counts();
    const int count = counts[static_cast<std::size_t>(axis)];
    const std::ptrdiff_t stride = axis == 1 ? counts[0] : static_cast<std::ptrdiff_t>(counts[0]) * counts[1];
    const int before = std::max(index - 1, 0), after = std::min(index + 1, count - 1);
    const double distance = (after - before) * fixed_.grid.spacing(axis);
    return {stride * (before - index), stride * (after - index),
            distance > 0 ? static_cast<float>(1 / distance) : 0.F};
  }

  /// Normal equations of all rows. A row's points are begin + x * step, q = (p - centre, radius) / radius, and the derivative
  /// by parameter 4 a + k is g_a q_k.
  Parameters12 solved(const std::vector<RowMoments>& all, const Basis& basis, const Vector3d& centre,
                      double radius) const {
    // Rows' gradients are along the grid's axes.
    const Eigen::Matrix3d axes = fixed_.grid.directions();
    Normal12 normal = Normal12::Zero();
    Parameters12 right = Parameters12::Zero();
    Eigen::Vector4d step;
    step << fixed_.grid.step.col(0) / radius, 0;
    constexpr int places[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const int width = fixed_.counts()[1];
    for (std::size_t row = 0; row < all.size(); ++row) {
      if (rows_[row].empty()) continue;
      const int y = static_cast<int>(row) % width, z = static_cast<int>(row) / width;
      Eigen::Vector4d begin;
      begin << (fixed_.grid.position(0, y, z) - centre) / radius, 1;
      const Eigen::Matrix4d constant = begin * begin.transpose(), square = step * step.transpose();
      const Eigen::Matrix4d linear = begin * step.transpose() + step * begin.transpose();
      const RowMoments& sums = all[row];
      for (int a = 0; a < 3; ++a) {
        right.segment<4>(4 * a) += sums.weighted[a][0] * begin + sums.weighted[a][1] * step;
        for (int b = 0; b < 3; ++b) {
          const auto& product = sums.products[places[a][b]];
          normal.block<4, 4>(4 * a, 4 * b) +=
              product[0] * constant + product[1] * linear + product[2] * square;
        }
      }
    }
    // From derivatives along the grid's axes to those along the frame's.
    Normal12 turn = Normal12::Zero();
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) turn.block<4, 4>(4 * a, 4 * b) = axes(a, b) * Eigen::Matrix4d::Identity();
    }
    normal = turn * normal * turn.transpose();
    right = turn * right;
    Eigen::MatrixXd reduced = basis.transpose() * normal * basis;
    // Directions that change nothing, such as turning a ball, stay as they are.
    reduced.diagonal().array() += 1e-6 * reduced.diagonal().maxCoeff() + std::numeric_limits<double>::min();
    return basis * reduced.ldlt().solve(basis.transpose() * right);
  }

  const Sampled& fixed_;
  const Sampled& moving_;
  Similarity similarity_;
  FieldValues warped_;
  using Runs = std::vector<Interval>;
  std::vector<Runs> rows_;  ///< the points of each row that are compared
  double smaller_mm3_ = 0;  ///< what is compared of the smaller image
  Moments moments_;
  double information_ = 0;
  std::optional<JointHistogram> histogram_;
};

/// Directions of 12 parameters: all, or the turns and translations, in all three dimensions or within a slice's plane.
Basis basis_of(LinearModel model, const grid::Grid& grid) {
  const bool is_flat = grid.dimensions[2] == 1;
  const Eigen::Matrix3d axes = grid.directions();
  const int dimensions = is_flat ? 2 : 3;
  std::vector<Parameters12> columns;
  const auto add = [&](const Eigen::Matrix3d& matrix, const Vector3d& translation) {
    Parameters12 column;
    for (int row = 0; row < 3; ++row) {
      column.segment<3>(4 * row) = matrix.row(row).transpose();
      column[4 * row + 3] = translation[row];
    }
    columns.push_back(column);
  };
  for (int a = 0; a < dimensions; ++a) add(Eigen::Matrix3d::Zero(), axes.col(a));
  for (int a = 0; a < dimensions; ++a) {
    for (int b = 0; b < dimensions; ++b) {
      const Eigen::Matrix3d one = axes.col(a) * axes.col(b).transpose();
      if (model == LinearModel::affine) {
        add(one, Vector3d::Zero());
      } else if (a < b) {
        add(one - one.transpose(), Vector3d::Zero());
      }
    }
  }
  Basis basis(12, static_cast<int>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) basis.col(static_cast<int>(i)) = columns[i];
  return basis;
}

Affine3d about(const Vector3d& centre, const Eigen::Matrix3d& linear, const Vector3d& translation) {
  Affine3d map = Affine3d::Identity();
  map.linear() = linear;
  map.translation() = centre - linear * centre + translation;
  return map;
}

/// The map of 12 parameters; a rotation where the model has no others.
Affine3d map_of(const Parameters12& parameters, LinearModel model, const Vector3d& centre, double radius) {
  Eigen::Matrix3d matrix;
  Vector3d translation;
  for (int row = 0; row < 3; ++row) {
    matrix.row(row) = parameters.segment<3>(4 * row).transpose() / radius;
    translation[row] = parameters[4 * row + 3];
  }
  if (model == LinearModel::affine) return about(centre, Eigen::Matrix3d::Identity() + matrix, translation);
  const Vector3d turn(matrix(2, 1), matrix(0, 2), matrix(1, 0));
  const double angle = turn.norm();
  const Eigen::Matrix3d rotation =
      angle > 0 ? Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix() : Eigen::Matrix3d::Identity();
  return about(centre, rotation, translation);
}

Vector3d centre_of(const grid::Grid& grid) {
  const Vector3d last(grid.dimensions[0] - 1, grid.dimensions[1] - 1, grid.dimensions[2] - 1);
  return grid.position(last / 2);
}

/// The longest way of a corner.
double largest_move(const grid::Grid& grid, const Affine3d& map) {
  double largest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Vector3d index;
    for (int axis = 0; axis < 3; ++axis)
      index[axis] = (corner >> axis & 1) * (grid.dimensions[static_cast<std::size_t>(axis)] - 1);
    const Vector3d place = grid.position(index);
    largest = std::max(largest, (map * place - place).norm());
  }
  return largest;
}

/// Of the values above the least one.
Vector3d centre_of_mass(const Sampled& image) {
  float least = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < image.values.size(); ++i) {
    if (image.is_compared(i)) least = std::min(least, image.values[i]);
  }
  Vector3d sum = Vector3d::Zero();
  double mass = 0;
  std::size_t at = 0;
  for (int z = 0; z < image.counts()[2]; ++z) {
    for (int y = 0; y < image.counts()[1]; ++y) {
      for (int x = 0; x < image.counts()[0]; ++x, ++at) {
        if (!image.is_compared(at)) continue;
        const double value = static_cast<double>(image.values[at] - least);
        sum += value * Vector3d(x, y, z);
        mass += value;
      }
    }
  }
  return mass > 0 ? image.grid.position(sum / mass) : centre_of(image.grid);
}

struct Candidate {
  Affine3d map = Affine3d::Identity();
  double cost = std::numeric_limits<double>::infinity();
};

/// Steps at one level until they are short or lead nowhere.
int improve(Match& match, LinearModel model, int most_iterations, Candidate& candidate,
            const OnLinearIteration& on_iteration, const jobs::Progress& progress) {
  const grid::Grid& grid = match.grid();
  const Vector3d centre = centre_of(grid);
  const double voxel = grid.spacing().minCoeff();
  double radius = 0;
  for (int axis = 0; axis < 3; ++axis) radius = std::max(radius, extent_mm(grid, axis) / 2);
  const Basis basis = basis_of(model, grid);
  candidate.cost = match.measure(candidate.map);
  int iteration = 0;
  for (; iteration < most_iterations && std::isfinite(candidate.cost); ++iteration) {
    progress.check();
    Parameters12 step = match.step(basis, centre, radius);
    const double length = largest_move(grid, map_of(step, model, centre, radius));
    constexpr double longest_voxels = 4, shortest_voxels = 0.01;
    if (!(length > shortest_voxels * voxel)) break;
    if (length > longest_voxels * voxel) step *= longest_voxels * voxel / length;
    bool is_better = false;
    for (int halving = 0; halving < 5 && !is_better; ++halving, step /= 2) {
      const Affine3d map = candidate.map * map_of(step, model, centre, radius);
      const double cost = match.measure(map);
      if (!(cost < candidate.cost)) continue;
      is_better = true;
      candidate = {map, cost};
    }
    if (!is_better) break;
    if (on_iteration) on_iteration(candidate.map);
  }
  return iteration;
}

/// The positions of the headers, centres of mass on each other, and both turned about each axis.
std::vector<Candidate> starts_of(const Sampled& fixed, const Sampled& moving) {
  const Vector3d centre = centre_of_mass(fixed);
  std::vector<Candidate> starts;
  for (const Vector3d& move : {Vector3d(Vector3d::Zero()), Vector3d(centre_of_mass(moving) - centre)}) {
    starts.push_back({about(centre, Eigen::Matrix3d::Identity(), move)});
    for (int axis = fixed.counts()[2] == 1 ? 2 : 0; axis < 3; ++axis) {
      for (const double degrees : {-40.0, -20.0, 20.0, 40.0}) {
        const Eigen::AngleAxisd turn(degrees * std::numbers::pi / 180, fixed.grid.direction(axis));
        starts.push_back({about(centre, turn.toRotationMatrix(), move)});
      }
    }
  }
  return starts;
}

void require_values(const ImageView& image, const char* name) {
  float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
  for (std::size_t i = 0; i < image.values.size(); ++i) {
    if (!image.inside.empty() && image.inside[i] == 0) continue;
    low = std::min(low, image.values[i]);
    high = std::max(high, image.values[i]);
  }
  if (!(low < high))
    throw Error(fmt::format("The {} image has the value {} everywhere{}: there is nothing to align.", name,
                            low, image.inside.empty() ? "" : " inside its mask"));
}

void require_memory(const ImageView& fixed, const ImageView& moving) {
  // Copies of both images, with those that make the coarser levels.
  constexpr double numbers_per_point = 3.5;
  dispatch::require_memory(
      "The linear registration",
      numbers_per_point * sizeof(float) * static_cast<double>(fixed.values.size() + moving.values.size()),
      "Resample the images to fewer voxels.");
}

LinearRegistration fit_landmarks(const grid::Grid& grid, LinearModel model, const Affine3d* initial,
                                 std::span<const LandmarkPair> landmarks) {
  LinearRegistration result;
  if (model == LinearModel::rigid) result.map = rigid_fit(landmarks);
  if (model == LinearModel::affine) result.map = affine_fit(landmarks);
  if (model == LinearModel::none && initial != nullptr) result.map = *initial;
  result.similarity_before = root_mean_square(errors_of(landmarks, Transform()));
  result.similarity_after = root_mean_square(errors_of(landmarks, Transform(result.map)));
  result.largest_move_mm = largest_move(grid, result.map);
  return result;
}

/// The number that people know: a correlation, nats, or a root of the mean of squares.
double similarity_of(double cost, Similarity similarity) {
  if (!std::isfinite(cost)) return std::numeric_limits<double>::quiet_NaN();
  return similarity == Similarity::squares ? std::sqrt(cost) : -cost;
}

}  // namespace

std::string_view name_of(Similarity similarity) {
  switch (similarity) {
    case Similarity::mutual_information:
      return "mutual information";
    case Similarity::correlation:
      return "correlation";
    case Similarity::landmarks:
      return "distance of landmarks in mm";
    case Similarity::squares:
      break;
  }
  return "root mean square difference";
}

const parameters::Schema<LinearParameters>& linear_schema() {
  using parameters::field;
  using P = LinearParameters;
  static const parameters::Schema<P> schema{std::vector<parameters::Field<P>>{
      field("linear", &P::model, "Linear map",
            {{"none", "None (as the headers place the images)"}, {"rigid", "Rigid"}, {"affine", "Affine"}})
          .group("Linear registration")
          .help("The map that brings the images onto each other before the deformation. Rigid: rotation and "
                "translation; affine: also scales and shears."),
      field("similarity", &P::similarity, "Similarity",
            {{"mutual-information", "Mutual information"},
             {"correlation", "Correlation"},
             {"squares", "Mean square difference"},
             {"landmarks", "Landmarks alone"}})
          .only_when("linear", {"rigid", "affine"})
          .group("Linear registration")
          .help("The measure that the linear map improves. Mutual information suits images of any two kinds, "
                "such as CT and MR; correlation those of one kind with other brightness and contrast; the "
                "mean square difference those with equal values. Landmarks alone: the least squares of their "
                "distances."),
  }};
  return schema;
}

LinearRegistration register_linear(const ImageView& fixed, const ImageView& moving,
                                   const LinearParameters& parameters, const Affine3d* initial,
                                   const OnLinearIteration& on_iteration, const jobs::Progress& progress,
                                   std::span<const LandmarkPair> landmarks) {
  if (parameters.similarity == Similarity::landmarks)
    return fit_landmarks(fixed.grid, parameters.model, initial, landmarks);
  LinearRegistration result;
  std::optional<Affine3d> fit;
  if (initial == nullptr && parameters.model != LinearModel::none && determine_rotation(landmarks)) {
    fit = rigid_fit(landmarks);
    initial = &*fit;
  }
  if (initial != nullptr) result.map = *initial;
  require_values(fixed, "fixed");
  require_values(moving, "moving");
  require_memory(fixed, moving);
  const std::vector<double> spacings = spacings_of(fixed.grid);
  const std::vector<Sampled> of_fixed = levels_of(fixed, spacings);
  progress.check();
  const std::vector<Sampled> of_moving = levels_of(moving, spacings);
  progress.check();
  const auto match_at = [&](std::size_t level) {
    return Match(of_fixed[level], of_moving[level], parameters.similarity);
  };
  Match finest = match_at(0);
  result.similarity_before = similarity_of(finest.measure(Affine3d::Identity()), parameters.similarity);
  std::vector<Candidate> candidates{{result.map}};
  std::size_t level = spacings.size() - 1;
  if (parameters.model != LinearModel::none) {
    if (initial == nullptr) candidates = starts_of(of_fixed[level], of_moving[level]);
    // All for a few steps at the coarsest level, the better ones to their end there, and the best few at the next level,
    // which has enough voxels for affine maps.
    const auto improve_all = [&](LinearModel model, int most_iterations, std::size_t kept) {
      Match match = match_at(level);
      for (Candidate& each : candidates)
        result.iterations += improve(match, model, most_iterations, each, {}, progress);
      std::ranges::stable_sort(candidates, {}, &Candidate::cost);
      candidates.resize(std::min(candidates.size(), kept));
      if (on_iteration && std::isfinite(candidates.front().cost)) on_iteration(candidates.front().map);
    };
    improve_all(LinearModel::rigid, 4, 8);
    improve_all(LinearModel::rigid, 20, 4);
    if (level > 0) --level;
    improve_all(LinearModel::rigid, 20, 4);
    improve_all(parameters.model, 30, 1);
    if (!std::isfinite(candidates.front().cost)) {
      throw Error(fixed.inside.empty() && moving.inside.empty()
                      ? "No start of the linear registration leaves a quarter of the smaller image in both. "
                        "Check their origins and orientations, or give an initial map."
                      : "No start of the linear registration leaves a quarter of the smaller mask in both. "
                        "Check that each mask belongs to its image, or give an initial map.");
    }
    for (std::size_t i = level; i-- > 0;) {
      Match match = match_at(i);
      result.iterations += improve(match, parameters.model, 30, candidates.front(), on_iteration, progress);
      progress.report(1 - static_cast<double>(i) / static_cast<double>(spacings.size()), "linear map");
    }
    result.map = candidates.front().map;
  }
  result.similarity_after = similarity_of(finest.measure(result.map), parameters.similarity);
  result.largest_move_mm = largest_move(fixed.grid, result.map);
  return result;
}

}  // namespace isolume::anatomy

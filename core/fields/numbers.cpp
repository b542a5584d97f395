#include "core/fields/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::fields {

std::optional<double> value_at(const grid::ScalarField& field, const Eigen::Vector3d& place) {
  const auto& grid = field.grid;
  const Eigen::Vector3d in_unit = place / grid::shown_per_unit(grid.unit);
  const Eigen::Vector3d index = grid.index_at(in_unit);
  for (int axis = 0; axis < 3; ++axis) {
    constexpr double on_edge = 1e-9;
    if (!(index[axis] >= -on_edge && index[axis] <= grid.dimensions[axis] - 1 + on_edge)) return std::nullopt;
  }
  return grid::interpolate(field, in_unit);
}

/// The error of linear interpolation over a step is t (1 - t) / 2 of the second difference.
int digits_at(const grid::ScalarField& field, const Eigen::Vector3d& place) {
  constexpr int most = 4;
  const auto value = value_at(field, place);
  if (!value) return most;
  const auto& grid = field.grid;
  const Eigen::Vector3d index = grid.index_at(place / grid::shown_per_unit(grid.unit));
  double error = 0;
  for (int axis = 0; axis < 3; ++axis) {
    Eigen::Vector3i nearest;
    for (int i = 0; i < 3; ++i)
      nearest[i] = std::clamp(static_cast<int>(std::lround(index[i])), 0, grid.dimensions[i] - 1);
    if (grid.dimensions[axis] < 3) continue;
    nearest[axis] = std::clamp(nearest[axis], 1, grid.dimensions[axis] - 2);
    const auto at = [&](int step) {
      Eigen::Vector3i point = nearest;
      point[axis] += step;
      return static_cast<double>(field.at(point[0], point[1], point[2]));
    };
    const double part = index[axis] - std::floor(index[axis]);
    error += part * (1 - part) / 2 * std::abs(at(-1) - 2 * at(0) + at(1));
  }
  if (!(error > 0)) return most;
  return static_cast<int>(std::clamp(std::floor(std::log10(std::abs(*value) / error)), 1.0, double{most}));
}

std::vector<float> values_at(const grid::ScalarField& field, std::span<const float> places) {
  constexpr double rounding = 1e-3;  // of a step
  constexpr std::size_t grain = 4096;
  const auto& grid = field.grid;
  const double scale = grid::shown_per_unit(grid.unit);
  const Eigen::Matrix3d to_index = (scale * grid.step).inverse();
  const Eigen::Vector3d origin = scale * grid.origin;
  const Eigen::Vector3d last(grid.dimensions[0] - 1, grid.dimensions[1] - 1, grid.dimensions[2] - 1);
  std::vector<float> values(places.size() / 3);
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, values.size(), grain), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      const Eigen::Vector3d place = Eigen::Map<const Eigen::Vector3f>(&places[3 * i]).template cast<double>();
      const Eigen::Vector3d index = to_index * (place - origin);
      const Eigen::Vector3d within = index.cwiseMax(0.0).cwiseMin(last);
      // Written so that NaN counts as outside.
      const bool inside = (index - within).cwiseAbs().maxCoeff() <= rounding && index.allFinite();
      values[i] = inside ? static_cast<float>(grid::interpolate_at_index(field, within))
                         : std::numeric_limits<float>::quiet_NaN();
    }
  });
  return values;
}

std::optional<Eigen::Vector3d> first_on_isosurface(const grid::ScalarField& field,
                                                   const Eigen::Vector3d& start,
                                                   const Eigen::Vector3d& direction, double isovalue,
                                                   bool both_signs) {
  const auto& grid = field.grid;
  const double scale = grid::shown_per_unit(grid.unit);
  const Eigen::Matrix3d to_index = (scale * grid.step).inverse();
  const Eigen::Vector3d from = to_index * (start - scale * grid.origin);
  const Eigen::Vector3d along = to_index * direction;
  double enter = 0, leave = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const int last = grid.dimensions[axis] - 1;
    if (last < 1) return std::nullopt;
    const double at_low = -from[axis] / along[axis], at_high = (last - from[axis]) / along[axis];
    if (std::isnan(at_low) || std::isnan(at_high)) continue;  // runs along a face
    enter = std::max(enter, std::min(at_low, at_high));
    leave = std::min(leave, std::max(at_low, at_high));
  }
  if (!(enter < leave) || !std::isfinite(leave)) return std::nullopt;
  const Eigen::Vector3d last(grid.dimensions[0] - 1, grid.dimensions[1] - 1, grid.dimensions[2] - 1);
  const auto side_at = [&](double distance) {
    const Eigen::Vector3d index = (from + distance * along).cwiseMax(0.0).cwiseMin(last);
    const double value = grid::interpolate_at_index(field, index);
    return value >= isovalue ? 1 : both_signs && value <= -isovalue ? -1 : 0;
  };
  const double step = 0.5 / along.cwiseAbs().maxCoeff();
  const int first_side = side_at(enter);
  for (double before = enter; before < leave; before += step) {
    double low = before, high = std::min(before + step, leave);
    if (side_at(high) == first_side) continue;
    for (int halvings = 0; halvings < 30; ++halvings) {
      const double middle = (low + high) / 2;
      (side_at(middle) == first_side ? low : high) = middle;
    }
    return start + high * direction;
  }
  return std::nullopt;
}

Profile profile(const grid::ScalarField& field, const Eigen::Vector3d& from, const Eigen::Vector3d& to,
                std::size_t count) {
  Profile found{(to - from).norm(), {}};
  found.values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double part = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
    found.values.push_back(
        value_at(field, from + part * (to - from)).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return found;
}

grid::Grid line_grid(const Eigen::Vector3d& from, const Eigen::Vector3d& to, std::size_t count,
                     grid::LengthUnit unit) {
  const double shown = grid::shown_per_unit(unit);
  grid::Grid line{.origin = from / shown, .dimensions = {static_cast<int>(count), 1, 1}, .unit = unit};
  const Eigen::Vector3d step = (to - from) / (shown * static_cast<double>(count - 1));
  line.step.col(0) = step;
  line.step.col(1) = step.norm() * step.unitOrthogonal();
  line.step.col(2) = step.cross(line.step.col(1).normalized());
  return line;
}

namespace {

/// Histogram of `measure`(value); NaN is left out.
template <class Measure>
Histogram counted(const grid::ScalarField& field, double low, double high, std::size_t bins,
                  const jobs::Progress& progress, const Measure& measure) {
  constexpr std::size_t between_checks = 1 << 20;
  Histogram found{low, high, false, std::vector<std::size_t>(bins, 0), 0};
  const double extent = high > low ? high - low : 1;
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    if (i % between_checks == 0) progress.check();
    const double value = measure(field.values[i]);
    if (!std::isfinite(value) || value < low || value > high) {
      ++found.left_out;
      continue;
    }
    const auto bin = static_cast<std::size_t>((value - low) / extent * static_cast<double>(bins));
    ++found.counts[std::min(bin, bins - 1)];
  }
  return found;
}

}  // namespace

namespace {

/// From the 0.1st to the 99.9th percentile of about a million finite values.
std::optional<grid::Range> central_range(const grid::ScalarField& field) {
  constexpr std::size_t enough = 1 << 20, one_in = 1000;
  const std::size_t stride = (field.values.size() + enough - 1) / enough;
  std::vector<float> sample;
  for (std::size_t i = 0; i < field.values.size(); i += stride) {
    if (std::isfinite(field.values[i])) sample.push_back(field.values[i]);
  }
  if (sample.size() < one_in) return std::nullopt;
  const auto number_at = [&](std::size_t index) {
    const auto at = sample.begin() + static_cast<std::ptrdiff_t>(index);
    std::nth_element(sample.begin(), at, sample.end());
    return *at;
  };
  const std::size_t beyond = sample.size() / one_in;
  return grid::Range{number_at(beyond), number_at(sample.size() - 1 - beyond)};
}

}  // namespace

Histogram histogram(const grid::ScalarField& field, std::size_t bins, const std::vector<double>& marks,
                    const jobs::Progress& progress) {
  auto range = grid::value_range(field);
  progress.check();
  if (auto central = central_range(field)) {
    for (const double each : marks) {
      const float mark = std::clamp(static_cast<float>(each), range.low, range.high);
      central->low = std::min(central->low, mark);
      central->high = std::max(central->high, mark);
    }
    const float span = central->high - central->low;
    if (span > 0 && span < (range.high - range.low) / 2) range = *central;
  }
  return counted(field, range.low, range.high, bins, progress,
                 [](float value) { return static_cast<double>(value); });
}

Histogram logarithmic_histogram(const grid::ScalarField& field, std::size_t bins,
                                const jobs::Progress& progress) {
  constexpr double decades = 8;
  const auto range = grid::value_range(field);
  const double high = range.high > 0 ? std::log10(range.high) : 0;
  auto found = counted(field, high - decades, high, bins, progress,
                       [](float value) { return std::log10(static_cast<double>(value)); });
  found.logarithmic = true;
  return found;
}

}  // namespace isolume::fields

#include "app/scene/fields/contour_labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace isolume::scene {
namespace {

using Eigen::Vector2d;

// Relative to the plane's longer side.
constexpr double margin = 0.06;       ///< at the edge, without labels
constexpr double apart = 0.3;         ///< smallest distance between two labels of one level
constexpr double enough_room = 0.04;  ///< places with more room than this are equally good
constexpr double flat = 0.5;          ///< lines that are farther apart lie where the field is almost constant
constexpr int most_per_level = 4;

struct Candidate {
  ContourPlace at;
  double quality = 0;
};

float value_at(const PlaneValues& plane, int column, int row) {
  return plane.values[static_cast<std::size_t>(row) * static_cast<std::size_t>(plane.columns) +
                      static_cast<std::size_t>(column)];
}

/// By central differences, per unit of length.
Vector2d gradient(const PlaneValues& plane, int column, int row) {
  return {(value_at(plane, column + 1, row) - value_at(plane, column - 1, row)) / (2 * plane.steps.x()),
          (value_at(plane, column, row + 1) - value_at(plane, column, row - 1)) / (2 * plane.steps.y())};
}

/// The level's smaller distance to its neighbours.
double gap(std::span<const double> levels, std::size_t level) {
  double least = std::numeric_limits<double>::infinity();
  if (level > 0) least = levels[level] - levels[level - 1];
  if (level + 1 < levels.size()) least = std::min(least, levels[level + 1] - levels[level]);
  return std::isfinite(least) ? least : std::abs(levels[level]);
}

/// The crossings of one level between a point and its neighbours in the next column and row.
class Crossings {
 public:
  Crossings(const PlaneValues& plane, std::span<const double> levels)
      : plane_(plane),
        levels_(levels),
        side_(std::max(plane.columns * plane.steps.x(), plane.rows * plane.steps.y())) {}

  std::vector<Candidate> all() {
    const int left = std::max(1, static_cast<int>(margin * side_ / plane_.steps.x()));
    const int low = std::max(1, static_cast<int>(margin * side_ / plane_.steps.y()));
    // Some rows and columns meet every line that is long enough for a label.
    const int every = std::max(1, std::max(plane_.columns, plane_.rows) / 80);
    for (int row = low; row < plane_.rows - 1 - low; ++row) {
      const bool along_row = row % every == 0;
      for (int column = left; column < plane_.columns - 1 - left; column += along_row ? 1 : every) {
        if (along_row) add_between(column, row, {1, 0});
        if ((column - left) % every == 0) add_between(column, row, {0, 1});
      }
    }
    return std::move(found_);
  }

 private:
  void add_between(int column, int row, const std::array<int, 2>& step) {
    const double from = value_at(plane_, column, row);
    const double to = value_at(plane_, column + step[0], row + step[1]);
    if (!std::isfinite(from) || !std::isfinite(to) || from == to) return;
    const auto [low, high] = std::minmax(from, to);
    for (auto level = std::ranges::lower_bound(levels_, low); level != levels_.end() && *level < high;
         ++level)
      add(static_cast<std::size_t>(level - levels_.begin()), column, row,
          Vector2d(step[0], step[1]) * (*level - from) / (to - from));
  }
  void add(std::size_t level, int column, int row, const Vector2d& beyond) {
    const Vector2d slope = gradient(plane_, column, row);
    const double steep = slope.norm();
    const double room = gap(levels_, level) / steep;
    if (!std::isfinite(room) || room > flat * side_) return;
    // A text is wider than high: it needs more room across lines that do not run along it.
    constexpr double wide = 2.5;
    const double needed = (wide * std::abs(slope.x()) + std::abs(slope.y())) / steep;
    found_.push_back({{levels_[level], Vector2d(column, row) + beyond, slope / steep * room},
                      std::min(room / needed / side_, enough_room)});
  }

  const PlaneValues& plane_;
  const std::span<const double> levels_;
  const double side_;
  std::vector<Candidate> found_;
};

}  // namespace

std::vector<ContourPlace> contour_places(const PlaneValues& plane, std::span<const double> levels) {
  if (levels.empty() || std::min(plane.columns, plane.rows) < 4) return {};
  auto candidates = Crossings(plane, levels).all();
  std::ranges::stable_sort(candidates, std::ranges::greater(), &Candidate::quality);
  const double least = apart * std::max(plane.columns * plane.steps.x(), plane.rows * plane.steps.y());
  std::vector<ContourPlace> chosen;
  std::vector<std::vector<Vector2d>> taken(levels.size());
  for (const auto& [at, quality] : candidates) {
    auto& others =
        taken[static_cast<std::size_t>(std::ranges::lower_bound(levels, at.level) - levels.begin())];
    const Vector2d place = at.place.cwiseProduct(plane.steps);
    const bool free =
        std::ranges::all_of(others, [&](const Vector2d& other) { return (other - place).norm() >= least; });
    if (!free || others.size() >= most_per_level) continue;
    others.push_back(place);
    chosen.push_back(at);
  }
  return chosen;
}

}  // namespace isolume::scene

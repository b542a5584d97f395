#include <algorithm>
#include <optional>
#include <queue>

#include "core/contours/interpolate.h"

namespace isolume::contours {
namespace {

double squared_distance(const Eigen::Vector2d& place, const Eigen::Vector2d& from,
                        const Eigen::Vector2d& to) {
  const Eigen::Vector2d along = to - from;
  const double square = along.squaredNorm();
  const double t = square > 0 ? std::clamp((place - from).dot(along) / square, 0.0, 1.0) : 0;
  return (place - from - t * along).squaredNorm();
}

/// Part of an outline; it may wrap around from the last point to the first.
struct Stretch {
  std::size_t from, to, farthest;
  double squared_deviation;  ///< of the farthest point from the straight line

  bool operator<(const Stretch& other) const { return squared_deviation < other.squared_deviation; }
};

std::optional<Stretch> stretch(const Polyline& outline, std::size_t from, std::size_t to) {
  if (to <= from + 1) return std::nullopt;
  const auto &begin = outline[from % outline.size()], &end = outline[to % outline.size()];
  Stretch result{from, to, from, -1};
  for (std::size_t i = from + 1; i < to; ++i) {
    const double deviation = squared_distance(outline[i % outline.size()], begin, end);
    if (deviation > result.squared_deviation) {
      result.farthest = i;
      result.squared_deviation = deviation;
    }
  }
  return result;
}

std::size_t farthest_from(const Polyline& outline, const Eigen::Vector2d& place) {
  const auto farthest =
      std::ranges::max_element(outline, {}, [&](const auto& point) { return (point - place).squaredNorm(); });
  return static_cast<std::size_t>(farthest - outline.begin());
}

}  // namespace

std::vector<std::size_t> seed_points(const Polyline& outline, bool closed, double tolerance_px,
                                     std::size_t least) {
  if (outline.empty()) return {};
  std::size_t first = 0, last = outline.size() - 1;
  if (closed) {  // from its two ends, which makes the result independent of where the outline begins
    Eigen::Vector2d middle = Eigen::Vector2d::Zero();
    for (const auto& point : outline) middle += point / static_cast<double>(outline.size());
    first = farthest_from(outline, middle);
    last = farthest_from(outline, outline[first]);
    if (last < first) std::swap(first, last);
  }
  std::vector<std::size_t> chosen{first};
  if (last != first) chosen.push_back(last);
  std::priority_queue<Stretch> stretches;
  const auto add = [&](std::size_t from, std::size_t to) {
    if (const auto part = stretch(outline, from, to)) stretches.push(*part);
  };
  add(first, last);
  if (closed) add(last, first + outline.size());
  while (!stretches.empty() &&
         (chosen.size() < least || stretches.top().squared_deviation > tolerance_px * tolerance_px)) {
    const Stretch widest = stretches.top();
    stretches.pop();
    chosen.push_back(widest.farthest % outline.size());
    add(widest.from, widest.farthest);
    add(widest.farthest, widest.to);
  }
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace isolume::contours

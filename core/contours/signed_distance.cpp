#include "core/contours/signed_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/contours/label_map.h"
#include "core/contours/parallel.h"

namespace isolume::contours {
namespace {

struct Side {
  Eigen::Vector2d from, along;
  double inverse_square;  ///< of its length; 0 for a point

  double squared_distance(const Eigen::Vector2d& place) const {
    const Eigen::Vector2d apart = place - from;
    const double t = std::clamp(apart.dot(along) * inverse_square, 0.0, 1.0);
    return (apart - t * along).squaredNorm();
  }
};

std::vector<Side> sides_of(const Polyline& outline, const Eigen::Matrix2d& to_mm) {
  std::vector<Side> sides;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Eigen::Vector2d from = to_mm * outline[i];
    const Eigen::Vector2d along = to_mm * outline[(i + 1) % outline.size()] - from;
    const double square = along.squaredNorm();
    sides.push_back({from, along, square > 0 ? 1 / square : 0});
  }
  return sides;
}

/// Processes squares of pixels, each with the sides that can be nearest to one of its pixels: where the nearest side
/// is `least` from the centre and no pixel farther than `reach`, the others lie within least + 2 reach.
class SquareFiller {
 public:
  SquareFiller(int width, int height, const Eigen::Matrix2d& to_mm, float* distances)
      : width_(width), height_(height), to_mm_(to_mm), distances_(distances) {}

  void fill(int left, int top, int length, const std::vector<Side>& candidates) const {
    if (left >= width_ || top >= height_) return;
    const std::vector<Side> sides = nearest(left, top, length, candidates);
    if (length <= 4) {
      fill_pixels(left, top, length, sides);
      return;
    }
    const int half = length / 2;
    fill(left, top, half, sides);
    fill(left + half, top, half, sides);
    fill(left, top + half, half, sides);
    fill(left + half, top + half, half, sides);
  }

 private:
  std::vector<Side> nearest(int left, int top, int length, const std::vector<Side>& candidates) const {
    const double half = (length - 1) / 2.0;
    const Eigen::Vector2d centre = to_mm_ * Eigen::Vector2d(left + half, top + half);
    std::vector<double> distances;
    distances.reserve(candidates.size());
    for (const auto& side : candidates) distances.push_back(std::sqrt(side.squared_distance(centre)));
    const double diagonal =
        std::max((to_mm_.col(0) + to_mm_.col(1)).norm(), (to_mm_.col(0) - to_mm_.col(1)).norm());
    const double most = std::ranges::min(distances) + 2 * half * diagonal * (1 + 1e-9);
    std::vector<Side> sides;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (distances[i] <= most) sides.push_back(candidates[i]);
    }
    return sides;
  }

  void fill_pixels(int left, int top, int length, const std::vector<Side>& sides) const {
    for (int y = top; y < std::min(top + length, height_); ++y) {
      for (int x = left; x < std::min(left + length, width_); ++x) {
        double least = std::numeric_limits<double>::infinity();
        const Eigen::Vector2d place = to_mm_ * Eigen::Vector2d(x, y);
        for (const auto& side : sides) least = std::min(least, side.squared_distance(place));
        distances_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                   static_cast<std::size_t>(x)] = static_cast<float>(std::sqrt(least));
      }
    }
  }

  int width_, height_;
  Eigen::Matrix2d to_mm_;
  float* distances_;
};

}  // namespace

FieldValues signed_distances_mm(const Polyline& outline, int width, int height, const Eigen::Matrix2d& to_mm,
                                const jobs::Progress& progress) {
  FieldValues distances(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const auto sides = sides_of(outline, to_mm);
  const SquareFiller filler(width, height, to_mm, distances.data());
  constexpr int square = 64;
  const auto columns = static_cast<std::size_t>((width + square - 1) / square);
  const auto rows = static_cast<std::size_t>((height + square - 1) / square);
  in_parallel(columns * rows, progress, "signed distance", [&](std::size_t task) {
    filler.fill(static_cast<int>(task % columns) * square, static_cast<int>(task / columns) * square, square,
                sides);
  });
  const auto inside = rasterise(contour_from_outline(outline, {}, true, 1), width, height);
  for (std::size_t at = 0; at < distances.size(); ++at) {
    if (inside.values[at] == 0) distances[at] = -distances[at];
  }
  return distances;
}

}  // namespace isolume::contours

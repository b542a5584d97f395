#include "core/contours/outlines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace isolume::contours {
namespace {

/// Sides join neighbouring pixels; they are numbered 2 * pixel for the one to the right of it, 2 * pixel + 1
/// for the one below.
Eigen::Vector2d crossing(const FieldValues& values, std::size_t width, std::size_t side) {
  const std::size_t pixel = side / 2, other = side % 2 == 0 ? pixel + 1 : pixel + width;
  const double a = values[pixel], b = values[other], t = a / (a - b);
  const std::size_t column = pixel % width, row = pixel / width;
  const Eigen::Vector2d place(static_cast<double>(column), static_cast<double>(row));
  return place + (side % 2 == 0 ? Eigen::Vector2d(t, 0) : Eigen::Vector2d(0, t));
}

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// Records how the outline passes through the square whose upper left corner is `pixel`: from each side by which it
/// enters to the one by which it leaves.
void link_square(const FieldValues& values, std::size_t width, std::size_t pixel,
                 std::vector<std::size_t>& next) {
  // Clockwise (y downwards); side c lies between corner c and the one after it.
  const std::array<std::size_t, 4> corners{pixel, pixel + 1, pixel + 1 + width, pixel + width};
  const std::array<std::size_t, 4> sides{2 * pixel, 2 * (pixel + 1) + 1, 2 * (pixel + width), 2 * pixel + 1};
  std::array<bool, 4> inside{};
  float sum = 0;
  for (std::size_t c = 0; c < 4; ++c) {
    inside[c] = values[corners[c]] >= 0;
    sum += values[corners[c]];
  }
  for (std::size_t enters = 0; enters < 4; ++enters) {
    if (!inside[enters] || inside[(enters + 1) % 4]) continue;
    std::size_t leaves = (enters + 1) % 4;
    while (!inside[(leaves + 1) % 4]) leaves = (leaves + 1) % 4;
    // Two opposite inner corners are connected if the middle lies inside, too.
    const bool apart = inside[(enters + 2) % 4] && !inside[(enters + 3) % 4] && sum < 0;
    next[sides[enters]] = sides[apart ? (enters + 3) % 4 : leaves];
  }
}

}  // namespace

double signed_area_px2(const Polyline& points) {
  double area = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Vector2d from = points[i] - points.front();
    const Eigen::Vector2d to = points[(i + 1) % points.size()] - points.front();
    area += (from.x() * to.y() - to.x() * from.y()) / 2;
  }
  return area;
}

void sort_by_area(std::vector<Outline>& outlines) {
  std::ranges::stable_sort(outlines, std::greater<>(),
                           [](const Outline& outline) { return std::abs(outline.area_px2); });
}

Contour contour_of(Outline outline, images::SliceId slice) {
  Contour contour = contour_from_outline(std::move(outline.points), slice, true, outline.label);
  if (outline.area_px2 < 0) contour.combination = Combination::subtract;
  return contour;
}

std::vector<Outline> zero_outlines(const FieldValues& values, int width, int height) {
  const auto columns = static_cast<std::size_t>(width), rows = static_cast<std::size_t>(height);
  std::vector<std::size_t> next(2 * values.size(), none);
  for (std::size_t y = 0; y + 1 < rows; ++y) {
    for (std::size_t x = 0; x + 1 < columns; ++x) link_square(values, columns, y * columns + x, next);
  }
  std::vector<Outline> outlines;
  for (std::size_t start = 0; start < next.size(); ++start) {
    if (next[start] == none) continue;
    Outline outline;
    for (std::size_t side = start; next[side] != none; side = std::exchange(next[side], none)) {
      const auto place = crossing(values, columns, side);
      if (outline.points.empty() || outline.points.back() != place) outline.points.push_back(place);
    }
    if (outline.points.size() > 1 && outline.points.front() == outline.points.back()) {
      outline.points.pop_back();
    }
    outline.area_px2 = signed_area_px2(outline.points);
    outlines.push_back(std::move(outline));
  }
  sort_by_area(outlines);
  return outlines;
}

}  // namespace isolume::contours

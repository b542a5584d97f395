#include "core/contours/painting.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <Eigen/LU>

#include "core/base/error.h"

namespace isolume::contours {
namespace {

double distance_to(const Polyline& line, const Eigen::Vector2d& place) {
  double nearest = (line.front() - place).norm();
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const Eigen::Vector2d along = line[i + 1] - line[i];
    const double squared = along.squaredNorm();
    const double t = squared > 0 ? std::clamp((place - line[i]).dot(along) / squared, 0.0, 1.0) : 0;
    nearest = std::min(nearest, (place - line[i] - t * along).norm());
  }
  return nearest;
}

/// Joins a hole by a channel: from the outline's point nearest to the hole, around the hole and back.
void join(Polyline& outline, const Polyline& hole) {
  std::size_t at = 0, from = 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < outline.size(); ++i) {
    for (std::size_t k = 0; k < hole.size(); ++k) {
      const double distance = (outline[i] - hole[k]).squaredNorm();
      if (distance >= nearest) continue;
      nearest = distance;
      at = i;
      from = k;
    }
  }
  Polyline detour;
  for (std::size_t k = 0; k <= hole.size(); ++k) detour.push_back(hole[(from + k) % hole.size()]);
  detour.push_back(outline[at]);
  outline.insert(outline.begin() + static_cast<std::ptrdiff_t>(at) + 1, detour.begin(), detour.end());
}

}  // namespace

Outline brush_outline(const Polyline& stroke, double radius_mm, const Eigen::Matrix2d& to_mm) {
  constexpr double longest_side = 20'000;
  // Finer than pixels if the brush is small, so that it stays round.
  const Eigen::Matrix2d to_px = to_mm.inverse();
  const Eigen::Vector2d reach = radius_mm * to_px.rowwise().norm();
  const double cell = std::min(1.0, reach.minCoeff() / 4);
  Eigen::Vector2d low = stroke.front(), high = low;
  Polyline line_mm;
  for (const auto& point : stroke) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
    line_mm.push_back(to_mm * point);
  }
  low -= reach + Eigen::Vector2d::Constant(2 * cell);
  const Eigen::Vector2d size = ((high + reach - low) / cell).array().ceil() + 3;
  if (!(size.maxCoeff() < longest_side))
    throw Error("The brush is too large for this slice. Choose a smaller radius.");
  const int width = static_cast<int>(size.x()), height = static_cast<int>(size.y());
  FieldValues inside(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Eigen::Vector2d place = low + cell * Eigen::Vector2d(x, y);
      inside[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)] =
          static_cast<float>(radius_mm - distance_to(line_mm, to_mm * place));
    }
  }
  auto outlines = zero_outlines(inside, width, height);
  Outline whole = std::move(outlines.front());  // a stroke is connected
  for (std::size_t hole = 1; hole < outlines.size(); ++hole) join(whole.points, outlines[hole].points);
  for (auto& point : whole.points) point = low + cell * point;
  whole.area_px2 = signed_area_px2(whole.points);
  return whole;
}

SliceLabels pixels_within(const images::SliceImage& image, double low, double high) {
  SliceLabels pixels{image.plane.columns, image.plane.rows, {}};
  pixels.values.reserve(image.values.size());
  for (const float value : image.values) pixels.values.push_back(value >= low && value <= high ? 1 : 0);
  return pixels;
}

SliceLabels connected_to(const SliceLabels& pixels, int x, int y) {
  SliceLabels found{pixels.width, pixels.height, std::vector<std::uint16_t>(pixels.values.size())};
  std::vector<std::array<int, 2>> open;
  const auto visit = [&](int column, int row) {
    if (column < 0 || row < 0 || column >= pixels.width || row >= pixels.height) return;
    const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(pixels.width) +
                           static_cast<std::size_t>(column);
    if (pixels.values[at] == 0 || found.values[at] != 0) return;
    found.values[at] = 1;
    open.push_back({column, row});
  };
  visit(x, y);
  while (!open.empty()) {
    const auto [column, row] = open.back();
    open.pop_back();
    visit(column - 1, row);
    visit(column + 1, row);
    visit(column, row - 1);
    visit(column, row + 1);
  }
  return found;
}

SliceLabels with_islands(SliceLabels pixels, const SliceMask& kept) {
  const auto at = [&](int x, int y) -> std::uint16_t& {
    return pixels.values[static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels.width) +
                         static_cast<std::size_t>(x)];
  };
  const auto missing = [&](int x, int y) { return kept.row(y)[x - kept.left] != 0 && at(x, y) == 0; };
  bool any = false;
  for (int y = kept.top; y < kept.top + kept.height && !any; ++y) {
    for (int x = kept.left; x < kept.left + kept.width && !any; ++x) any = missing(x, y);
  }
  if (!any) return pixels;
  // With a rim of one pixel, from which all of the outside is reached.
  SliceLabels outside{pixels.width + 2, pixels.height + 2, {}};
  for (int y = -1; y <= pixels.height; ++y) {
    for (int x = -1; x <= pixels.width; ++x) {
      const bool inside = x >= 0 && y >= 0 && x < pixels.width && y < pixels.height && at(x, y) != 0;
      outside.values.push_back(inside ? 0 : 1);
    }
  }
  outside = connected_to(outside, 0, 0);
  for (int y = kept.top; y < kept.top + kept.height; ++y) {
    for (int x = kept.left; x < kept.left + kept.width; ++x) {
      const std::size_t padded = static_cast<std::size_t>(y + 1) * static_cast<std::size_t>(outside.width) +
                                 static_cast<std::size_t>(x + 1);
      if (missing(x, y) && outside.values[padded] == 0) at(x, y) = 1;
    }
  }
  return pixels;
}

}  // namespace isolume::contours

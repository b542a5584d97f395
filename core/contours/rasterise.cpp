#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/contours/label_map.h"

namespace isolume::contours {
namespace {

// Points are counted in 1/65536 of a pixel, so that what follows is exact.
constexpr std::int64_t one = 1 << 16;
__extension__ using Wide = __int128;

struct FixedPoint {
  std::int64_t x, y;
};

FixedPoint fixed_point(const Eigen::Vector2d& place, const Contour& contour) {
  constexpr double far = 1 << 24;
  if (!(place.cwiseAbs().maxCoeff() < far)) {
    throw Error(fmt::format(
        "Contour \"{}\" has a point at ({}, {}) pixels, which no image contains. Remove the contour.",
        contour.name, place.x(), place.y()));
  }
  return {std::llround(place.x() * one), std::llround(place.y() * one)};
}

Wide floor_of_ratio(Wide numerator, Wide positive_denominator) {
  const Wide quotient = numerator / positive_denominator;
  return numerator % positive_denominator < 0 ? quotient - 1 : quotient;
}
int pixel_below(std::int64_t fixed) {
  return static_cast<int>(floor_of_ratio(fixed, one));
}
int pixel_above(std::int64_t fixed) {
  return -pixel_below(-fixed);
}

/// Pixels inside a contour, within the box around it.
struct Mask {
  int left = 0, top = 0, width = 0, height = 0;
  std::vector<std::uint8_t> values;

  std::uint8_t* row(int y) {
    return values.data() + static_cast<std::size_t>(y - top) * static_cast<std::size_t>(width);
  }
};

constexpr std::uint8_t crossed = 1;  ///< the parity changes from the pixel before to this one
constexpr std::uint8_t on_outline = 2;

void mark_on_outline(Mask& mask, int y, int first, int last) {
  for (int x = std::max(first, mask.left); x <= std::min(last, mask.left + mask.width - 1); ++x) {
    mask.row(y)[x - mask.left] |= on_outline;
  }
}

void mark_crossing(Mask& mask, int y, int first_beyond) {
  const int x = std::max(first_beyond - mask.left, 0);
  if (x < mask.width) mask.row(y)[x] ^= crossed;
}

void mark_edge(Mask& mask, FixedPoint from, FixedPoint to) {
  if (from.y > to.y) std::swap(from, to);
  const int first = std::max(pixel_above(from.y), mask.top);
  const int last = std::min(pixel_below(to.y), mask.top + mask.height - 1);
  if (from.y == to.y) {
    const auto [low, high] = std::minmax(from.x, to.x);
    if (first <= last) mark_on_outline(mask, first, pixel_above(low), pixel_below(high));
    return;
  }
  const Wide rise = to.y - from.y;
  for (int y = first; y <= last; ++y) {
    const Wide x_times_rise = rise * from.x + Wide{y * one - from.y} * (to.x - from.x);
    const Wide x = floor_of_ratio(x_times_rise, rise * one);
    if (x * rise * one == x_times_rise) mark_on_outline(mask, y, static_cast<int>(x), static_cast<int>(x));
    if (y * one < to.y) mark_crossing(mask, y, static_cast<int>(x) + 1);
  }
}

Mask box_around(const std::vector<FixedPoint>& points, int width, int height) {
  if (points.empty()) return {};
  const auto [x_low, x_high] = std::ranges::minmax(points, {}, &FixedPoint::x);
  const auto [y_low, y_high] = std::ranges::minmax(points, {}, &FixedPoint::y);
  Mask mask;
  mask.left = std::max(pixel_above(x_low.x), 0);
  mask.top = std::max(pixel_above(y_low.y), 0);
  mask.width = std::max(std::min(pixel_below(x_high.x), width - 1) - mask.left + 1, 0);
  mask.height = std::max(std::min(pixel_below(y_high.y), height - 1) - mask.top + 1, 0);
  mask.values.resize(static_cast<std::size_t>(mask.width) * static_cast<std::size_t>(mask.height));
  return mask;
}

/// 1 inside, 0 outside.
Mask mask_of(const Contour& contour, int width, int height) {
  std::vector<FixedPoint> points;
  for (const auto& place : contour.outline()) points.push_back(fixed_point(place, contour));
  Mask mask = box_around(points, width, height);
  for (std::size_t i = 0; i < points.size(); ++i) {
    mark_edge(mask, points[i], points[(i + 1) % points.size()]);
  }
  for (int y = mask.top; y < mask.top + mask.height; ++y) {
    std::uint8_t inside = 0;
    for (int x = 0; x < mask.width; ++x) {
      std::uint8_t& value = mask.row(y)[x];
      inside ^= value & crossed;
      value = inside != 0 || (value & on_outline) != 0 ? 1 : 0;
    }
  }
  return mask;
}

template <class Value>
void put(Mask& mask, Value value, std::vector<Value>& pixels, int width) {
  for (int y = mask.top; y < mask.top + mask.height; ++y) {
    Value* row = pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(mask.left);
    const std::uint8_t* inside = mask.row(y);
    for (int x = 0; x < mask.width; ++x) {
      if (inside[x] != 0) row[x] = value;
    }
  }
}

}  // namespace

SliceLabels rasterise(const Contour& contour, int width, int height) {
  SliceLabels labels{width, height, {}};
  labels.values.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  Mask mask = mask_of(contour, width, height);
  put(mask, std::uint16_t{1}, labels.values, width);
  return labels;
}

SliceLabels rasterise(const ContourSet& set, images::SliceId slice, int width, int height) {
  SliceLabels labels{width, height, {}};
  labels.values.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const auto on_slice = set.on_slice(slice);
  std::vector<std::uint8_t> area;
  for (const auto& label : set.labels()) {
    area.clear();
    for (const auto& contour : on_slice) {
      if (contour->label != label.value || !contour->closed || contour->suggestion) continue;
      area.resize(labels.values.size());
      Mask mask = mask_of(*contour, width, height);
      put(mask, static_cast<std::uint8_t>(contour->combination == Combination::add), area, width);
    }
    for (std::size_t at = 0; at < area.size(); ++at) {
      if (area[at] != 0) labels.values[at] = static_cast<std::uint16_t>(label.value);
    }
  }
  return labels;
}

}  // namespace isolume::contours

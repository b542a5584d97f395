#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/contours/label_map.h"

namespace isolume::contours {
namespace {

// Points are in units of 1/65536 of a pixel, so that the following arithmetic is exact.
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

/// An outline crosses the line through the centres of row y: the parity changes from the first pixel at or beyond it
/// on.
void mark_crossing(SliceMask& mask, int y, int first) {
  const int x = std::max(first - mask.left, 0);
  if (x < mask.width) mask.row(y)[x] ^= std::uint8_t{1};
}

/// A side covers the rows whose centres lie at or below its upper end and above its lower one, so that consecutive
/// sides never share a row; horizontal sides cover none.
void mark_side(SliceMask& mask, FixedPoint from, FixedPoint to) {
  if (from.y == to.y) return;
  if (from.y > to.y) std::swap(from, to);
  const int first = std::max(pixel_above(from.y), mask.top);
  const int end = std::min(pixel_above(to.y), mask.top + mask.height);
  const Wide rise = to.y - from.y;
  for (int y = first; y < end; ++y) {
    const Wide x_times_rise = rise * from.x + Wide{y * one - from.y} * (to.x - from.x);
    mark_crossing(mask, y, static_cast<int>(-floor_of_ratio(-x_times_rise, rise * one)));
  }
}

SliceMask box_around(const std::vector<FixedPoint>& points, int width, int height) {
  if (points.empty()) return {};
  const auto [x_low, x_high] = std::ranges::minmax(points, {}, &FixedPoint::x);
  const auto [y_low, y_high] = std::ranges::minmax(points, {}, &FixedPoint::y);
  SliceMask mask;
  mask.left = std::max(pixel_above(x_low.x), 0);
  mask.top = std::max(pixel_above(y_low.y), 0);
  mask.width = std::max(std::min(pixel_below(x_high.x), width - 1) - mask.left + 1, 0);
  mask.height = std::max(std::min(pixel_below(y_high.y), height - 1) - mask.top + 1, 0);
  mask.values.resize(static_cast<std::size_t>(mask.width) * static_cast<std::size_t>(mask.height));
  return mask;
}

SliceMask mask_of(const Contour& contour, int width, int height) {
  std::vector<FixedPoint> points;
  for (const auto& place : contour.outline()) points.push_back(fixed_point(place, contour));
  SliceMask mask = box_around(points, width, height);
  for (std::size_t i = 0; i < points.size(); ++i) {
    mark_side(mask, points[i], points[(i + 1) % points.size()]);
  }
  for (int y = mask.top; y < mask.top + mask.height; ++y) {
    std::uint8_t inside = 0;
    for (int x = 0; x < mask.width; ++x) {
      std::uint8_t& value = mask.row(y)[x];
      inside ^= value;
      value = inside;
    }
  }
  return mask;
}

/// Gives `value` to the pixels of a mask that lie in another one.
void put(const SliceMask& mask, std::uint8_t value, SliceMask& area) {
  const int left = std::max(mask.left, area.left),
            right = std::min(mask.left + mask.width, area.left + area.width);
  const int bottom = std::min(mask.top + mask.height, area.top + area.height);
  for (int y = std::max(mask.top, area.top); y < bottom; ++y) {
    const std::uint8_t* inside = mask.row(y) - mask.left;
    std::uint8_t* row = area.row(y) - area.left;
    for (int x = left; x < right; ++x) {
      if (inside[x] != 0) row[x] = value;
    }
  }
}

/// The box around all of them, without a pixel inside.
SliceMask empty_box(const std::vector<SliceMask>& masks) {
  SliceMask box;
  int right = 0, bottom = 0;
  for (const auto& mask : masks) {
    if (mask.values.empty()) continue;
    const bool first = right == 0;
    box.left = first ? mask.left : std::min(box.left, mask.left);
    box.top = first ? mask.top : std::min(box.top, mask.top);
    right = std::max(right, mask.left + mask.width);
    bottom = std::max(bottom, mask.top + mask.height);
  }
  box.width = right - box.left;
  box.height = bottom - box.top;
  box.values.resize(static_cast<std::size_t>(box.width) * static_cast<std::size_t>(box.height));
  return box;
}

void put(const SliceMask& mask, std::uint16_t value, SliceLabels& labels) {
  for (int y = mask.top; y < mask.top + mask.height; ++y) {
    const std::uint8_t* inside = mask.row(y);
    std::uint16_t* row = labels.values.data() +
                         static_cast<std::size_t>(y) * static_cast<std::size_t>(labels.width) +
                         static_cast<std::size_t>(mask.left);
    for (int x = 0; x < mask.width; ++x) {
      if (inside[x] != 0) row[x] = value;
    }
  }
}

SliceLabels empty_labels(int width, int height) {
  SliceLabels labels{width, height, {}};
  labels.values.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  return labels;
}

}  // namespace

SliceMask mask_of_label(const ContourSet& set, int label, images::SliceId slice, int width, int height) {
  std::vector<SliceMask> masks;
  std::vector<std::uint8_t> values;
  for (const auto& contour : set.contours()) {
    if (contour->slice != slice || contour->label != label || !contour->closed || contour->suggestion)
      continue;
    masks.push_back(mask_of(*contour, width, height));
    values.push_back(contour->combination == Combination::add ? 1 : 0);
  }
  SliceMask area = empty_box(masks);
  for (std::size_t i = 0; i < masks.size(); ++i) put(masks[i], values[i], area);
  return area;
}

SliceLabels rasterise(const Contour& contour, int width, int height) {
  SliceLabels labels = empty_labels(width, height);
  put(mask_of(contour, width, height), std::uint16_t{1}, labels);
  return labels;
}

SliceLabels rasterise(const ContourSet& set, images::SliceId slice, int width, int height) {
  SliceLabels labels = empty_labels(width, height);
  for (const auto& label : set.labels()) {
    put(mask_of_label(set, label.value, slice, width, height), static_cast<std::uint16_t>(label.value),
        labels);
  }
  return labels;
}

}  // namespace isolume::contours

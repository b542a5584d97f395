#include "core/dicom/contours/regions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/contours/label_map.h"
#include "core/contours/outlines.h"
#include "core/contours/polygon.h"

namespace isolume::dicom {
namespace {

using contours::Combination;
using contours::Contour;
using contours::Polyline;

struct Outline {
  Polyline points;
  Combination combination;
};

std::vector<Outline> outlines_of(const contours::ContourSet& set, int label, images::SliceId slice) {
  std::vector<Outline> found;
  for (const auto& contour : set.contours()) {
    if (contour->slice != slice || contour->label != label || !contour->closed || contour->suggestion)
      continue;
    Polyline points = contour->outline();
    if (points.size() >= 3) found.push_back({std::move(points), contour->combination});
  }
  return found;
}

/// A point that no other outline passes through, as outlines do not meet.
Eigen::Vector2d probe(const Polyline& outline) {
  return (outline[0] + outline[1]) / 2;
}

/// Whether nesting gives the same result as applying the outlines in order: those inside an even number of others
/// add, those inside an odd number subtract, and none precedes one that contains it.
bool are_nested(const std::vector<Outline>& outlines) {
  for (std::size_t i = 0; i < outlines.size(); ++i) {
    int around = 0;
    for (std::size_t k = 0; k < outlines.size(); ++k) {
      if (k == i) continue;
      if (k < i && contours::touch(outlines[i].points, outlines[k].points)) return false;
      if (!contours::contains(outlines[k].points, probe(outlines[i].points))) continue;
      if (k > i) return false;
      ++around;
    }
    if ((around % 2 == 0) != (outlines[i].combination == Combination::add)) return false;
  }
  return true;
}

/// Assigns each subtracting outline to the smallest one around it.
std::vector<Region> regions(std::vector<Outline> outlines) {
  std::vector<Region> found;
  for (auto& outline : outlines) {
    if (outline.combination == Combination::add) found.push_back({std::move(outline.points), {}});
  }
  for (auto& hole : outlines) {
    if (hole.combination == Combination::add) continue;
    Region* smallest = nullptr;
    double smallest_area = std::numeric_limits<double>::infinity();
    for (auto& region : found) {
      const double area = std::abs(contours::signed_area_px2(region.outline));
      if (area < smallest_area && contours::contains(region.outline, probe(hole.points))) {
        smallest = &region;
        smallest_area = area;
      }
    }
    if (smallest != nullptr) smallest->holes.push_back(std::move(hole.points));
  }
  return found;
}

std::vector<Outline> pixel_outlines(const contours::ContourSet& set, int label, images::SliceId slice,
                                    int width, int height) {
  const auto mask = contours::mask_of_label(set, label, slice, width, height);
  contours::SliceLabels pixels{width, height, {}};
  pixels.values.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = mask.top; y < mask.top + mask.height; ++y) {
    std::copy_n(mask.row(y), mask.width,
                pixels.values.begin() + static_cast<std::ptrdiff_t>(y) * width + mask.left);
  }
  std::vector<Outline> found;
  for (auto& outline : contours::outlines_of(std::move(pixels))) {
    found.push_back(
        {std::move(outline.points), outline.area_px2 < 0 ? Combination::subtract : Combination::add});
  }
  return found;
}

}  // namespace

std::vector<Region> regions_of(const contours::ContourSet& set, int label, images::SliceId slice, int width,
                               int height, bool* by_pixels) {
  auto outlines = outlines_of(set, label, slice);
  const bool nested = are_nested(outlines);
  if (!nested) outlines = pixel_outlines(set, label, slice, width, height);
  if (by_pixels != nullptr) *by_pixels = !nested;
  return regions(std::move(outlines));
}

Polyline join_holes(Region region) {
  Polyline joined = std::move(region.outline);
  const bool sense = contours::signed_area_px2(joined) > 0;
  for (auto& hole : region.holes) {
    if ((contours::signed_area_px2(hole) > 0) == sense) std::ranges::reverse(hole);
    std::size_t from = 0, to = 0;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < joined.size(); ++i) {
      for (std::size_t k = 0; k < hole.size(); ++k) {
        const double distance = (joined[i] - hole[k]).squaredNorm();
        if (distance < nearest) std::tie(nearest, from, to) = std::tuple(distance, i, k);
      }
    }
    std::ranges::rotate(hole, hole.begin() + static_cast<std::ptrdiff_t>(to));
    hole.push_back(hole.front());
    hole.push_back(joined[from]);
    joined.insert(joined.begin() + static_cast<std::ptrdiff_t>(from) + 1, hole.begin(), hole.end());
  }
  return joined;
}

namespace {

using Key = std::pair<long long, long long>;
Key key_of(const Eigen::Vector2d& place) {  // to a millionth of a pixel
  return {std::llround(place.x() * 1e6), std::llround(place.y() * 1e6)};
}

/// Splits an outline into loops by removing pairs of coincident sides with opposite directions.
std::vector<Polyline> loops_of(Polyline outline) {
  std::vector<Polyline> loops;
  outline.push_back(outline.front());
  Polyline way;
  std::vector<Key> keys;
  std::map<std::pair<Key, Key>, std::size_t> sides;  // index at which each begins
  for (const auto& point : outline) {
    const Key key = key_of(point);
    if (!keys.empty() && keys.back() == key) continue;
    const auto back = keys.empty() ? sides.end() : sides.find({key, keys.back()});
    if (back == sides.end()) {
      if (!keys.empty()) sides.insert_or_assign({keys.back(), key}, keys.size() - 1);
      keys.push_back(key);
      way.push_back(point);
      continue;
    }
    const std::size_t begin = back->second;
    loops.emplace_back(way.begin() + static_cast<std::ptrdiff_t>(begin) + 1, way.end() - 1);
    for (std::size_t i = begin; i + 1 < keys.size(); ++i) {
      const auto side = sides.find({keys[i], keys[i + 1]});
      if (side != sides.end() && side->second == i) sides.erase(side);
    }
    keys.resize(begin + 1);
    way.resize(begin + 1);
  }
  way.pop_back();
  loops.push_back(std::move(way));
  std::erase_if(loops, [](const Polyline& loop) {
    return loop.size() < 3 || std::abs(contours::signed_area_px2(loop)) < 1e-9;
  });
  return loops;
}

/// Majority of a few points: single ones may lie on the outline.
bool lies_within(const Polyline& loop, const Polyline& outline) {
  constexpr std::size_t tries = 7;
  std::size_t inside = 0;
  for (std::size_t i = 0; i < tries; ++i) {
    if (contours::contains(outline, loop[i * loop.size() / tries])) ++inside;
  }
  return 2 * inside > tries;
}

}  // namespace

Region separate_holes(const Polyline& joined) {
  if (joined.size() < 8) return {joined, {}};  // two triangles and a channel
  auto loops = loops_of(joined);
  constexpr std::size_t most_holes = 1000;  // more are noise, and would take long
  if (loops.size() < 2 || loops.size() > most_holes) return {joined, {}};
  const auto largest = std::ranges::max_element(
      loops, {}, [](const Polyline& loop) { return std::abs(contours::signed_area_px2(loop)); });
  std::iter_swap(loops.begin(), largest);
  Region region{std::move(loops.front()), {}};
  loops.erase(loops.begin());
  for (auto& loop : loops) {
    if (!lies_within(loop, region.outline)) return {joined, {}};
    region.holes.push_back(std::move(loop));
  }
  return region;
}

}  // namespace isolume::dicom

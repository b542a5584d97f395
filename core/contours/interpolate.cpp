#include "core/contours/interpolate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "core/base/disjoint_sets.h"
#include "core/base/error.h"
#include "core/contours/label_map.h"
#include "core/contours/outlines.h"
#include "core/contours/parallel.h"
#include "core/contours/signed_distance.h"

namespace isolume::contours {
namespace {

using Pixels = std::vector<std::uint8_t>;

/// An outline whose inside is added or subtracted.
struct Shape {
  Polyline outline;
  bool adds = true;
};

/// A connected part of a label on a slice: overlapping contours, in the order of the set.
struct Region {
  std::vector<Shape> shapes;
  Pixels pixels;  ///< of the whole slice: 1 inside
  std::size_t count = 0;
  Eigen::Vector2d centroid_px = Eigen::Vector2d::Zero();
};

bool overlap(const Pixels& a, const Pixels& b) {
  for (std::size_t at = 0; at < a.size(); ++at) {
    if ((a[at] & b[at]) != 0) return true;
  }
  return false;
}

Pixels pixels_of(const Contour& contour, const images::SlicePlane& plane) {
  const auto labels = rasterise(contour, plane.columns, plane.rows);
  return {labels.values.begin(), labels.values.end()};
}

void combine(Pixels& area, const Pixels& pixels, Combination combination) {
  for (std::size_t at = 0; at < area.size(); ++at) {
    area[at] = combination == Combination::add ? area[at] | pixels[at]
                                               : static_cast<std::uint8_t>(area[at] & ~pixels[at]);
  }
}

void measure_pixels(Region& region, int width) {
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  for (std::size_t at = 0; at < region.pixels.size(); ++at) {
    if (region.pixels[at] == 0) continue;
    ++region.count;
    const std::size_t column = at % static_cast<std::size_t>(width),
                      row = at / static_cast<std::size_t>(width);
    sum += Eigen::Vector2d(static_cast<double>(column), static_cast<double>(row));
  }
  if (region.count > 0) region.centroid_px = sum / static_cast<double>(region.count);
}

/// Pixels around a position, one of which contains it.
struct Frame {
  Eigen::Vector2d low = Eigen::Vector2d::Zero(),
                  high = Eigen::Vector2d::Zero();  ///< relative to the position

  void include(const std::vector<Shape>& shapes, const Eigen::Vector2d& place) {
    for (const auto& shape : shapes) {
      for (const auto& point : shape.outline) {
        low = low.cwiseMin(point - place);
        high = high.cwiseMax(point - place);
      }
    }
  }
  // Two more pixels on each side, so that the rim lies outside.
  Eigen::Vector2d centre() const { return 2 - low.array().floor(); }
  int width() const { return static_cast<int>(centre().x() + std::ceil(high.x())) + 3; }
  int height() const { return static_cast<int>(centre().y() + std::ceil(high.y())) + 3; }
};

/// Adds the signed distances of the combined shapes, in order, to an image of a frame around `place`. Exact for
/// shapes that do not cross; where added ones overlap, too small inside.
void put_distances(const std::vector<Shape>& shapes, const Eigen::Vector2d& place, const Frame& frame,
                   const Eigen::Matrix2d& to_mm, FieldValues& all, const jobs::Progress& progress) {
  for (const auto& shape : shapes) {
    Polyline outline = shape.outline;
    for (auto& point : outline) point += frame.centre() - place;
    const auto distances = signed_distances_mm(outline, frame.width(), frame.height(), to_mm, progress);
    for (std::size_t at = 0; at < all.size(); ++at) {
      all[at] = shape.adds ? std::max(all[at], distances[at]) : std::min(all[at], -distances[at]);
    }
  }
}

FieldValues far_outside(const Frame& frame) {
  FieldValues values(static_cast<std::size_t>(frame.width()) * static_cast<std::size_t>(frame.height()));
  std::ranges::fill(values, -std::numeric_limits<float>::max());
  return values;
}

/// The same area as shapes that do not cross.
std::vector<Shape> merged(const std::vector<Shape>& shapes, const Eigen::Matrix2d& to_mm,
                          const jobs::Progress& progress) {
  const Eigen::Vector2d place =
      shapes.front().outline.front().array().round();  // rounded to keep the pixel grid
                                                       // aligned
  Frame frame;
  frame.include(shapes, place);
  auto distances = far_outside(frame);
  put_distances(shapes, place, frame, to_mm, distances, progress);
  std::vector<Shape> result;
  for (auto& outline : zero_outlines(distances, frame.width(), frame.height())) {
    for (auto& point : outline.points) point += place - frame.centre();
    result.push_back({std::move(outline.points), outline.area_px2 > 0});
  }
  return result;
}

std::vector<Region> regions_of(const std::vector<const Contour*>& contours, const images::SlicePlane& plane,
                               const jobs::Progress& progress) {
  std::vector<Pixels> pixels;
  for (const auto* contour : contours) {
    progress.check();
    pixels.push_back(pixels_of(*contour, plane));
  }
  // A subtracting contour belongs to all regions that it cuts, and joins none.
  const auto adds = [&](std::size_t i) { return contours[i]->combination == Combination::add; };
  DisjointSets groups(contours.size());
  for (std::size_t i = 0; i < contours.size(); ++i) {
    progress.check();
    for (std::size_t j = 0; j < i; ++j) {
      if (adds(i) && adds(j) && overlap(pixels[i], pixels[j])) groups.join(i, j);
    }
  }
  std::vector<Region> regions;
  for (std::size_t group = 0; group < contours.size(); ++group) {
    if (!adds(group) || groups.first(group) != group) continue;
    Region region;
    region.pixels.resize(static_cast<std::size_t>(plane.columns) * static_cast<std::size_t>(plane.rows));
    for (std::size_t i = 0; i < contours.size(); ++i) {
      const bool takes_part = adds(i) ? groups.first(i) == group : overlap(region.pixels, pixels[i]);
      if (!takes_part) continue;
      combine(region.pixels, pixels[i], contours[i]->combination);
      region.shapes.push_back({contours[i]->outline(), adds(i)});
    }
    if (std::ranges::count(region.shapes, true, &Shape::adds) > 1) {
      region.shapes = merged(region.shapes, plane.metric(), progress);
    }
    measure_pixels(region, plane.columns);
    if (region.count > 0) regions.push_back(std::move(region));
  }
  return regions;
}

/// Regions on two slices that are connected between them.
struct Body {
  std::array<std::vector<const Region*>, 2> ends;

  Eigen::Vector2d centroid_px(std::size_t end) const {
    Eigen::Vector2d sum = Eigen::Vector2d::Zero();
    double count = 0;
    for (const auto* region : ends[end]) {
      sum += static_cast<double>(region->count) * region->centroid_px;
      count += static_cast<double>(region->count);
    }
    return sum / count;
  }
};

struct Match {
  double distance;
  std::size_t first, second;
};

/// Overlapping regions form one body; of those without overlap, the nearest pairs do. The rest ends at an unknown
/// position between the slices.
std::vector<Body> bodies_of(const std::array<std::vector<Region>, 2>& ends) {
  const std::size_t first_count = ends[0].size(), count = first_count + ends[1].size();
  DisjointSets groups(count);
  std::vector<bool> matched(count);
  std::vector<Match> pairs;
  for (std::size_t i = 0; i < first_count; ++i) {
    for (std::size_t j = first_count; j < count; ++j) {
      const auto &one = ends[0][i], &other = ends[1][j - first_count];
      pairs.push_back({(one.centroid_px - other.centroid_px).norm(), i, j});
      if (!overlap(one.pixels, other.pixels)) continue;
      groups.join(i, j);
      matched[i] = matched[j] = true;
    }
  }
  std::ranges::stable_sort(pairs, {}, &Match::distance);
  for (const auto& [distance, i, j] : pairs) {
    if (matched[i] || matched[j]) continue;
    groups.join(i, j);
    matched[i] = matched[j] = true;
  }
  std::map<std::size_t, Body> bodies;
  for (std::size_t i = 0; i < count; ++i) {
    if (!matched[i]) continue;
    auto& body = bodies[groups.first(i)];
    if (i < first_count) {
      body.ends[0].push_back(&ends[0][i]);
    } else {
      body.ends[1].push_back(&ends[1][i - first_count]);
    }
  }
  std::vector<Body> result;
  result.reserve(bodies.size());
  for (auto& [name, body] : bodies) result.push_back(std::move(body));
  return result;
}

FieldValues distances_of(const Body& body, std::size_t end, const Frame& frame, const Eigen::Matrix2d& to_mm,
                         const jobs::Progress& progress) {
  auto distances = far_outside(frame);
  for (const auto* region : body.ends[end]) {
    put_distances(region->shapes, body.centroid_px(end), frame, to_mm, distances, progress);
  }
  return distances;
}

Contour suggestion_of(Outline outline, images::SliceId slice) {
  constexpr double tolerance_px = 0.75;
  const Polyline points = outline.points;
  Contour contour = contour_of(std::move(outline), slice);
  contour.suggestion = true;
  const auto seeds = seed_points(points, true, tolerance_px);
  contour.seeds.clear();
  contour.pieces.clear();
  for (std::size_t s = 0; s < seeds.size(); ++s) {
    const std::size_t end = s + 1 < seeds.size() ? seeds[s + 1] : seeds.front() + points.size();
    Piece piece{PieceKind::freehand, {}};
    for (std::size_t i = seeds[s]; i <= end; ++i) piece.points.push_back(points[i % points.size()]);
    contour.seeds.push_back(points[seeds[s]]);
    contour.pieces.push_back(std::move(piece));
  }
  return contour;
}

struct Gap {
  int first, last;  ///< contoured slices
};

void interpolate_body(const Body& body, const Gap& gap, int label, int axis, const images::SlicePlane& plane,
                      std::vector<Contour>& found, const jobs::Progress& progress) {
  Frame frame;
  for (const std::size_t end : {0U, 1U}) {
    for (const auto* region : body.ends[end]) frame.include(region->shapes, body.centroid_px(end));
  }
  const auto one = distances_of(body, 0, frame, plane.metric(), progress);
  const auto other = distances_of(body, 1, frame, plane.metric(), progress);
  std::vector<std::vector<Outline>> outlines(static_cast<std::size_t>(gap.last - gap.first - 1));
  in_parallel(outlines.size(), progress, "interpolation", [&](std::size_t i) {
    const double t = static_cast<double>(i + 1) / (gap.last - gap.first);
    const auto weight = static_cast<float>(t);
    FieldValues between(one.size());
    for (std::size_t at = 0; at < one.size(); ++at) {
      between[at] = (1 - weight) * one[at] + weight * other[at];
    }
    outlines[i] = zero_outlines(between, frame.width(), frame.height());
    const Eigen::Vector2d shift = (1 - t) * body.centroid_px(0) + t * body.centroid_px(1) - frame.centre();
    for (auto& outline : outlines[i]) {
      for (auto& point : outline.points) point += shift;
    }
  });
  for (std::size_t i = 0; i < outlines.size(); ++i) {
    for (auto& outline : outlines[i]) {
      constexpr double least_px2 = 1;
      if (std::abs(outline.area_px2) < least_px2) continue;
      outline.label = label;
      found.push_back(suggestion_of(std::move(outline), {axis, gap.first + 1 + static_cast<int>(i)}));
    }
  }
}

}  // namespace

std::vector<Contour> interpolate(const ContourSet& set, int label, int axis, const images::Geometry& geometry,
                                 const jobs::Progress& progress) {
  std::map<int, std::vector<const Contour*>> slices;
  for (const auto& contour : set.contours()) {
    const bool counts = contour->label == label && contour->slice.axis == axis && contour->closed &&
                        !contour->suggestion && !contour->outline().empty();
    if (counts) slices[contour->slice.index].push_back(contour.get());
  }
  if (slices.size() < 2) {
    throw Error(
        fmt::format("Interpolation needs closed contours on two slices; \"{}\" has them on {}.",
                    set.label(label) == nullptr ? fmt::format("label {}", label) : set.label(label)->name,
                    slices.size()));
  }
  std::vector<Contour> found;
  double done = 0;
  const double gaps = static_cast<double>(slices.size() - 1);
  for (auto low = slices.begin(), high = std::next(low); high != slices.end(); ++low, ++high, ++done) {
    const Gap gap{low->first, high->first};
    if (gap.last - gap.first < 2) continue;
    const auto part = progress.part(done / gaps, (done + 1) / gaps);
    const auto plane = images::slice_plane(geometry, {axis, gap.first});
    const std::array<std::vector<Region>, 2> ends{regions_of(low->second, plane, part),
                                                  regions_of(high->second, plane, part)};
    for (const auto& body : bodies_of(ends)) interpolate_body(body, gap, label, axis, plane, found, part);
  }
  return found;
}

}  // namespace isolume::contours

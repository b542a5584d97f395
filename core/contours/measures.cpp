#include "core/contours/measures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include <Eigen/LU>

#include "core/contours/label_map.h"
#include "core/contours/parallel.h"
#include "core/contours/polygon.h"

namespace isolume::contours {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double cross(const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  return a.x() * b.y() - a.y() * b.x();
}

/// Length and area of an outline with their centres of mass.
struct Extent {
  double length = 0, area = 0;
  Eigen::Vector2d line_centre = Eigen::Vector2d::Zero(), area_centre = Eigen::Vector2d::Zero();
};

Extent extent_of(const Polyline& points, bool closed) {
  Extent extent;
  const std::size_t sides = closed ? points.size() : points.size() - 1;
  for (std::size_t i = 0; i < sides; ++i) {
    // Relative to the first point, so that small shapes far from the origin keep their digits.
    const Eigen::Vector2d from = points[i] - points.front();
    const Eigen::Vector2d to = points[(i + 1) % points.size()] - points.front();
    const double side = (to - from).norm(), triangle = cross(from, to) / 2;
    extent.length += side;
    extent.line_centre += side * (from + to) / 2;
    extent.area += triangle;
    extent.area_centre += triangle * (from + to) / 3;
  }
  // Loops of an outline that crosses itself would count twice or against each other; they are measured as their
  // pixels are counted.
  if (const auto enclosed = closed ? enclosed_by_crossing(points) : std::nullopt) {
    extent.area = enclosed->area;
    extent.area_centre = enclosed->moment;
  }
  if (extent.length > 0) extent.line_centre /= extent.length;
  // A line there and back has no area except for rounding.
  if (std::abs(extent.area) > 1e-12 * extent.length * extent.length) {
    extent.area_centre /= extent.area;
  } else {
    extent.area_centre = extent.line_centre;
  }
  extent.area = std::abs(extent.area);
  extent.line_centre += points.front();
  extent.area_centre += points.front();
  return extent;
}

/// Andrew's monotone chain: corners in the sense of rotation from x to y, no three on a line.
Polyline convex_hull(Polyline points) {
  std::ranges::sort(
      points, [](const auto& a, const auto& b) { return std::pair(a.x(), a.y()) < std::pair(b.x(), b.y()); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  Polyline hull;
  const auto add = [&](const Eigen::Vector2d& point, std::size_t least) {
    while (hull.size() >= least + 2 && cross(hull.back() - hull[hull.size() - 2], point - hull.back()) <= 0) {
      hull.pop_back();
    }
    hull.push_back(point);
  };
  for (const auto& point : points) add(point, 0);
  const std::size_t upper = hull.size() - 1;
  for (auto point = points.rbegin() + 1; point != points.rend(); ++point) add(*point, upper);
  hull.pop_back();
  return hull;
}

struct Feret {
  double max = 0, min = 0;
};

/// Rotating calipers (Shamos 1978): each side of the hull with the corner farthest from it.
Feret feret(const Polyline& hull) {
  if (hull.size() < 3) return {hull.size() == 2 ? (hull[1] - hull[0]).norm() : 0.0, 0};
  Feret result{0, std::numeric_limits<double>::infinity()};
  std::size_t far = 1;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const auto &from = hull[i], &to = hull[(i + 1) % hull.size()];
    const Eigen::Vector2d side = to - from;
    const auto height = [&](std::size_t corner) {
      return cross(side, hull[corner % hull.size()] - from) / side.norm();
    };
    while (height(far + 1) > height(far)) ++far;
    const auto& corner = hull[far % hull.size()];
    result.min = std::min(result.min, height(far));
    result.max = std::max({result.max, (corner - from).norm(), (corner - to).norm()});
  }
  return result;
}

/// Mean and sum of squared differences from it, updated with single numbers (Welford 1962) and with partial sums
/// (Chan, Golub and LeVeque 1979).
class IntensitySum {
 public:
  void add(double value) {
    if (!std::isfinite(value)) {
      ++not_finite_;
      return;
    }
    ++count_;
    const double from_mean = value - mean_;
    mean_ += from_mean / static_cast<double>(count_);
    squares_ += from_mean * (value - mean_);
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }
  void add(const IntensitySum& other) {
    not_finite_ += other.not_finite_;
    if (other.count_ == 0) return;
    const auto n = static_cast<double>(count_), m = static_cast<double>(other.count_);
    const double apart = other.mean_ - mean_;
    mean_ += apart * m / (n + m);
    squares_ += other.squares_ + apart * apart * n * m / (n + m);
    count_ += other.count_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
  }
  Intensity result() const {
    if (count_ == 0) return {.not_finite = not_finite_};
    const double sd = count_ > 1 ? std::sqrt(squares_ / static_cast<double>(count_ - 1)) : 0;
    return {count_, mean_, sd, min_, max_, not_finite_};
  }

 private:
  std::size_t count_ = 0, not_finite_ = 0;
  double mean_ = 0, squares_ = 0;
  double min_ = std::numeric_limits<double>::infinity(), max_ = -min_;
};

std::array<int, 3> voxel_of(images::SliceId slice, int x, int y) {
  if (slice.axis == 0) return {slice.index, x, y};
  if (slice.axis == 1) return {x, slice.index, y};
  return {x, y, slice.index};
}

Intensity intensity_in(const Contour& contour, const images::Volume& volume) {
  IntensitySum sum;
  const int slices = volume.geometry.dimensions[static_cast<std::size_t>(contour.slice.axis)];
  if (contour.slice.index < 0 || contour.slice.index >= slices) return {};
  const auto plane = images::slice_plane(volume.geometry, contour.slice);
  const auto inside = rasterise(contour, plane.columns, plane.rows);
  auto pixel = inside.values.begin();
  for (int y = 0; y < inside.height; ++y) {
    for (int x = 0; x < inside.width; ++x, ++pixel) {
      if (*pixel == 0) continue;
      const auto [i, j, k] = voxel_of(contour.slice, x, y);
      sum.add(volume.value(i, j, k));
    }
  }
  images::require_readable(volume);
  return sum.result();
}

}  // namespace

Measures measure(const Contour& contour, const images::Geometry& geometry) {
  Measures measures;
  Polyline points_mm = contour.outline();
  if (points_mm.empty()) return measures;
  const auto plane = images::plane_of(geometry, contour.slice, points_mm);
  if (!plane) {
    measures.length_mm = measures.feret_max_mm = measures.feret_min_mm = not_a_number;
    measures.centroid_mm.fill(not_a_number);
    if (contour.closed) measures.area_mm2 = not_a_number;
    return measures;
  }
  const Eigen::Matrix2d to_mm = plane->metric();
  for (auto& point : points_mm) point = (to_mm * point).eval();
  const Extent extent = extent_of(points_mm, contour.closed);
  measures.length_mm = extent.length;
  if (contour.closed) measures.area_mm2 = extent.area;
  const Eigen::Vector2d centre = contour.closed ? extent.area_centre : extent.line_centre;
  measures.centroid_mm = images::slice_plane(geometry, contour.slice).position(to_mm.inverse() * centre);
  const Feret diameters = feret(convex_hull(std::move(points_mm)));
  measures.feret_max_mm = diameters.max;
  measures.feret_min_mm = diameters.min;
  return measures;
}

double measure(const Ruler& ruler, const images::Geometry& geometry) {
  const auto plane = images::plane_of(geometry, ruler.slice, ruler.points);
  if (!plane || ruler.points.size() != points_of(ruler.kind)) return not_a_number;
  const auto way = [&](std::size_t from, std::size_t to) -> Eigen::Vector2d {
    return plane->metric() * (ruler.points[to] - ruler.points[from]);
  };
  if (ruler.kind == RulerKind::distance) return way(0, 1).norm();
  const Eigen::Vector2d one = way(1, 0), other = way(1, 2);
  if (one.isZero(0) || other.isZero(0)) return not_a_number;
  return std::atan2(std::abs(cross(one, other)), one.dot(other)) * 180 / std::numbers::pi;
}

Measures measure(const Contour& contour, const images::Volume& volume) {
  Measures measures = measure(contour, volume.geometry);
  if (contour.closed) measures.intensity = intensity_in(contour, volume);
  return measures;
}

namespace {

struct OfVoxels {
  std::size_t count = 0;
  IntensitySum intensity;
};

/// Slice by slice, so that the sum is reproducible.
OfVoxels measure_voxels(const LabelMask& mask, const images::Volume& volume, const jobs::Progress& progress) {
  std::vector<OfVoxels> of_slice(static_cast<std::size_t>(mask.size[2]));
  in_parallel(of_slice.size(), progress, "measures", [&](std::size_t k) {
    for (int j = 0; j < mask.size[1]; ++j) {
      const std::uint8_t* inside = mask.row(j, static_cast<int>(k));
      for (int i = 0; i < mask.size[0]; ++i) {
        if (inside[i] == 0) continue;
        ++of_slice[k].count;
        of_slice[k].intensity.add(
            volume.value(mask.low[0] + i, mask.low[1] + j, mask.low[2] + static_cast<int>(k)));
      }
    }
  });
  images::require_readable(volume);
  OfVoxels all;
  for (const auto& each : of_slice) {
    all.count += each.count;
    all.intensity.add(each.intensity);
  }
  return all;
}

bool has_scale(const Contour& contour, const images::Geometry& geometry) {
  const Polyline points = contour.outline();
  return points.empty() || images::plane_of(geometry, contour.slice, points).has_value();
}

}  // namespace

std::size_t contours_without_scale(const ContourSet& set, const images::Geometry& geometry) {
  if (geometry.regions.empty()) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      set.contours(), [&](const auto& contour) { return !has_scale(*contour, geometry); }));
}

std::vector<LabelMeasures> measure_labels(const ContourSet& set, const images::Volume& volume,
                                          const jobs::Progress& progress) {
  std::vector<LabelMeasures> all;
  const auto count = static_cast<double>(set.labels().size());
  for (std::size_t at = 0; at < set.labels().size(); ++at) {
    const auto part = progress.part(static_cast<double>(at) / count, static_cast<double>(at + 1) / count);
    LabelMeasures measures;
    measures.label = set.labels()[at].value;
    std::set<images::SliceId> slices;
    bool has_volume = volume.geometry.has_one_scale() && volume.geometry.has_thickness;
    for (const auto& contour : set.contours()) {
      if (contour->label != measures.label || !contour->closed || contour->suggestion) continue;
      ++measures.contours;
      slices.insert(contour->slice);
      has_volume = has_volume && has_scale(*contour, volume.geometry);
    }
    measures.slices = static_cast<int>(slices.size());
    const auto mask = mask_of_label(set, measures.label, volume.geometry, part.part(0, 0.5));
    const auto voxels = measure_voxels(mask, volume, part.part(0.5, 1));
    measures.volume_mm3 =
        has_volume ? static_cast<double>(voxels.count) * volume.geometry.cell_volume() : not_a_number;
    measures.intensity = voxels.intensity.result();
    all.push_back(measures);
  }
  return all;
}

}  // namespace isolume::contours

#include "core/contours/outside.h"

#include <algorithm>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "core/contours/label_map.h"

namespace isolume::contours {
namespace {

bool has_area(const Contour& contour) {
  return contour.closed && !contour.suggestion;
}

Eigen::AlignedBox2d extent_of(const Polyline& points) {
  Eigen::AlignedBox2d extent;
  for (const auto& point : points) extent.extend(point);
  return extent;
}

bool meets_centres(const Eigen::AlignedBox2d& extent, const images::SlicePlane& plane) {
  const Eigen::Vector2d last(plane.columns - 1, plane.rows - 1);
  return Eigen::AlignedBox2d(Eigen::Vector2d(0, 0), last).intersects(extent);
}

/// The values of those that cover a pixel of their slices, whatever other labels cover.
std::set<int> labels_with_pixels(const ContourSet& set, const images::Geometry& geometry) {
  std::set<int> found;
  std::set<std::pair<int, images::SliceId>> tried;
  for (const auto& contour : set.contours()) {
    const auto& slice = contour->slice;
    const bool is_on_grid =
        slice.index >= 0 && slice.index < geometry.dimensions[static_cast<std::size_t>(slice.axis)];
    if (!has_area(*contour) || !is_on_grid || found.contains(contour->label)) continue;
    const auto plane = images::slice_plane(geometry, slice);
    if (!meets_centres(extent_of(contour->outline()), plane)) continue;
    if (!tried.emplace(contour->label, slice).second) continue;
    const auto mask = mask_of_label(set, contour->label, slice, plane.columns, plane.rows);
    if (std::ranges::find(mask.values, std::uint8_t{1}) != mask.values.end()) found.insert(contour->label);
  }
  return found;
}

}  // namespace

void ContourTally::add(const std::string& label) {
  ++count_;
  if (seen_.insert(label).second) labels_.push_back(label);
}

std::string ContourTally::text() const {
  return fmt::format("{} contour{} of {}", count_, count_ == 1 ? "" : "s", first_names(labels_));
}

bool OutsideTally::add(const Polyline& points, const images::SlicePlane& plane, bool closed,
                       const std::string& label) {
  constexpr double farthest_px = 1e6;
  // Also rejects NaN.
  const auto is_near = [](const auto& point) { return point.cwiseAbs().maxCoeff() <= farthest_px; };
  if (!std::ranges::all_of(points, is_near)) {
    far_.add(label);
    return false;
  }
  const auto extent = extent_of(points);
  // Between the centres of its last pixels and those of pixels that the image lacks, no centre is enclosed.
  const Eigen::AlignedBox2d pixels(Eigen::Vector2d(-1, -1), Eigen::Vector2d(plane.columns, plane.rows));
  if (pixels.contains(extent)) return true;
  if (!meets_centres(extent, plane)) {
    wholly_.add(label);
  } else if (closed) {
    partly_.add(label);
  }
  return true;
}

void OutsideTally::report(Remarks& remarks) const {
  const auto tell = [&](const ContourTally& tally, std::string_view what,
                        RemarkKind kind = RemarkKind::warning) {
    if (tally.count() > 0) remarks.add(kind, fmt::format("{} {}.", tally.text(), what), tally.count());
  };
  tell(far_, "left out: far outside this image", RemarkKind::dropped);
  tell(partly_,
       "partly outside this image: volumes and intensities are only of the part on its pixels, areas of the "
       "whole");
  tell(wholly_, "outside this image: without a pixel, in no volume and no intensity");
}

void remark_on_labels_without_pixels(const ContourSet& set, const ContourSet& on_grid,
                                     const images::Geometry& geometry, std::string_view what,
                                     Remarks& remarks) {
  std::set<int> drawn;
  for (const auto& contour : set.contours()) {
    if (has_area(*contour)) drawn.insert(contour->label);
  }
  const std::set<int> with_pixels = labels_with_pixels(on_grid, geometry);
  std::vector<std::string> without;
  for (const Label& label : set.labels()) {
    if (drawn.contains(label.value) && !with_pixels.contains(label.value)) without.push_back(label.name);
  }
  if (without.empty()) return;
  remarks.add(RemarkKind::warning,
              fmt::format("{} without a pixel on this image: {}.", what, first_names(without)),
              without.size());
}

}  // namespace isolume::contours

#include "core/contours/transfer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/contours/label_map.h"
#include "core/contours/measures.h"
#include "core/contours/outside.h"

namespace isolume::contours {
namespace {

constexpr double noticeable = 0.1;  ///< voxels

/// The axes of the volume that are x and y of its slices along an axis.
std::array<std::size_t, 2> axes_across(int axis) {
  return {axis == 0 ? 1U : 0U, axis == 2 ? 1U : 2U};
}

std::string size_text(const images::Geometry& grid) {
  return fmt::format("{} × {} × {}", grid.dimensions[0], grid.dimensions[1], grid.dimensions[2]);
}

bool is_same(const images::Geometry& from, const images::Geometry& to) {
  return from.dimensions == to.dimensions && corners_apart(from, to) <= noticeable;
}

Contour moved(const Contour& contour, images::SliceId slice, const GridTransfer& transfer) {
  Contour result = contour;
  result.slice = slice;
  for (auto& seed : result.seeds) seed = transfer.place(contour.slice, seed);
  // Wires are smoothed as paths of pixels, which they are no longer.
  const bool keeps_pixels = transfer.keeps_pixels();
  if (!keeps_pixels) {
    auto lines = contour.lines();
    for (std::size_t i = 0; i < result.pieces.size(); ++i) {
      auto& piece = result.pieces[i];
      if (piece.kind == PieceKind::wire) piece = {PieceKind::freehand, std::move(lines[i])};
    }
  }
  for (auto& piece : result.pieces) {
    for (auto& point : piece.points) point = transfer.place(contour.slice, point);
  }
  return result;
}

}  // namespace

std::optional<GridTransfer> GridTransfer::between(const images::Geometry& from, const images::Geometry& to) {
  if (!from.has_sides() || !to.has_sides()) return std::nullopt;
  const Eigen::Matrix3d steps = to.step.inverse() * from.step;
  const Eigen::Vector3d origin = to.index_at(from.origin);
  GridTransfer transfer;
  transfer.size_ = from.dimensions;
  std::array<bool, 3> taken{};
  for (int axis = 0; axis < 3; ++axis) {
    Eigen::Index along = 0;
    steps.col(axis).cwiseAbs().maxCoeff(&along);
    Eigen::Vector3d across = steps.col(axis);
    across[along] = 0;
    const double last = from.dimensions[static_cast<std::size_t>(axis)] - 1;
    if (taken[static_cast<std::size_t>(along)] || !(across.cwiseAbs().maxCoeff() * last <= noticeable))
      return std::nullopt;
    taken[static_cast<std::size_t>(along)] = true;
    transfer.axes_[static_cast<std::size_t>(axis)] = {static_cast<int>(along), steps(along, axis),
                                                      origin[along]};
  }
  return transfer;
}

int GridTransfer::source_axis(int axis) const {
  return static_cast<int>(std::ranges::find(axes_, axis, &Axis::to) - axes_.begin());
}

bool GridTransfer::is_as_thick(int axis) const {
  const auto number = static_cast<std::size_t>(axis);
  return std::abs(std::abs(axes_[number].scale) - 1) * std::max(size_[number] - 1, 1) <= noticeable;
}

std::optional<images::SliceId> GridTransfer::slice(images::SliceId slice) const {
  const Axis& axis = axes_[static_cast<std::size_t>(slice.axis)];
  const double index = axis.offset + axis.scale * slice.index, nearest = std::round(index);
  if (!is_as_thick(slice.axis) || !(std::abs(index - nearest) <= noticeable)) return std::nullopt;
  return images::SliceId{axis.to, static_cast<int>(nearest)};
}

Eigen::Vector2d GridTransfer::place(images::SliceId slice, const Eigen::Vector2d& place) const {
  Eigen::Vector3d index = Eigen::Vector3d::Zero();
  const auto from = axes_across(slice.axis);
  for (int i = 0; i < 2; ++i) {
    const Axis& axis = axes_[from[static_cast<std::size_t>(i)]];
    index[axis.to] = axis.offset + axis.scale * place[i];
  }
  const auto to = axes_across(axes_[static_cast<std::size_t>(slice.axis)].to);
  return {index[static_cast<Eigen::Index>(to[0])], index[static_cast<Eigen::Index>(to[1])]};
}

bool GridTransfer::keeps_pixels() const {
  constexpr double rounding = 1e-3;  // voxels: positions in files have few digits
  return std::ranges::all_of(axes_, [&](const Axis& axis) {
    const auto last = static_cast<double>(size_[static_cast<std::size_t>(&axis - axes_.data())] - 1);
    return std::abs(std::abs(axis.scale) - 1) * last <= rounding &&
           std::abs(axis.offset - std::round(axis.offset)) <= rounding;
  });
}

ContourSet transferred(const ContourSet& set, const images::Geometry& from, const images::Geometry& to,
                       const std::string& what, const std::filesystem::path& path, Remarks& remarks,
                       const SliceAt& slice_at) {
  if (is_same(from, to)) return set;
  if (!from.has_sides() || !to.has_sides()) {
    if (from.dimensions != to.dimensions) {
      throw InputError(path, 0,
                       fmt::format("the {} belong to an image of {} voxels; this one has {}", what,
                                   size_text(from), size_text(to)),
                       "Open the matching image first.");
    }
    remarks.assumed(fmt::format(
        "The {} were transferred voxel by voxel: {} does not say where its voxels lie in the patient.", what,
        from.has_sides() ? "this image" : "their file"));
    return set;
  }
  const auto transfer = GridTransfer::between(from, to);
  const auto refuse = [&] {
    throw InputError(
        path, 0,
        fmt::format(
            "the {} lie on slices that are not those of this image ({} and {} voxels): the slices have "
            "other directions, thicknesses or positions",
            what, size_text(from), size_text(to)),
        "Open the matching image first, or resample the file on this image's grid.");
  };
  if (!transfer) refuse();
  ContourSet result;
  for (const Label& label : set.labels()) result.put_label(label);
  std::size_t beyond = 0;
  OutsideTally outside;
  const auto slice_here = [&](images::SliceId slice) -> std::optional<images::SliceId> {
    std::optional<images::SliceId> found;
    if (slice_at && transfer->target_axis(slice.axis) == 2) {
      constexpr int none = -1;
      if (transfer->is_as_thick(slice.axis))
        found = images::SliceId{2, slice_at(images::slice_plane(from, slice).corner).value_or(none)};
    } else {
      found = transfer->slice(slice);
    }
    if (!found) refuse();
    if (found->index >= 0 && found->index < to.dimensions[static_cast<std::size_t>(found->axis)])
      return found;
    ++beyond;
    return std::nullopt;
  };
  for (const auto& each : set.contours()) {
    const auto slice = slice_here(each->slice);
    if (!slice) continue;
    auto contour = moved(*each, *slice, *transfer);
    const auto plane = images::slice_plane(to, *slice);
    if (outside.add(contour.outline(), plane, contour.closed, set.label(contour.label)->name))
      result.add(std::move(contour));
  }
  for (Ruler ruler : set.rulers()) {
    const auto slice = slice_here(ruler.slice);
    if (!slice) continue;
    for (auto& point : ruler.points) point = transfer->place(ruler.slice, point);
    ruler.slice = *slice;
    result.add_ruler(std::move(ruler));
  }
  if (beyond > 0) {
    remarks.dropped(fmt::format("{} {} on slices that this image does not have {} left out.", beyond,
                                beyond == 1 ? "contour" : "contours", beyond == 1 ? "was" : "were"),
                    beyond);
  }
  outside.report(remarks);
  remark_on_labels_without_pixels(set, result, to, "Labels", remarks);
  return result;
}

ContourSet contours_on(const images::Geometry& to, const images::Volume& label_map,
                       const std::filesystem::path& path, Remarks& remarks, const jobs::Progress& progress,
                       const SliceAt& slice_at, const std::map<int, std::string>* names) {
  const images::Geometry& from = label_map.geometry;
  const auto transfer = GridTransfer::between(from, to);
  const int axis = transfer ? transfer->source_axis(2) : 2;
  auto set = contours_of(label_map, path, axis, progress);
  if (names != nullptr) {
    for (const auto& [value, name] : *names)
      if (set.label(value) != nullptr) set.rename_label(value, name);
  }
  if (transfer && !is_same(from, to) && !transfer->keeps_pixels()) {
    remarks.converted(
        "The pixels of the label map are not those of this image: its outlines are kept, and volumes are of "
        "the image's pixels within them.");
  }
  auto result = transferred(set, from, to, "label map's voxels", path, remarks, slice_at);
  if (names == nullptr && result.contours().empty()) remarks.warn(no_contour_remark);
  return result;
}

}  // namespace isolume::contours

#include "core/dicom/contours/slice_positions.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::dicom {
namespace {

constexpr double rounding_mm = 1e-3;

/// The axes of the volume that correspond to x and y of a slice.
std::array<int, 2> axes_of(images::SliceId slice) {
  return {slice.axis == 0 ? 1 : 0, slice.axis == 2 ? 1 : 2};
}

}  // namespace

SlicePositions::SlicePositions(const images::Document& image) : geometry_(image.volume.geometry) {
  const auto plane = images::slice_plane(geometry_, {2, 0});
  normal_ = plane.normal;
  usual_mm_ = plane.slice_spacing_mm;
  const auto count = static_cast<std::size_t>(geometry_.dimensions[2]);
  const bool are_known = image.dicom && image.dicom->slices.size() == count;
  for (std::size_t k = 0; k < count; ++k) {
    positions_.push_back(are_known ? image.dicom->slices[k].position_mm
                                   : geometry_.position({0, 0, static_cast<double>(k)}));
    heights_.push_back(height_mm(positions_.back()));
  }
}

Eigen::Vector3d SlicePositions::position_at(double index) const {
  const double last = static_cast<double>(positions_.size() - 1);
  const double below = std::clamp(std::floor(index), 0.0, last), above = std::min(below + 1, last);
  const Eigen::Vector3d &a = positions_[static_cast<std::size_t>(below)],
                        &b = positions_[static_cast<std::size_t>(above)];
  const Eigen::Vector3d step = geometry_.step.col(2);
  if (index < 0 || index > last) return a + (index - below) * step;
  return a + (index - below) * (b - a);
}

double SlicePositions::index_at(double height_mm) const {
  const auto above = std::ranges::upper_bound(heights_, height_mm);
  if (above == heights_.begin()) return height_mm / usual_mm_;
  const auto below = static_cast<double>(above - heights_.begin() - 1);
  const double rest = height_mm - *(above - 1);
  return below + rest / (above == heights_.end() ? usual_mm_ : *above - *(above - 1));
}

Eigen::Vector3d SlicePositions::position_mm(images::SliceId slice, const Eigen::Vector2d& place) const {
  const auto [x, y] = axes_of(slice);
  Eigen::Vector3d index;
  index[slice.axis] = slice.index;
  index[x] = place.x();
  index[y] = place.y();
  return position_at(index.z()) + geometry_.step.leftCols<2>() * index.head<2>();
}

Eigen::Vector2d SlicePositions::place_at(images::SliceId slice, const Eigen::Vector3d& position_mm) const {
  const double k = slice.axis == 2 ? slice.index : index_at(height_mm(position_mm));
  const Eigen::Vector3d from_slice = position_mm - position_at(k);
  // Not two dot products: rows and columns in real files are perpendicular to a few digits only.
  const Eigen::Vector3d in_plane =
      (Eigen::Matrix3d() << geometry_.step.leftCols<2>(), normal_).finished().inverse() * from_slice;
  const Eigen::Vector3d index(in_plane.x(), in_plane.y(), k);
  const auto [x, y] = axes_of(slice);
  return {index[x], index[y]};
}

std::optional<int> SlicePositions::slice_at(double height_mm) const {
  const auto above = std::ranges::lower_bound(heights_, height_mm) - heights_.begin();
  const auto count = std::ssize(heights_);
  const auto distance_mm = [&](std::ptrdiff_t k) {
    return std::abs(height_mm - heights_[static_cast<std::size_t>(k)]);
  };
  std::ptrdiff_t nearest = std::min(above, count - 1);
  if (above > 0 && distance_mm(above - 1) < distance_mm(nearest)) nearest = above - 1;
  double apart_mm = usual_mm_;
  if (above > 0 && above < count) {
    const double step =
        heights_[static_cast<std::size_t>(above)] - heights_[static_cast<std::size_t>(above - 1)];
    constexpr double gap = 1.5;  // of the usual distance, as in the series reader
    if (step < gap * usual_mm_) apart_mm = step;
  }
  if (!(distance_mm(nearest) <= 0.5 * apart_mm + rounding_mm)) return std::nullopt;
  return static_cast<int>(nearest);
}

bool SlicePositions::are_equally_spaced() const {
  for (std::size_t k = 1; k < heights_.size(); ++k) {
    if (std::abs(heights_[k] - heights_[k - 1] - usual_mm_) > 0.01 * usual_mm_) return false;
  }
  return true;
}

double SlicePositions::farthest_from_grid_mm() const {
  double farthest = 0;
  for (std::size_t k = 0; k < positions_.size(); ++k) {
    const Eigen::Vector3d on_grid = geometry_.position({0, 0, static_cast<double>(k)});
    farthest = std::max(farthest, (positions_[k] - on_grid).norm());
  }
  return farthest;
}

void require_regular_grid(const images::Document& image, const std::filesystem::path& output) {
  const SlicePositions positions(image);
  const double off_mm = positions.farthest_from_grid_mm();
  if (off_mm <= 0.1 * positions.usual_distance_mm()) return;
  throw Error(fmt::format(
      "{}: this format has one slice spacing throughout, and slices of {} are missing or unequally "
      "spaced: positions would be wrong by up to {:.3g} mm. Write .seg.dcm, which holds each slice's own "
      "position.",
      output.string(), image.path.filename().string(), off_mm));
}

}  // namespace isolume::dicom

#pragma once

#include <array>
#include <memory>

#include "core/images/document.h"
#include "tests/core/images/made_volume.h"

namespace isolume::slices {

/// The middle of the head phantom and, from there, that of its ball; LPS, mm.
inline const Eigen::Vector3d head_middle_mm{10, -20, 30};
inline const Eigen::Vector3d ball_offset_mm{30, -40, 20};

/// A head-like CT in HU: an ellipsoid of soft tissue in a shell of bone, and a ball of fat, on the patient's
/// left, in front and above the middle; noise-free. Made by patient coordinates, so that it is the same head
/// however the volume is turned. Comes with a window of soft tissue.
inline std::shared_ptr<const images::Document> head_phantom(
    const std::array<int, 3>& size, const Eigen::Vector3d& spacing_mm,
    const Eigen::Matrix3d& direction = Eigen::Matrix3d::Identity()) {
  images::Geometry geometry;
  geometry.dimensions = size;
  geometry.set_spacing(spacing_mm);
  geometry.set_directions(direction);
  const Eigen::Vector3d last(size[0] - 1, size[1] - 1, size[2] - 1);
  geometry.origin = head_middle_mm - direction * spacing_mm.cwiseProduct(last) / 2;
  auto document = std::make_shared<images::Document>();
  document->title = "Head phantom";
  document->volume = images::made_volume<std::int16_t>(geometry, [&](int i, int j, int k) {
    const Eigen::Vector3d from_middle = geometry.position(Eigen::Vector3d(i, j, k)) - head_middle_mm;
    if ((from_middle - ball_offset_mm).norm() < 15) return -100;
    const double r = from_middle.cwiseQuotient(Eigen::Vector3d(70, 90, 80)).norm();
    if (r > 1) return -1000;
    return r > 0.9 ? 1000 : 40 + static_cast<int>(from_middle.z() / 4);
  });
  document->volume.unit = "HU";
  document->windows = {{40, 400, "soft tissue"}};
  return document;
}

}  // namespace isolume::slices

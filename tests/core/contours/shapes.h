#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>

#include "core/contours/contour.h"
#include "core/images/volume.h"

namespace isolume::contours::testing {

/// With another spacing along each axis.
inline images::Geometry grid() {
  images::Geometry geometry;
  geometry.dimensions = {12, 10, 6};
  geometry.origin = {-5, 7, 3};
  geometry.set_spacing({0.5, 0.75, 2});
  return geometry;
}

/// `count` points of an ellipse, turned by `angle`.
inline Polyline ellipse(Eigen::Vector2d centre, Eigen::Vector2d radii, int count, double angle = 0) {
  Polyline points;
  for (int i = 0; i < count; ++i) {
    const double t = 2 * std::numbers::pi * i / count;
    const Eigen::Vector2d place(radii.x() * std::cos(t), radii.y() * std::sin(t));
    points.emplace_back(centre.x() + std::cos(angle) * place.x() - std::sin(angle) * place.y(),
                        centre.y() + std::sin(angle) * place.x() + std::cos(angle) * place.y());
  }
  return points;
}

inline Polyline circle(Eigen::Vector2d centre, double radius, int count) {
  return ellipse(centre, {radius, radius}, count);
}

inline Polyline rectangle(double left, double top, double right, double bottom) {
  return {{left, top}, {right, top}, {right, bottom}, {left, bottom}};
}

inline Contour closed(Polyline points, images::SliceId slice = {}, int label = 1,
                      Combination combination = Combination::add) {
  auto contour = contour_from_outline(std::move(points), slice, true, label);
  contour.combination = combination;
  return contour;
}

inline images::Geometry box(int width, int height, int depth, Eigen::Vector3d spacing_mm = {1, 1, 1}) {
  images::Geometry geometry;
  geometry.dimensions = {width, height, depth};
  geometry.set_spacing(spacing_mm);
  return geometry;
}

/// A volume whose voxel (i, j, k) is value(i, j, k).
template <class Pixel, class Value>
images::Volume volume_of(const images::Geometry& geometry, images::PixelType type, const Value& value) {
  images::Volume volume;
  volume.geometry = geometry;
  volume.type = type;
  const auto voxels = images::allocate_voxels(geometry, type);
  auto* next = reinterpret_cast<Pixel*>(voxels.get());
  for (int k = 0; k < geometry.dimensions[2]; ++k) {
    for (int j = 0; j < geometry.dimensions[1]; ++j) {
      for (int i = 0; i < geometry.dimensions[0]; ++i) *next++ = static_cast<Pixel>(value(i, j, k));
    }
  }
  volume.storage = voxels;
  return volume;
}

}  // namespace isolume::contours::testing

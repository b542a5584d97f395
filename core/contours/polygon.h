#pragma once

#include <optional>

#include "core/contours/contour.h"

/// Closed outlines as polygons; the first point is not repeated at the end.
namespace isolume::contours {

/// Even-odd rule.
bool contains(const Polyline& outline, const Eigen::Vector2d& place);
/// Whether a side of one meets a side of the other, even if only in one point.
bool touch(const Polyline& one, const Polyline& other);

/// An area and the integral of the position over it, relative to the outline's first point.
struct Enclosed {
  double area = 0;
  Eigen::Vector2d moment = Eigen::Vector2d::Zero();
};
/// What an outline that meets itself encloses by the even-odd rule; nothing for other outlines, for which Gauss's
/// formula says the same. NaN if it meets itself more than a million times.
std::optional<Enclosed> enclosed_by_crossing(const Polyline& outline);
/// Whether an outline crosses itself so that Gauss's formula, which counts loops twice or against each other, deviates
/// by more than a thousandth.
bool crosses_itself(const Polyline& outline);

}  // namespace isolume::contours

#pragma once

#include "core/contours/contour.h"

/// Closed outlines as polygons; the first point is not repeated at the end.
namespace isolume::contours {

/// Even-odd rule.
bool contains(const Polyline& outline, const Eigen::Vector2d& place);
/// Whether a side of one meets a side of the other, even if only in one point.
bool touch(const Polyline& one, const Polyline& other);

}  // namespace isolume::contours

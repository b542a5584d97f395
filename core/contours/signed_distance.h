#pragma once

#include "core/base/field_values.h"
#include "core/contours/contour.h"
#include "core/jobs/progress.h"

namespace isolume::contours {

/// Distance in mm of each pixel's centre to a closed outline (in pixels, at least one point), positive inside, x
/// fastest. `to_mm` is PlaneGrid::metric(). Exact except for rounding to floats: to the outline's sides, not to
/// pixels.
FieldValues signed_distances_mm(const Polyline& outline, int width, int height, const Eigen::Matrix2d& to_mm,
                                const jobs::Progress& progress = {});

}  // namespace isolume::contours

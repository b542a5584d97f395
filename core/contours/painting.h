#pragma once

#include <vector>

#include "core/contours/label_map.h"
#include "core/contours/outlines.h"
#include "core/images/volume.h"

namespace isolume::contours {

/// What a round brush covers along a stroke (a point at least), between pixels: places in mm within `radius_mm` of it, with
/// `to_mm` from steps in pixels. What the stroke runs around is left out, by channels of no width.
Outline brush_outline(const Polyline& stroke, double radius_mm, const Eigen::Matrix2d& to_mm);

/// Pixels with values from `low` to `high`, as 1.
SliceLabels pixels_within(const images::SliceImage& image, double low, double high);
/// Of these, the ones that hang together with one of them by pixels' sides; none where it is 0 itself.
SliceLabels connected_to(const SliceLabels& pixels, int x, int y);

}  // namespace isolume::contours

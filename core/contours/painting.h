#pragma once

#include <vector>

#include "core/contours/label_map.h"
#include "core/contours/outlines.h"
#include "core/images/volume.h"

namespace isolume::contours {

/// The area covered by a round brush along a stroke (at least one point), with sub-pixel accuracy: points within
/// `radius_mm` of it in mm; `to_mm` transforms steps in pixels. Areas enclosed by the stroke are holes, joined by
/// channels of zero width.
Outline brush_outline(const Polyline& stroke, double radius_mm, const Eigen::Matrix2d& to_mm);

/// Pixels with values from `low` to `high`, as 1.
SliceLabels pixels_within(const images::SliceImage& image, double low, double high);
/// The connected component of one of these pixels, by pixel sides; empty if the pixel itself is 0.
SliceLabels connected_to(const SliceLabels& pixels, int x, int y);
/// The pixels with those of `kept` that lie in their holes: where the outlines of holes are subtracted, these stay.
SliceLabels with_islands(SliceLabels pixels, const SliceMask& kept);

}  // namespace isolume::contours

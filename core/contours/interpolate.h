#pragma once

#include <vector>

#include "core/contours/contour.h"
#include "core/images/geometry.h"
#include "core/jobs/progress.h"

namespace isolume::contours {

/// Closed contours for the slices between contoured ones of a label along one axis, by linear interpolation of the
/// signed distance to the outlines (Raya and Udupa, IEEE Trans. Med. Imaging 9, 32, 1990), distances in mm; where
/// centroids are far apart, the shapes are first aligned, so that an oblique vessel does not vanish. They are marked
/// as suggestions and consist of freehand pieces, with seeds at points of high curvature, so that they can be snapped
/// to edges piece by piece. Slices that already have a contour of the label are left out. A label's adding and
/// subtracting contours are combined. Throws Error where fewer than two slices are contoured.
std::vector<Contour> interpolate(const ContourSet& set, int label, int axis, const images::Geometry& geometry,
                                 const jobs::Progress& progress = {});

/// The most significant points of an outline (Douglas and Peucker with the given tolerance in pixels), as seeds for a
/// contour that has none; at least `least`.
std::vector<std::size_t> seed_points(const Polyline& outline, bool closed, double tolerance_px,
                                     std::size_t least = 3);

}  // namespace isolume::contours

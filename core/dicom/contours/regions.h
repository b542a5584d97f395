#pragma once

#include <vector>

#include "core/contours/contour.h"

namespace isolume::dicom {

/// One connected area of a slice.
struct Region {
  contours::Polyline outline;
  std::vector<contours::Polyline> holes;
};

/// The area of a label on a slice of `width` times `height` pixels. If its outlines are disjoint or nested, they are
/// used unchanged; if they meet, or their order does not correspond to nesting, the outlines of the label's pixels
/// are returned, and `by_pixels` is set.
std::vector<Region> regions_of(const contours::ContourSet& set, int label, images::SliceId slice, int width,
                               int height, bool* by_pixels = nullptr);

/// A single outline for a region: every hole is joined to it by a keyhole, a channel of zero width between two points
/// near each other. Holes run in the opposite direction to the outline.
contours::Polyline join_holes(Region region);

/// The inverse of `join_holes`: if pairs of coincident sides with opposite directions divide an outline into one loop
/// and loops inside it, those are its holes. Otherwise the outline is returned unchanged.
Region separate_holes(const contours::Polyline& joined);

}  // namespace isolume::dicom

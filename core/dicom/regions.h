#pragma once

#include <vector>

#include "core/contours/contour.h"

namespace isolume::dicom {

/// One connected area of a slice.
struct Region {
  contours::Polyline outline;
  std::vector<contours::Polyline> holes;
};

/// The area of a label on a slice of `width` times `height` pixels. Where its outlines lie apart from or
/// within each other, they are taken as they are; where they meet, or are combined in an order that nesting
/// cannot say, the outlines of the label's pixels are, and `by_pixels` is set.
std::vector<Region> regions_of(const contours::ContourSet& set, int label, images::SliceId slice, int width,
                               int height, bool* by_pixels = nullptr);

/// One outline for a region: every hole is joined to it by a keyhole, a channel of no width there and back
/// between two points near each other. Holes run against the outline's sense.
contours::Polyline join_holes(Region region);

/// The reverse of `join_holes`: where sides of an outline lie on each other in opposite senses and part it
/// into one loop and loops within it, those are its holes. Else the outline is returned as it is.
Region separate_holes(const contours::Polyline& joined);

}  // namespace isolume::dicom

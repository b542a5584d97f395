#pragma once

#include <vector>

#include "core/base/field_values.h"
#include "core/contours/contour.h"

namespace isolume::contours {

/// A region's border, with the region on its right (y grows downwards).
struct Outline {
  Polyline points;
  double area_px2 = 0;  ///< negative for a hole
  int label = 1;
};

/// By Gauss's formula; positive where the inside is on the right.
double signed_area_px2(const Polyline& points);

/// Larger ones first, so that holes come after the regions around them, and islands in holes after these.
void sort_by_area(std::vector<Outline>& outlines);

/// As contours of a slice, in this order, with holes subtracted.
Contour contour_of(Outline outline, images::SliceId slice);

/// Zero contours of an image (values x fastest), by marching squares with linear interpolation between pixels;
/// non-negative values are inside. The image's rim must be negative. Sorted by area.
std::vector<Outline> zero_outlines(const FieldValues& values, int width, int height);

}  // namespace isolume::contours

#pragma once

#include <vector>

#include "core/base/field_values.h"
#include "core/contours/contour.h"

namespace isolume::contours {

/// A region's border, with the region at its right hand (y grows downwards).
struct Outline {
  Polyline points;
  double area_px2 = 0;  ///< negative where it goes around a hole
  int label = 1;
};

/// By Gauss's formula; positive where the inside lies at the right hand.
double signed_area_px2(const Polyline& points);

/// Larger ones first, so that holes come after what they are in, and islands in holes after these.
void sort_by_area(std::vector<Outline>& outlines);

/// As contours of a slice, in this order: holes cut out.
Contour contour_of(Outline outline, images::SliceId slice);

/// Where an image's values (x fastest) cross zero, by marching squares with places between pixels linearly
/// interpolated; what is not negative lies inside. The image's rim must be negative. Sorted by area.
std::vector<Outline> zero_outlines(const FieldValues& values, int width, int height);

}  // namespace isolume::contours

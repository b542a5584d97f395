#pragma once

#include <cstdint>
#include <vector>

#include "core/contours/contour.h"
#include "core/images/volume.h"
#include "core/jobs/progress.h"

namespace isolume::contours {

/// Pixels of a slice, x fastest; 0 outside, else a label's value.
struct SliceLabels {
  int width = 0, height = 0;
  std::vector<std::uint16_t> values;
};

/// A pixel belongs to a closed contour when its centre lies within it (even-odd rule; a centre exactly on the
/// outline belongs to it, so that a wire along pixel centres and its mirror image have equally many).
/// Points are rounded to the nearest 1/65536 of a pixel; from then on the arithmetic is exact.
/// Contours of a label are applied in the order of the set, adding or cutting out; labels in the order of
/// their list, later ones over earlier ones. Open contours and suggestions are left out, hidden contours are
/// not. Throws Error for points that are not finite or farther away than 2^24 pixels.
SliceLabels rasterise(const ContourSet& set, images::SliceId slice, int width, int height);
/// One contour alone, whatever its label and combination: 1 inside.
SliceLabels rasterise(const Contour& contour, int width, int height);

/// All slices of all axes that have contours; where contours of several axes meet, a voxel takes the last
/// label of the list; contours on slices beyond the geometry are left out. uint8 where all values are below
/// 256, else uint16. Throws Cancelled, ResourceError.
images::Volume label_map(const ContourSet& set, const images::Geometry& geometry,
                         const jobs::Progress& progress = {});

/// Outlines of a label map's regions on the slices along `axis`: one closed contour per connected outline,
/// holes as subtracting ones, both along the pixels' borders; `rasterise` gives back the same pixels. Labels
/// are named "Label 1" ... Throws Error if the map is not an integer image, is scaled, or holds values that
/// are negative or above 65535.
ContourSet contours_of(const images::Volume& label_map, int axis = 2, const jobs::Progress& progress = {});

}  // namespace isolume::contours

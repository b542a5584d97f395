#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/remarks.h"
#include "core/contours/contour.h"
#include "core/contours/outlines.h"
#include "core/images/volume.h"
#include "core/jobs/progress.h"

namespace isolume::contours {

/// Pixels of a slice, x fastest; 0 outside, else a label's value.
struct SliceLabels {
  int width = 0, height = 0;
  std::vector<std::uint16_t> values;
};

/// Some of a slice's pixels, within a box around them.
struct SliceMask {
  int left = 0, top = 0, width = 0, height = 0;
  std::vector<std::uint8_t> values;  ///< x fastest; 1 inside, 0 outside

  std::uint8_t* row(int y) { return values.data() + offset(y); }
  const std::uint8_t* row(int y) const { return values.data() + offset(y); }

 private:
  std::size_t offset(int y) const {
    return static_cast<std::size_t>(y - top) * static_cast<std::size_t>(width);
  }
};

/// The pixels of a label on a slice, whatever other labels cover. A pixel belongs to a closed contour if its centre
/// lies within it (even-odd rule). Of centres exactly on the outline, those belong to it that have its inside to
/// their right or, on horizontal sides, below them: contours that share a side share no pixel, and a square of 40 x
/// 40 pixels has 1600 wherever it lies. Points are rounded to the nearest 1/65536 of a pixel; from then on the
/// arithmetic is exact. Contours are applied in the order of the set, adding or subtracting. Open contours and
/// suggestions are left out; hidden contours are included. Throws Error for points that are not finite or farther
/// away than 2^24 pixels.
SliceMask mask_of_label(const ContourSet& set, int label, images::SliceId slice, int width, int height);
/// All labels by the same rule, if a pixel can have only one: labels in the order of their list, later ones over
/// earlier ones.
SliceLabels rasterise(const ContourSet& set, images::SliceId slice, int width, int height);
/// A single contour, whatever its label and combination: 1 inside.
SliceLabels rasterise(const Contour& contour, int width, int height);

/// Some voxels of an image, within a box around them.
struct LabelMask {
  std::array<int, 3> low{}, size{};  ///< voxels from `low` on, `size` in number; 0 if there are none
  std::vector<std::uint8_t> values;  ///< x fastest; 1 inside, 0 outside

  /// The row along x from (low[0], j, k) on; j and k count within the box.
  const std::uint8_t* row(int j, int k) const {
    return values.data() +
           (static_cast<std::size_t>(k) * static_cast<std::size_t>(size[1]) + static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(size[0]);
  }
};
/// The voxels of a label, whatever other labels cover: those on its slices of all axes. Contours on slices beyond the
/// geometry are left out. Throws Cancelled, ResourceError.
LabelMask mask_of_label(const ContourSet& set, int label, const images::Geometry& geometry,
                        const jobs::Progress& progress = {});

/// All labels, if a voxel can have only one: the last of the list. uint8 where all values are below 256, else uint16.
/// Voxels that labels lose to others are reported in `remarks`. Throws Cancelled, ResourceError.
images::Volume label_map(const ContourSet& set, const images::Geometry& geometry,
                         const jobs::Progress& progress = {}, Remarks* remarks = nullptr);

/// The outlines of the regions of a slice's labels along their pixels' borders, larger ones first; the areas of holes
/// are negative.
std::vector<Outline> outlines_of(SliceLabels labels, const jobs::Progress& progress = {});

/// Outlines of a label map's regions on the slices along `axis`: one closed contour per connected outline,
/// holes as subtracting ones, both along the pixels' borders; `rasterise` gives back the same pixels. Labels
/// are named "Label 1" ... Throws InputError, about the file `path`, if the map has colours or holds values that are
/// not whole numbers from 0 to 65535.
ContourSet contours_of(const images::Volume& label_map, const std::filesystem::path& path, int axis = 2,
                       const jobs::Progress& progress = {});

}  // namespace isolume::contours

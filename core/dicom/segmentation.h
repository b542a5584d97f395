#pragma once

#include <filesystem>
#include <vector>

#include "core/contours/contour.h"
#include "core/images/document.h"
#include "core/jobs/progress.h"

namespace isolume::dicom {

/// Writes a Segmentation (DICOM PS3.3 A.51, binary): one segment a label, frames only for slices that have
/// some of it, plane positions and source images per frame. As for write_rtstruct, the image must be DICOM.
void write_segmentation(const contours::ContourSet& set, const images::Document& image,
                        const std::filesystem::path& path, const jobs::Progress& progress = {});

struct ReadSegmentation {
  images::Volume label_map;  ///< on the image's grid
  std::vector<contours::Label> labels;
  std::vector<std::string> warnings;
};
/// Binary and fractional (above one half) ones. Frames off the image's slices by more than half the spacing
/// are counted in a warning. Throws InputError, also where the pixel grid is not the image's.
ReadSegmentation read_segmentation(const std::filesystem::path& path, const images::Document& image,
                                   const jobs::Progress& progress = {});

}  // namespace isolume::dicom

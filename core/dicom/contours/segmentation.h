#pragma once

#include <filesystem>

#include "core/contours/contour.h"
#include "core/images/document.h"
#include "core/jobs/progress.h"

namespace isolume::dicom {

/// Writes a Segmentation (DICOM PS3.3 A.51, binary): one segment per label, whatever other labels cover, frames only
/// for slices that contain part of it, plane positions and source images per frame. As for write_rtstruct, the image
/// must be DICOM.
void write_segmentation(const contours::ContourSet& set, const images::Document& image,
                        const std::filesystem::path& path, const jobs::Progress& progress = {});

}  // namespace isolume::dicom

#pragma once

#include <filesystem>

#include "core/base/remarks.h"
#include "core/contours/contour.h"
#include "core/images/document.h"
#include "core/jobs/progress.h"

namespace isolume::dicom {

/// Writes an RT Structure Set (DICOM PS3.3 A.19.3) with all its mandatory modules: one ROI per label, contours in mm
/// as CLOSED_PLANAR, OPEN_PLANAR or POINT, each referring to its slice's instance and at its position, whatever the
/// volume's spacing. A label's subtracting contours are joined to the outline around them by a keyhole (a channel of
/// zero width), as PS3.3 C.8.8.6.3 describes; if a label's outlines on a slice cross each other, the outlines of its
/// pixels are written. UIDs of study, frame of reference and images are the source's; if the image is not DICOM, an
/// Error says that an RTSTRUCT needs one. The file appears as a whole or not at all. Returns remarks on what was
/// written in another form.
Remarks write_rtstruct(const contours::ContourSet& set, const images::Document& image,
                       const std::filesystem::path& path, const jobs::Progress& progress = {});

}  // namespace isolume::dicom

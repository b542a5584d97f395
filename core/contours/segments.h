#pragma once

#include <filesystem>
#include <optional>

#include "core/base/remarks.h"
#include "core/contours/contour.h"
#include "core/contours/transfer.h"
#include "core/images/geometry.h"
#include "core/jobs/progress.h"

namespace isolume::contours {

/// Writes the labels as a segmentation of 3D Slicer (.seg.nrrd), with their names and colours: each label that
/// overlaps others goes into a layer where it overlaps none. Throws Error, Cancelled, ResourceError.
void write_segments(const ContourSet& set, const images::Geometry& geometry,
                    const std::filesystem::path& path, const jobs::Progress& progress = {});

/// Contours of the segments in such a file, on an image whose grid contains it: 3D Slicer crops segmentations to
/// their content. Nothing where the file has no segments. Throws InputError where its grid does not match.
/// `slice_at`: as for `transferred`.
std::optional<ContourSet> read_segments(const std::filesystem::path& path, const images::Geometry& geometry,
                                        Remarks& remarks, const jobs::Progress& progress = {},
                                        const SliceAt& slice_at = {});

}  // namespace isolume::contours

#pragma once

#include <filesystem>

#include "core/images/document.h"
#include "core/jobs/progress.h"

namespace isolume::images {

/// Reads a DICOM folder or file, NIfTI, NRRD, MetaImage, PNG, TIFF or JPEG. Throws InputError (naming the
/// file, what is wrong and what to do), ResourceError (would not fit in memory and cannot be mapped),
/// Cancelled, and Error as factor_of does.
Document read_image(const std::filesystem::path& path, const ReadOptions& options = {},
                    const jobs::Progress& progress = {});

}  // namespace isolume::images

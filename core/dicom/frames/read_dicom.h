#pragma once

#include <filesystem>

#include "core/images/document.h"
#include "core/jobs/progress.h"

namespace isolume::dicom {

/// A DICOM file, or a folder of them. Whatever the content, this only throws InputError, ResourceError, Cancelled, and
/// Error where `options` name something that is not there.
images::Document read_dicom(const std::filesystem::path& path, const images::ReadOptions& options,
                            const jobs::Progress& progress);

}  // namespace isolume::dicom

#pragma once

#include <filesystem>
#include <optional>

#include "core/dicom/contours/read_contours.h"
#include "core/images/document.h"
#include "core/jobs/progress.h"

namespace isolume::labs::livewire {

/// What a file holds of contours: a structure set, a segmentation, saved contours, or a label map of the image's
/// grid. Throws InputError.
dicom::ReadContours import_contours(const std::filesystem::path& path, const images::Document& image,
                                    std::optional<dicom::Nested> nested = {},
                                    const jobs::Progress& progress = {});

/// The same of saved contours alone.
dicom::ReadContours open_contours(const std::filesystem::path& path, const images::Document& image);

/// The labels and contours of `more` after those of `set`, under values that are free.
contours::ContourSet joined(contours::ContourSet set, const contours::ContourSet& more, Remarks& remarks);

}  // namespace isolume::labs::livewire

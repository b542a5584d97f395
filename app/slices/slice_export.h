#pragma once

#include <filesystem>

#include "app/slices/slice_picture.h"

namespace isolume::workbench {
struct LabContext;
}

namespace isolume::slices {

/// Throws Error if a transparent background is asked for: a slice fills its picture.
void check_opaque(bool transparent);
/// Draws the slice now, and writes it as PNG in a job.
void write_slice_picture(workbench::LabContext& context, const SlicePicture& wanted,
                         const std::filesystem::path& path, int width, int height, int dpi);

}  // namespace isolume::slices

#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/file_format.h"

namespace isolume::images {

enum class ImageFormat { none, dicom, nifti, nrrd, metaimage, png, tiff, jpeg };

/// Those that can be read.
const FileFormats& image_formats();

/// Determined by the file's first bytes, otherwise by its suffix. `none` also for anything but a regular file.
ImageFormat format_of(const std::filesystem::path& file);

/// Whether the file is gzipped, by its first bytes.
bool is_gzip(const std::filesystem::path& file);

/// Whether the name ends with the suffix (".nii.gz"), ignoring case.
bool ends_with_suffix(const std::filesystem::path& file, std::string_view suffix);

}  // namespace isolume::images

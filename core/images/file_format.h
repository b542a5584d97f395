#pragma once

#include <filesystem>

namespace isolume::images {

enum class FileFormat { none, dicom, nifti, nrrd, metaimage, png, tiff, jpeg };

/// By the file's first bytes, where these do not tell by its suffix. `none` also for what is no regular file.
FileFormat format_of(const std::filesystem::path& file);

/// Whether the file is packed with gzip, by its first bytes.
bool is_gzip(const std::filesystem::path& file);

/// Whether the name ends with the suffix (".nii.gz"), whatever the case.
bool ends_with_suffix(const std::filesystem::path& file, std::string_view suffix);

}  // namespace isolume::images

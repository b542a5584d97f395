#pragma once

#include <filesystem>

class DcmFileFormat;

namespace isolume::images {

/// Throws InputError, with the name of the packing and what to do, where pixels are packed in a way that is
/// not read.
void require_readable_packing(const std::filesystem::path& file, DcmFileFormat& format);

}  // namespace isolume::images

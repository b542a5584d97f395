#pragma once

#include <filesystem>

class DcmFileFormat;

namespace isolume::images {

/// Throws InputError, with the name of the packing and what to do, where pixels are packed in a way that is
/// not read.
void require_readable_packing(const std::filesystem::path& file, DcmFileFormat& format);

/// How the pixels of a file are packed, by its transfer syntax.
enum class PixelPacking { none, rle, jpeg, jpeg_ls, jpeg2000 };
PixelPacking packing_of(DcmFileFormat& format);

}  // namespace isolume::images

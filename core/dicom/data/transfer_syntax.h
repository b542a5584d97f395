#pragma once

#include <filesystem>

class DcmFileFormat;

namespace isolume::dicom {

/// Throws InputError, with the name of the compression and advice, if the pixels are compressed by an unsupported
/// method.
void require_readable_packing(const std::filesystem::path& file, DcmFileFormat& format);

/// Compression of a file's pixels, by its transfer syntax.
enum class PixelPacking { none, rle, jpeg, jpeg_ls, jpeg2000 };
PixelPacking packing_of(DcmFileFormat& format);

}  // namespace isolume::dicom

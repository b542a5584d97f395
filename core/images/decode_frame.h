#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/images/dicom_frames.h"

namespace isolume::images {

/// Unpacks one frame with GDCM: RLE, JPEG (baseline, extended, lossless), JPEG-LS, JPEG 2000.
/// `transfer_syntax` is its UID. Returns samples of `layout.bits_allocated` bits in this machine's order of
/// bytes: as many as the layout says, or an InputError of the file.
std::vector<char> decode_frame(const std::filesystem::path& file, const std::string& transfer_syntax,
                               const PixelLayout& layout, const std::vector<char>& packed);

}  // namespace isolume::images

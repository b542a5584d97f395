#pragma once

#include <vector>

#include "core/images/dicom_frames.h"

namespace isolume::images {

/// Unpacks a frame of DICOM's RLE (PS3.5 Annex G). `pixels` has the size of the frame and takes its samples
/// in this machine's order of bytes, those of a colour together. False where the data is damaged (the
/// decoders of GDCM and DCMTK for whole frames read beyond it).
bool decode_rle(const std::vector<char>& packed, const PixelLayout& layout, std::vector<char>& pixels);

}  // namespace isolume::images

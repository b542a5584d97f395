#pragma once

#include <vector>

#include "core/dicom/pixels/pixel_layout.h"

namespace isolume::dicom {

/// Decodes a frame of DICOM's RLE (PS3.5 Annex G). `pixels` has the size of the frame and receives its samples in
/// native byte order, interleaved by pixel. False if the data are damaged (the decoders of GDCM and DCMTK for whole
/// frames read beyond them).
bool decode_rle(const std::vector<char>& packed, const PixelLayout& layout, std::vector<char>& pixels);

}  // namespace isolume::dicom

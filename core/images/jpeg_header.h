#pragma once

#include <vector>

#include "core/images/dicom_frames.h"

namespace isolume::images {

/// Whether packed data begins as JPEG or JPEG-LS does, for a frame of this layout. What DCMTK does with
/// others is to look for their header without end, or to fill the frame with lines of another length.
bool is_jpeg_of(const PixelLayout& layout, const std::vector<char>& packed);

}  // namespace isolume::images

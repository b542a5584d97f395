#pragma once

#include <vector>

#include "core/dicom/pixels/pixel_layout.h"

namespace isolume::dicom {

/// Decodes a frame of JPEG 2000 with OpenJPEG. `pixels` has the size of the frame and receives its samples in native
/// byte order, interleaved by pixel. False if the data are damaged or of another size.
bool decode_jpeg2000(const std::vector<char>& packed, const PixelLayout& layout, std::vector<char>& pixels);

}  // namespace isolume::dicom

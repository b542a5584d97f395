#pragma once

#include <vector>

#include "core/images/dicom_frames.h"

namespace isolume::images {

/// Unpacks a frame of JPEG 2000 with OpenJPEG. `pixels` has the size of the frame and takes its samples in
/// this machine's order of bytes, those of a colour together. False where the data is damaged or of another
/// size.
bool decode_jpeg2000(const std::vector<char>& packed, const PixelLayout& layout, std::vector<char>& pixels);

}  // namespace isolume::images

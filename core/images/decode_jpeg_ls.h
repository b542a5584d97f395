#pragma once

#include <vector>

#include "core/images/dicom_frames.h"

namespace isolume::images {

/// Unpacks a grey frame of JPEG-LS with CharLS, which takes all precisions (ITU-T T.87: 2 to 16 bits); the decoder of
/// DCMTK takes none below 8. `pixels` gets the size of the frame. False where the data is damaged or of another size, and
/// where the program was built without CharLS.
bool decode_jpeg_ls(const std::vector<char>& packed, const PixelLayout& layout, std::vector<char>& pixels);

}  // namespace isolume::images

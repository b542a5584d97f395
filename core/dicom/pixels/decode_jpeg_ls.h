#pragma once

#include <vector>

#include "core/dicom/pixels/pixel_layout.h"

namespace isolume::dicom {

/// Whether the program was built with CharLS. If so, DCMTK must not decode JPEG-LS: it contains an older CharLS,
/// whose functions have the same names. Without CharLS, its decoder does not support precisions below 8 bits.
bool can_decode_jpeg_ls();

/// Decodes a frame of JPEG-LS with CharLS, which supports all precisions (ITU-T T.87: 2 to 16 bits). `pixels` gets
/// the size of the frame, with samples in native byte order, interleaved by pixel. False if the data are damaged or
/// of another size.
bool decode_jpeg_ls(const std::vector<char>& packed, const PixelLayout& layout, std::vector<char>& pixels);

}  // namespace isolume::dicom

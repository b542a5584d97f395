#pragma once

#include <vector>

#include "core/images/dicom_frames.h"

namespace isolume::images {

/// Whether the program was built with CharLS. If so, DCMTK must unpack no JPEG-LS: it has an older CharLS inside, whose
/// functions have the same names. Without CharLS, its decoder takes no precision below 8 bits.
bool can_decode_jpeg_ls();

/// Unpacks a frame of JPEG-LS with CharLS, which takes all precisions (ITU-T T.87: 2 to 16 bits). `pixels` gets the size of
/// the frame, its samples in this machine's order of bytes, those of a colour together. False where the data is damaged or
/// of another size.
bool decode_jpeg_ls(const std::vector<char>& packed, const PixelLayout& layout, std::vector<char>& pixels);

}  // namespace isolume::images

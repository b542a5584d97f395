#pragma once

#include <vector>

namespace isolume::images {

/// What a JPEG stream itself says of its three components.
enum class JpegColours { untold, rgb, ycbcr };

/// As libjpeg decides: by the JFIF marker, then by Adobe's, then by the components' names. Two cases are left
/// to the header of DICOM, which is `untold`: components that are named neither "RGB" nor 1, 2, 3 and not
/// subsampled, and lossless streams, which no encoder transforms.
JpegColours jpeg_colours(const std::vector<char>& stream);

}  // namespace isolume::images

#pragma once

#include <optional>
#include <vector>

#include "core/images/dicom_frames.h"

namespace isolume::images {

/// What a JPEG or JPEG-LS stream says of itself.
struct JpegHeader {
  /// As libjpeg decides: by the JFIF marker, then by Adobe's, then by the components' names. Two cases are
  /// left to the header of DICOM, which is `untold`: components that are named neither "RGB" nor 1, 2, 3 and
  /// not subsampled, and lossless streams, which no encoder transforms.
  enum class Colours { untold, rgb, ycbcr };

  int precision = 0;  ///< bits
  int rows = 0, columns = 0, samples = 0;
  Colours colours = Colours::untold;
};
/// Up to the header of the frame (ITU T.81, annex B); nullopt where packed data begins otherwise.
std::optional<JpegHeader> jpeg_header(const std::vector<char>& packed);

/// Whether DCMTK can be given a frame of this layout: what it does with others is to look for their header
/// without end, or to fill the frame with lines of another length.
bool can_be_unpacked(const JpegHeader& header, const PixelLayout& layout, const std::vector<char>& packed);

}  // namespace isolume::images

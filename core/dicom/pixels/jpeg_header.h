#pragma once

#include <optional>
#include <vector>

#include "core/dicom/pixels/pixel_layout.h"

namespace isolume::dicom {

/// Properties stated by a JPEG or JPEG-LS stream.
struct JpegHeader {
  /// As in libjpeg: by the JFIF marker, then by Adobe's, then by the components' names. `untold` leaves two cases to
  /// the DICOM header: components that are named neither "RGB" nor 1, 2, 3 and not subsampled, and lossless streams,
  /// which no encoder transforms.
  enum class Colours { untold, rgb, ycbcr };

  int precision = 0;  ///< bits
  int rows = 0, columns = 0, samples = 0;
  Colours colours = Colours::untold;
};
/// Parses up to the frame header (ITU T.81, annex B); nullopt if the data begin otherwise.
std::optional<JpegHeader> jpeg_header(const std::vector<char>& packed);

/// Whether DCMTK can decode a frame of this layout: with others it searches for a header endlessly, or fills the
/// frame with lines of another length.
bool can_be_unpacked(const JpegHeader& header, const PixelLayout& layout, const std::vector<char>& packed);

}  // namespace isolume::dicom

#pragma once

#include <cstddef>
#include <string>

namespace isolume::dicom {

/// How the pixels of a DICOM file are stored.
struct PixelLayout {
  int columns = 0, rows = 0;
  int samples = 1;  ///< per pixel: 3 for colours
  int bits_allocated = 16, bits_stored = 16, high_bit = 15;
  bool is_signed = false;
  bool is_float = false;   ///< Float or Double Float Pixel Data
  bool is_planar = false;  ///< all red, then all green, then all blue
  std::string photometric;

  bool operator==(const PixelLayout&) const = default;
  std::size_t pixels() const { return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows); }
  /// Size of a frame as returned by a decoder or stored in the file.
  std::size_t frame_bytes() const;
  /// Whether the numbers are intensities, not colours.
  bool is_grey() const { return samples == 1 && photometric != "PALETTE COLOR"; }
};

}  // namespace isolume::dicom

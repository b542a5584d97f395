#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "core/base/remarks.h"
#include "core/dicom/frames/frames.h"
#include "core/images/volume.h"

namespace isolume::dicom {

/// Pixel type of a volume for a layout: as stored, or the grey of colours in float32.
images::PixelType pixel_type_of(const PixelLayout& layout);
/// The value of a white pixel of a layout with colours.
double full_colour_of(const PixelLayout& layout);

/// Reads the frames of one DICOM file. Not thread-safe.
class FrameReader {
 public:
  /// `layout` is the result of `frames_of` for the file.
  FrameReader(std::filesystem::path file, PixelLayout layout);
  ~FrameReader();
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  const std::filesystem::path& file() const;
  /// Writes `layout.pixels()` numbers of `pixel_type_of(layout)`; for colours, also three bytes per pixel to
  /// `colours`. Throws InputError.
  void read(int frame, std::byte* target, std::uint8_t* colours = nullptr);
  /// Deviations of the frames read so far from the header.
  const Remarks& remarks() const;

 private:
  struct Contents;
  std::unique_ptr<Contents> contents_;
};

}  // namespace isolume::dicom

#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "core/base/remarks.h"
#include "core/images/dicom_frames.h"
#include "core/images/volume.h"

namespace isolume::images {

/// The type in which a layout's pixels become a volume's: as stored, the grey of colours in float32.
PixelType pixel_type_of(const PixelLayout& layout);
/// The value of a white pixel of a layout with colours.
double full_colour_of(const PixelLayout& layout);

/// Reads the frames of one DICOM file. For one thread at a time.
class FrameReader {
 public:
  /// `layout` is what `frames_of` found in the file.
  FrameReader(std::filesystem::path file, PixelLayout layout);
  ~FrameReader();
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  const std::filesystem::path& file() const;
  /// Writes `layout.pixels()` numbers of `pixel_type_of(layout)`; of colours, three bytes a pixel into `colours`, too. Throws
  /// InputError.
  void read(int frame, std::byte* target, std::uint8_t* colours = nullptr);
  /// What the frames read so far hold otherwise than the header says.
  const Remarks& remarks() const;

 private:
  struct Contents;
  std::unique_ptr<Contents> contents_;
};

}  // namespace isolume::images

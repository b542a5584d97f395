#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "core/images/document.h"
#include "core/images/pixel_size.h"

namespace isolume::images {

/// Result of a picture decoder: rows from the top, one (grey) or three (RGB) numbers per pixel.
struct DecodedPicture {
  int width = 0, height = 0;
  int channels = 1;
  PixelType type = PixelType::uint8;  ///< uint8 or uint16
  std::shared_ptr<std::byte> pixels;
  Resolution resolution;
};
/// Allocates memory for a picture. Throws ResourceError.
std::shared_ptr<std::byte> allocate_pixels(const DecodedPicture& picture);
/// Creates an image of one slice; colours with their grey.
Document document_of(const std::filesystem::path& file, const DecodedPicture& picture);

/// Remark for a picture that is meant to be turned or mirrored; `orientation` as in TIFF and Exif, 1 if it is not.
void warn_of_orientation(Document& document, unsigned orientation);

/// "liver.nrrd, 512 × 512 × 120"
std::string title_of(const std::filesystem::path& file, const Geometry& geometry);

}  // namespace isolume::images

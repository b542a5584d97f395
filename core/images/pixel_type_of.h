#pragma once

#include <cstdint>
#include <type_traits>

#include "core/images/volume.h"

namespace isolume::images {

/// The inverse of visit_pixel_type: the PixelType of a C++ type.
template <class Pixel>
constexpr PixelType pixel_type_of() {
  if constexpr (std::is_same_v<Pixel, std::int8_t>) return PixelType::int8;
  if constexpr (std::is_same_v<Pixel, std::uint8_t>) return PixelType::uint8;
  if constexpr (std::is_same_v<Pixel, std::int16_t>) return PixelType::int16;
  if constexpr (std::is_same_v<Pixel, std::uint16_t>) return PixelType::uint16;
  if constexpr (std::is_same_v<Pixel, std::int32_t>) return PixelType::int32;
  if constexpr (std::is_same_v<Pixel, std::uint32_t>) return PixelType::uint32;
  if constexpr (std::is_same_v<Pixel, float>) return PixelType::float32;
  if constexpr (std::is_same_v<Pixel, double>) return PixelType::float64;
}

}  // namespace isolume::images

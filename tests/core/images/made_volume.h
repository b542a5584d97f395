#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "core/images/volume.h"

namespace isolume::images {

template <class Pixel>
constexpr PixelType type_of() {
  if constexpr (std::is_same_v<Pixel, std::int8_t>) return PixelType::int8;
  if constexpr (std::is_same_v<Pixel, std::uint8_t>) return PixelType::uint8;
  if constexpr (std::is_same_v<Pixel, std::int16_t>) return PixelType::int16;
  if constexpr (std::is_same_v<Pixel, std::uint16_t>) return PixelType::uint16;
  if constexpr (std::is_same_v<Pixel, std::int32_t>) return PixelType::int32;
  if constexpr (std::is_same_v<Pixel, std::uint32_t>) return PixelType::uint32;
  if constexpr (std::is_same_v<Pixel, float>) return PixelType::float32;
  if constexpr (std::is_same_v<Pixel, double>) return PixelType::float64;
}

/// A volume whose stored value at (i, j, k) is stored(i, j, k).
template <class Pixel, class Function>
Volume made_volume(const Geometry& geometry, const Function& stored) {
  const auto voxels = std::make_shared<std::vector<Pixel>>();
  voxels->reserve(geometry.voxel_count());
  for (int k = 0; k < geometry.size[2]; ++k) {
    for (int j = 0; j < geometry.size[1]; ++j) {
      for (int i = 0; i < geometry.size[0]; ++i) voxels->push_back(static_cast<Pixel>(stored(i, j, k)));
    }
  }
  Volume volume;
  volume.geometry = geometry;
  volume.type = type_of<Pixel>();
  volume.storage = {voxels, reinterpret_cast<const std::byte*>(voxels->data())};
  return volume;
}

}  // namespace isolume::images

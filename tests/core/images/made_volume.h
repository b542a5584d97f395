#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "core/images/pixel_type_of.h"
#include "core/images/volume.h"

namespace isolume::images {

/// A volume whose stored value at (i, j, k) is stored(i, j, k).
template <class Pixel, class Function>
Volume made_volume(const Geometry& geometry, const Function& stored) {
  const auto voxels = std::make_shared<std::vector<Pixel>>();
  voxels->reserve(geometry.point_count());
  for (int k = 0; k < geometry.dimensions[2]; ++k) {
    for (int j = 0; j < geometry.dimensions[1]; ++j) {
      for (int i = 0; i < geometry.dimensions[0]; ++i) voxels->push_back(static_cast<Pixel>(stored(i, j, k)));
    }
  }
  Volume volume;
  volume.geometry = geometry;
  volume.type = pixel_type_of<Pixel>();
  volume.storage = {voxels, reinterpret_cast<const std::byte*>(voxels->data())};
  return volume;
}

}  // namespace isolume::images

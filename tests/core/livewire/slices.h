#pragma once

#include <functional>
#include <random>

#include "core/images/volume.h"

namespace isolume::livewire::testing {

/// A slice with square pixels of 1 mm whose values are given by a function of x and y.
inline images::SliceImage slice_of(int width, int height, const std::function<double(int, int)>& value) {
  images::SliceImage slice;
  slice.plane.columns = width;
  slice.plane.rows = height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) slice.values.push_back(static_cast<float>(value(x, y)));
  }
  return slice;
}

inline images::SliceImage noise_slice(int width, int height, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> value(100, 300);
  return slice_of(width, height, [&](int, int) { return value(random); });
}

}  // namespace isolume::livewire::testing

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/images/volume.h"

namespace isolume::images {

/// Grey of a colour, weighted as the eye sees (ITU-R BT.601, rounded to 0.30, 0.59 and 0.11 as in most texts
/// on live wires). Full scale stays full scale.
inline float grey_of(double red, double green, double blue) {
  return static_cast<float>(0.3 * red + 0.59 * green + 0.11 * blue);
}

/// The largest number of so many bits: that of white.
inline double full_scale(int bits) {
  return std::exp2(bits) - 1;
}

/// What a reader writes the colours of a volume into: their grey, which is computed with, and 8 bits of each for the screen.
class ColourTarget {
 public:
  /// `rgb`: three bytes a voxel; null: the colours are not kept. `full`: the number that is white.
  ColourTarget(float* grey, std::uint8_t* rgb, double full) : grey_(grey), rgb_(rgb), to_byte_(255 / full) {}

  void put(std::size_t voxel, double red, double green, double blue) const {
    grey_[voxel] = grey_of(red, green, blue);
    if (rgb_ == nullptr) return;
    std::uint8_t* bytes = rgb_ + 3 * voxel;
    for (const double colour : {red, green, blue})
      *bytes++ = static_cast<std::uint8_t>(std::clamp(colour * to_byte_, 0.0, 255.0) + 0.5);
  }

 private:
  float* grey_;
  std::uint8_t* rgb_;
  double to_byte_;
};

/// Memory for the colours of a volume, which it keeps; `full` as for ColourTarget. Throws ResourceError.
std::uint8_t* add_colours(Volume& volume, double full);

}  // namespace isolume::images

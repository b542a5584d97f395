#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/images/volume.h"

namespace isolume::images {

/// Luminance of a colour (ITU-R BT.601, rounded to 0.30, 0.59 and 0.11 as in most literature on live wires). Full
/// scale is preserved.
inline float grey_of(double red, double green, double blue) {
  return static_cast<float>(0.3 * red + 0.59 * green + 0.11 * blue);
}

/// The largest number of so many bits, which represents white.
inline double full_scale(int bits) {
  return std::exp2(bits) - 1;
}

/// Destination of a volume's colours: their grey values, which are used in computations, and 8 bits per channel for
/// display.
class ColourTarget {
 public:
  /// `rgb`: three bytes per voxel; null: colours are not kept. `full`: the value of white.
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

/// Allocates memory for the colours of a volume, which owns it; `full` as for ColourTarget. Throws ResourceError.
std::uint8_t* add_colours(Volume& volume, double full);

}  // namespace isolume::images

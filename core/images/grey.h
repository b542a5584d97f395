#pragma once

namespace isolume::images {

/// Grey of a colour, weighted as the eye sees (ITU-R BT.601, rounded to 0.30, 0.59 and 0.11 as in most texts
/// on live wires). Full scale stays full scale.
inline float grey_of(double red, double green, double blue) {
  return static_cast<float>(0.3 * red + 0.59 * green + 0.11 * blue);
}

}  // namespace isolume::images

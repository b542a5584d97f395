#pragma once

#include <cstddef>

namespace isolume::images {

/// Grey of a colour, weighted as the eye sees (ITU-R BT.601, rounded to 0.30, 0.59 and 0.11 as in most texts
/// on live wires). Full scale stays full scale.
inline float grey_of(double red, double green, double blue) {
  return static_cast<float>(0.3 * red + 0.59 * green + 0.11 * blue);
}

/// `colours` holds `components` (3 or 4, the fourth is passed over) numbers a pixel.
template <class Component>
void to_grey(const Component* colours, std::size_t components, std::size_t pixels, float* grey) {
  for (std::size_t at = 0; at < pixels; ++at, colours += components) {
    grey[at] = grey_of(static_cast<double>(colours[0]), static_cast<double>(colours[1]),
                       static_cast<double>(colours[2]));
  }
}

}  // namespace isolume::images

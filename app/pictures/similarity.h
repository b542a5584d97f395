#pragma once

#include <span>

namespace isolume::pictures {

/// Structural similarity of two pictures of the same size, from their luminance (0 to 255), row by row; 1 if
/// they are equal. Mean over windows of 8 x 8 pixels of equation 13 of Wang, Bovik, Sheikh and Simoncelli,
/// IEEE Trans. Image Process. 13 (2004) 600.
double structural_similarity(std::span<const double> a, std::span<const double> b, int width, int height);

/// Luminance (Rec. 601) of a colour.
inline double luminance(double red, double green, double blue) {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

}  // namespace isolume::pictures

#pragma once

#include <span>

namespace isolume::pictures {

/// How alike two pictures of the same size are, from their luminance (0 to 255), row by row: 1 where it is the same in
/// all pixels. The mean over windows of 8 x 8 pixels of the structural similarity of Wang, Bovik, Sheikh and Simoncelli,
/// IEEE Trans. Image Process. 13 (2004) 600, equation 13.
double structural_similarity(std::span<const double> a, std::span<const double> b, int width, int height);

/// Luminance (Rec. 601) of a colour.
inline double luminance(double red, double green, double blue) {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

}  // namespace isolume::pictures

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace isolume::test {

/// What FFmpeg's libraries find in a movie.
struct DecodedMovie {
  int width = 0, height = 0;
  double frames_per_second = 0, seconds = 0;      ///< as the file says
  std::string codec;                              ///< "vp9"
  std::vector<std::vector<std::uint8_t>> frames;  ///< red, green, blue, the top row first
};
/// Empty where it cannot be read.
DecodedMovie decode_movie(const std::string& path);

/// Mean distance of two pictures' numbers, 0 to 255; 255 where they differ in size.
double mean_difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b);

}  // namespace isolume::test

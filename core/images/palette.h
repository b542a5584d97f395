#pragma once

#include <array>
#include <filesystem>
#include <vector>

class DcmItem;

namespace isolume::images {

/// Red, green and blue of every entry of a palette (PS3.3 C.7.6.3.1.5), in the scale of 8 bits; the first stands for all
/// numbers up to `first`.
struct Palette {
  int first = 0;
  std::vector<std::array<double, 3>> colours;
};

/// That of a data set, in full or in segments (PS3.3 C.7.9.2). Throws InputError where it is missing or
/// wrong.
Palette palette_of(const std::filesystem::path& file, DcmItem& dataset);

}  // namespace isolume::images

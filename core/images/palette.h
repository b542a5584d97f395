#pragma once

#include <array>
#include <filesystem>
#include <vector>

class DcmItem;

namespace isolume::images {

/// Red, green and blue of every entry of a palette (PS3.3 C.7.6.3.1.5), scaled to 8 bits; the first applies to all
/// numbers up to `first`.
struct Palette {
  int first = 0;
  std::vector<std::array<double, 3>> colours;
};

/// The palette of a data set, complete or in segments (PS3.3 C.7.9.2). Throws InputError if it is missing or invalid.
Palette palette_of(const std::filesystem::path& file, DcmItem& dataset);

}  // namespace isolume::images

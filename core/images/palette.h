#pragma once

#include <filesystem>
#include <vector>

class DcmItem;

namespace isolume::images {

/// Grey of every entry of a palette (PS3.3 C.7.6.3.1.5); the first stands for all numbers up to `first`.
struct Palette {
  int first = 0;
  std::vector<float> grey;
};

/// That of a data set, in full or in segments (PS3.3 C.7.9.2). Throws InputError where it is missing or
/// wrong.
Palette palette_of(const std::filesystem::path& file, DcmItem& dataset);

}  // namespace isolume::images

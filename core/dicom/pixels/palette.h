#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

class DcmItem;
class DcmTagKey;

namespace isolume::dicom {

/// Red, green and blue of every entry of a palette (PS3.3 C.7.6.3.1.5), scaled to 8 bits; the first applies to all
/// numbers up to `first`.
struct Palette {
  int first = 0;
  std::vector<std::array<double, 3>> colours;
};

/// The entries of a look-up table of 8 or 16 bits, stored as words or, of 8 bits, as bytes; nothing if there are fewer.
std::optional<std::vector<unsigned>> lut_entries(DcmItem& item, const DcmTagKey& tag, std::size_t count,
                                                 int bits);

/// The palette of a data set, complete or in segments (PS3.3 C.7.9.2). Throws InputError if it is missing or invalid.
Palette palette_of(const std::filesystem::path& file, DcmItem& dataset);

}  // namespace isolume::dicom

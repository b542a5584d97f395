#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

class DcmItem;

namespace isolume::dicom {

/// The table that gives an image's values where no slope does (Modality LUT, PS3.3 C.11.1): its first entry applies to
/// all stored numbers up to `first`, its last one to all beyond.
struct ModalityLut {
  int first = 0;
  std::vector<std::uint16_t> values;
  bool operator==(const ModalityLut&) const = default;

  std::uint16_t value(std::int64_t stored) const {
    const auto last = static_cast<std::int64_t>(values.size()) - 1;
    return values[static_cast<std::size_t>(std::clamp<std::int64_t>(stored - first, 0, last))];
  }
};

/// The table of an item of the Modality LUT Sequence. `are_signed`: whether stored numbers are. Throws InputError if it
/// is damaged: stored numbers are not the image's values.
ModalityLut modality_lut_of(const std::filesystem::path& file, DcmItem& item, bool are_signed);

}  // namespace isolume::dicom

#include "core/dicom/pixels/palette.h"

#include <cmath>
#include <cstddef>
#include <optional>

#include "core/base/error.h"
#include "core/dicom/data/dicom_file.h"

namespace isolume::dicom {
namespace {

namespace fs = std::filesystem;

/// Location of the entries of one colour.
struct Channel {
  DcmTagKey whole, segmented;
};

/// Numbers of a table, stored as words, or as bytes of which two may share a word.
class Numbers {
 public:
  Numbers(DcmItem& dataset, const DcmTagKey& tag) {
    unsigned long count = 0;
    const Sint16* with_sign = nullptr;  // as the table of numbers with a sign may be stored
    if (dataset.findAndGetUint16Array(tag, words_, &count).bad() &&
        dataset.findAndGetSint16Array(tag, with_sign, &count).good()) {
      words_ = reinterpret_cast<const Uint16*>(with_sign);
    }
    words_count_ = words_ != nullptr ? count : 0;
  }
  std::size_t words() const { return words_count_; }
  std::size_t bytes() const { return 2 * words_count_; }
  unsigned word(std::size_t at) const { return words_[at]; }
  unsigned byte(std::size_t at) const { return (words_[at / 2] >> (at % 2 * 8)) & 0xffU; }

 private:
  const Uint16* words_ = nullptr;
  std::size_t words_count_ = 0;
};

std::optional<std::vector<unsigned>> whole_table(const Numbers& numbers, std::size_t count, int bits) {
  const bool are_bytes = bits == 8 && numbers.words() < count;
  if ((are_bytes ? numbers.bytes() : numbers.words()) < count) return std::nullopt;
  std::vector<unsigned> entries(count);
  for (std::size_t at = 0; at < count; ++at) {
    entries[at] = are_bytes ? numbers.byte(at) : numbers.word(at) & (bits == 8 ? 0xffU : 0xffffU);
  }
  return entries;
}

/// Expands segments to a table.
class Segments {
 public:
  Segments(const Numbers& numbers, std::size_t count, int bits)
      : numbers_(numbers), count_(count), is_words_(bits == 16) {}

  /// Nothing if they are damaged or do not give the expected number of entries.
  std::optional<std::vector<unsigned>> table() {
    std::size_t at = 0;
    while (entries_.size() < count_) {
      if (!take_segment(at, true)) return std::nullopt;
    }
    return entries_;
  }

 private:
  static constexpr unsigned discrete = 0, linear = 1, indirect = 2;

  std::optional<unsigned> next(std::size_t& at) const {
    if (at >= (is_words_ ? numbers_.words() : numbers_.bytes())) return std::nullopt;
    const unsigned number = is_words_ ? numbers_.word(at) : numbers_.byte(at);
    ++at;
    return number;
  }

  bool take_segment(std::size_t& at, bool may_be_indirect) {
    const auto kind = next(at), length = next(at);
    // Empty segments could be too numerous to read in reasonable time.
    if (!kind || !length || *length == 0) return false;
    if (*kind == indirect) return may_be_indirect && copy_segments(at, *length);
    if (*length > count_ - entries_.size()) return false;
    if (*kind == discrete) return take_discrete(at, *length);
    return *kind == linear && take_linear(at, *length);
  }

  bool take_discrete(std::size_t& at, unsigned length) {
    for (unsigned entry = 0; entry < length; ++entry) {
      const auto value = next(at);
      if (!value) return false;
      entries_.push_back(*value);
    }
    return true;
  }

  /// From the last entry, which is not repeated, to the given one.
  bool take_linear(std::size_t& at, unsigned length) {
    const auto end = next(at);
    if (!end || entries_.empty()) return false;
    const double begin = entries_.back(), step = (*end - begin) / length;
    for (unsigned entry = 1; entry <= length; ++entry)
      entries_.push_back(static_cast<unsigned>(std::lround(begin + step * entry)));
    return true;
  }

  /// Copies the segments themselves rather than their entries: a linear one begins at the last entry before the copy.
  bool copy_segments(std::size_t& at, unsigned segments) {
    std::size_t offset = 0;  // in bytes, the lowest first
    for (unsigned part = 0; part < (is_words_ ? 2U : 4U); ++part) {
      const auto number = next(at);
      if (!number) return false;
      offset |= std::size_t{*number} << (is_words_ ? 16 : 8) * part;
    }
    if (is_words_ && offset % 2 == 1) return false;
    std::size_t from = is_words_ ? offset / 2 : offset;
    for (unsigned segment = 0; segment < segments; ++segment) {
      if (!take_segment(from, false)) return false;
    }
    return true;
  }

  const Numbers& numbers_;
  std::size_t count_;
  bool is_words_;
  std::vector<unsigned> entries_;
};

/// Scaled to 8 bits.
std::vector<double> entries_of(const fs::path& file, DcmItem& dataset, const Channel& channel,
                               std::size_t count, int bits) {
  const bool is_segmented =
      !dataset.tagExistsWithValue(channel.whole) && dataset.tagExistsWithValue(channel.segmented);
  const Numbers numbers(dataset, is_segmented ? channel.segmented : channel.whole);
  const auto table =
      is_segmented ? Segments(numbers, count, bits).table() : whole_table(numbers, count, bits);
  if (!table && is_segmented) {
    throw InputError(file, 0, "the segments of its colour palette are damaged", "Export it as grey or RGB.");
  }
  if (!table) {
    throw InputError(file, 0, "its colour palette is missing or of a kind that cannot be read",
                     "Export it as grey or RGB.");
  }
  std::vector<double> entries(count);
  for (std::size_t at = 0; at < count; ++at)
    entries[at] = bits == 8 ? (*table)[at] : (*table)[at] / 257.0;  // 65535 becomes 255
  return entries;
}

}  // namespace

std::optional<std::vector<unsigned>> lut_entries(DcmItem& item, const DcmTagKey& tag, std::size_t count,
                                                 int bits) {
  return whole_table(Numbers(item, tag), count, bits);
}

Palette palette_of(const fs::path& file, DcmItem& dataset) {
  const std::vector<double> descriptor = numbers_of(dataset, DCM_RedPaletteColorLookupTableDescriptor);
  const auto is_short = [](double number) { return number >= -32768 && number <= 65535; };
  if (descriptor.size() != 3 || !std::ranges::all_of(descriptor, is_short) || descriptor[0] < 0) {
    throw InputError(file, 0, "its colour palette has no size", "Export it as grey or RGB.");
  }
  const std::size_t count = descriptor[0] == 0 ? 65536 : static_cast<std::size_t>(descriptor[0]);
  const int bits = descriptor[2] > 8 ? 16 : 8;
  const auto channel = [&](const DcmTagKey& whole, const DcmTagKey& segmented) {
    return entries_of(file, dataset, {whole, segmented}, count, bits);
  };
  const std::vector<double> red =
      channel(DCM_RedPaletteColorLookupTableData, DCM_SegmentedRedPaletteColorLookupTableData);
  const std::vector<double> green =
      channel(DCM_GreenPaletteColorLookupTableData, DCM_SegmentedGreenPaletteColorLookupTableData);
  const std::vector<double> blue =
      channel(DCM_BluePaletteColorLookupTableData, DCM_SegmentedBluePaletteColorLookupTableData);
  Palette palette{.first = static_cast<int>(descriptor[1]), .colours = {}};
  palette.colours.resize(count);
  for (std::size_t at = 0; at < count; ++at) palette.colours[at] = {red[at], green[at], blue[at]};
  return palette;
}

}  // namespace isolume::dicom

#include "core/images/jpeg_header.h"

#include <string_view>

namespace isolume::images {
namespace {

constexpr int start_of_image = 0xd8, start_of_jpeg_ls = 0xf7;

bool is_start_of_frame(int marker) {
  const bool is_jpeg = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
  return is_jpeg || marker == start_of_jpeg_ls;
}

/// Over each scan, however short, the decoder goes through the whole image; ten are usual.
bool has_too_many_scans(const std::vector<char>& packed) {
  constexpr std::size_t most_scans = 500;
  const std::string_view text(packed.data(), packed.size());
  std::size_t scans = 0;
  for (auto at = text.find("\xff\xda"); at != std::string_view::npos; at = text.find("\xff\xda", at + 2))
    ++scans;
  return scans > most_scans;
}

}  // namespace

bool is_jpeg_of(const PixelLayout& layout, const std::vector<char>& packed) {
  const auto byte = [&](std::size_t at) {
    return at < packed.size() ? static_cast<int>(static_cast<unsigned char>(packed[at])) : -1;
  };
  const auto number = [&](std::size_t at) { return byte(at) << 8 | byte(at + 1); };
  if (byte(0) != 0xff || byte(1) != start_of_image) return false;
  for (std::size_t at = 2; at + 4 < packed.size();) {
    if (byte(at) != 0xff) return false;
    const int marker = byte(at + 1), length = number(at + 2);
    if (marker == 0xff) {  // may be repeated
      ++at;
      continue;
    }
    if (is_start_of_frame(marker)) {
      const int precision = byte(at + 4), rows = number(at + 5), columns = number(at + 7),
                samples = byte(at + 9);
      return at + 10 <= packed.size() && rows == layout.rows && columns == layout.columns &&
             samples == layout.samples && precision > (layout.bits_allocated == 8 ? 0 : 8) &&
             precision <= layout.bits_allocated && !has_too_many_scans(packed);
    }
    const bool has_length = marker >= 0xc0 && !(marker >= 0xd0 && marker <= 0xda);
    if (!has_length || length < 2) return false;
    at += 2 + static_cast<std::size_t>(length);
  }
  return false;
}

}  // namespace isolume::images

#include "core/images/jpeg_colours.h"

#include <cstddef>
#include <string_view>

namespace isolume::images {
namespace {

using namespace std::string_view_literals;

unsigned byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

bool is_start_of_frame(unsigned marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

/// From the frame header: precision, height, width, then name, sampling and table of each component (ITU
/// T.81, B.2.2).
JpegColours colours_of_components(std::string_view header) {
  constexpr std::size_t components = 3, before = 6;
  if (header.size() < before + 3 * components || byte_at(header, before - 1) != components)
    return JpegColours::untold;
  const std::string_view first = header.substr(before, 3), second = header.substr(before + 3, 3),
                         third = header.substr(before + 6, 3);
  const auto are_named = [&](std::string_view wanted) {
    return first[0] == wanted[0] && second[0] == wanted[1] && third[0] == wanted[2];
  };
  if (are_named("RGB") || are_named("rgb")) return JpegColours::rgb;
  const bool shares_chroma = first[1] != second[1] || first[1] != third[1];
  if (are_named("\1\2\3") || shares_chroma) return JpegColours::ycbcr;
  return JpegColours::untold;
}

}  // namespace

JpegColours jpeg_colours(const std::vector<char>& stream) {
  const std::string_view bytes(stream.data(), stream.size());
  if (!bytes.starts_with("\xff\xd8")) return JpegColours::untold;
  bool is_jfif = false;
  JpegColours adobe = JpegColours::untold;
  std::size_t at = 2;
  while (at + 4 <= bytes.size() && byte_at(bytes, at) == 0xff) {
    const unsigned marker = byte_at(bytes, at + 1);
    if (marker == 0xff) {  // fills up
      ++at;
      continue;
    }
    const std::size_t length = byte_at(bytes, at + 2) << 8 | byte_at(bytes, at + 3);
    if (length < 2) return JpegColours::untold;
    const std::string_view content = bytes.substr(at + 4, length - 2);
    at += 2 + length;
    if (marker == 0xe0 && content.starts_with("JFIF\0"sv)) is_jfif = true;
    if (marker == 0xee && content.starts_with("Adobe") && content.size() >= 12) {
      const unsigned transform = byte_at(content, 11);
      adobe = transform == 0 ? JpegColours::rgb : transform == 1 ? JpegColours::ycbcr : JpegColours::untold;
    }
    if (!is_start_of_frame(marker)) continue;
    const bool is_lossless = marker % 4 == 3;
    if (is_lossless) return JpegColours::untold;
    if (is_jfif) return JpegColours::ycbcr;
    return adobe != JpegColours::untold ? adobe : colours_of_components(content);
  }
  return JpegColours::untold;
}

}  // namespace isolume::images

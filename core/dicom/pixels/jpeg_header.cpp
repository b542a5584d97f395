#include "core/dicom/pixels/jpeg_header.h"

#include <cstddef>
#include <string_view>

namespace isolume::dicom {
namespace {

using namespace std::string_view_literals;
using Colours = JpegHeader::Colours;

constexpr unsigned jfif = 0xe0, adobe = 0xee, start_of_jpeg_ls = 0xf7;

unsigned byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

int number_at(std::string_view bytes, std::size_t at) {
  return static_cast<int>(byte_at(bytes, at) << 8 | byte_at(bytes, at + 1));
}

bool is_start_of_frame(unsigned marker) {
  const bool is_jpeg = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
  return is_jpeg || marker == start_of_jpeg_ls;
}

/// Name, sampling and table of each component (ITU T.81, B.2.2).
Colours colours_of_components(std::string_view three) {
  const std::string_view first = three.substr(0, 3), second = three.substr(3, 3), third = three.substr(6, 3);
  const auto are_named = [&](std::string_view wanted) {
    return first[0] == wanted[0] && second[0] == wanted[1] && third[0] == wanted[2];
  };
  if (are_named("RGB") || are_named("rgb")) return Colours::rgb;
  const bool shares_chroma = first[1] != second[1] || first[1] != third[1];
  return are_named("\1\2\3") || shares_chroma ? Colours::ycbcr : Colours::untold;
}

/// `content` of the frame's header: precision, height, width, number of components, components.
std::optional<JpegHeader> header_of(std::string_view content, unsigned marker, Colours by_markers) {
  constexpr std::size_t before = 6;
  if (content.size() < before) return std::nullopt;
  JpegHeader header{.precision = static_cast<int>(byte_at(content, 0)),
                    .rows = number_at(content, 1),
                    .columns = number_at(content, 3),
                    .samples = static_cast<int>(byte_at(content, 5))};
  const bool is_lossless = marker % 4 == 3;
  if (is_lossless || header.samples != 3 || content.size() < before + 9) return header;
  header.colours =
      by_markers != Colours::untold ? by_markers : colours_of_components(content.substr(before, 9));
  return header;
}

}  // namespace

std::optional<JpegHeader> jpeg_header(const std::vector<char>& packed) {
  const std::string_view bytes(packed.data(), packed.size());
  if (!bytes.starts_with("\xff\xd8")) return std::nullopt;
  bool is_jfif = false;
  Colours by_adobe = Colours::untold;
  for (std::size_t at = 2; at + 4 <= bytes.size();) {
    if (byte_at(bytes, at) != 0xff) return std::nullopt;
    const unsigned marker = byte_at(bytes, at + 1);
    if (marker == 0xff) {  // may be repeated
      ++at;
      continue;
    }
    const bool has_length = marker >= 0xc0 && !(marker >= 0xd0 && marker <= 0xda);
    const auto length = static_cast<std::size_t>(number_at(bytes, at + 2));
    if (!has_length || length < 2) return std::nullopt;
    const std::string_view content = bytes.substr(at + 4, length - 2);
    if (is_start_of_frame(marker)) return header_of(content, marker, is_jfif ? Colours::ycbcr : by_adobe);
    if (marker == jfif && content.starts_with("JFIF\0"sv)) is_jfif = true;
    if (marker == adobe && content.starts_with("Adobe") && content.size() >= 12) {
      const unsigned transform = byte_at(content, 11);
      by_adobe = transform == 0 ? Colours::rgb : transform == 1 ? Colours::ycbcr : Colours::untold;
    }
    at += 2 + length;
  }
  return std::nullopt;
}

bool can_be_unpacked(const JpegHeader& header, const PixelLayout& layout, const std::vector<char>& packed) {
  const int least_precision = layout.bits_allocated == 8 ? 1 : 9;
  if (header.rows != layout.rows || header.columns != layout.columns || header.samples != layout.samples ||
      header.precision < least_precision || header.precision > layout.bits_allocated) {
    return false;
  }
  // The decoder processes the whole image for each scan, however short; ten are usual.
  constexpr std::size_t most_scans = 500;
  const std::string_view bytes(packed.data(), packed.size());
  std::size_t scans = 0;
  for (auto at = bytes.find("\xff\xda"); at != std::string_view::npos; at = bytes.find("\xff\xda", at + 2))
    ++scans;
  return scans <= most_scans;
}

}  // namespace isolume::dicom

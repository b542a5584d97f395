#include "core/images/file_format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include <zlib.h>

#include "core/base/input_file.h"
#include "core/images/document.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;

struct Suffix {
  std::string_view text;
  FileFormat format;
};
constexpr std::array suffixes{
    Suffix{".dcm", FileFormat::dicom},     Suffix{".dicom", FileFormat::dicom},
    Suffix{".ima", FileFormat::dicom},     Suffix{".dcm.gz", FileFormat::dicom},
    Suffix{".nii", FileFormat::nifti},     Suffix{".nii.gz", FileFormat::nifti},
    Suffix{".hdr", FileFormat::nifti},     Suffix{".nrrd", FileFormat::nrrd},
    Suffix{".nhdr", FileFormat::nrrd},     Suffix{".mha", FileFormat::metaimage},
    Suffix{".mhd", FileFormat::metaimage}, Suffix{".png", FileFormat::png},
    Suffix{".tif", FileFormat::tiff},      Suffix{".tiff", FileFormat::tiff},
    Suffix{".jpg", FileFormat::jpeg},      Suffix{".jpeg", FileFormat::jpeg},
};

/// DICOM without a preamble, as written by scanners of the nineties: elements of groups 2 and 8 in ascending order,
/// with plausible lengths. The third may belong to a later group.
bool is_bare_dicom(std::string_view start) {
  const bool is_big_endian = start.starts_with('\0');
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint32_t value = 0;
    for (std::size_t n = 0; n < bytes; ++n) {
      const char byte = start[at + (is_big_endian ? n : bytes - 1 - n)];
      value = value << 8 | static_cast<unsigned char>(byte);
    }
    return value;
  };
  std::uint32_t last = 0;
  int elements = 0;
  for (std::size_t at = 0; at + 12 <= start.size(); ++elements) {
    const std::uint32_t group = number(at, 2), tag = group << 16 | number(at + 2, 2);
    const std::string_view vr = start.substr(at + 4, 2);
    const auto is_letter = [](char letter) { return letter >= 'A' && letter <= 'Z'; };
    const bool is_explicit = is_letter(vr[0]) && is_letter(vr[1]);
    const bool is_long = vr == "OB" || vr == "OW" || vr == "SQ" || vr == "UN" || vr == "UT";
    const std::uint32_t length = is_long       ? number(at + 8, 4)
                                 : is_explicit ? number(at + 6, 2)
                                               : number(at + 4, 4);
    constexpr std::uint32_t undefined = 0xffffffff, longest = 1 << 16;
    const bool fits = tag > last && (length == undefined || (length % 2 == 0 && length <= longest));
    if (!fits) return false;
    if ((group != 2 && group != 8) || length == undefined) break;
    last = tag;
    at += (is_long ? 12 : 8) + length;
  }
  return elements >= 2;
}

FileFormat format_of_bytes(std::string_view start) {
  const auto at = [&](std::size_t offset, std::string_view magic) {
    return start.size() >= offset + magic.size() && start.substr(offset, magic.size()) == magic;
  };
  using namespace std::string_view_literals;
  if (at(128, "DICM")) return FileFormat::dicom;
  if (at(344, "n+1\0"sv) || at(344, "ni1\0"sv)) return FileFormat::nifti;
  if (at(0, "NRRD000")) return FileFormat::nrrd;
  if (at(0, "\x89PNG\r\n\x1a\n")) return FileFormat::png;
  if (at(0, "II*\0"sv) || at(0, "MM\0*"sv) || at(0, "II+\0"sv) || at(0, "MM\0+"sv)) return FileFormat::tiff;
  if (at(0, "\xff\xd8\xff")) return FileFormat::jpeg;
  if (is_bare_dicom(start)) return FileFormat::dicom;
  return FileFormat::none;
}

}  // namespace

bool is_gzip(const fs::path& file) {
  return start_of_file(file, 2) == "\x1f\x8b";
}

bool ends_with_suffix(const fs::path& file, std::string_view suffix) {
  const std::string name = file.filename().string();
  return name.size() > suffix.size() &&
         std::equal(suffix.rbegin(), suffix.rend(), name.rbegin(), [](char wanted, char found) {
           return wanted == std::tolower(static_cast<unsigned char>(found));
         });
}

FileFormat format_of(const fs::path& file) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) return FileFormat::none;
  // gzread passes uncompressed files through unchanged.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(file.c_str(), "rb"), gzclose);
  if (!stream) return FileFormat::none;
  std::array<char, 352> start;
  const int got = gzread(stream.get(), start.data(), static_cast<unsigned>(start.size()));
  const FileFormat by_bytes = format_of_bytes({start.data(), static_cast<std::size_t>(std::max(got, 0))});
  if (by_bytes != FileFormat::none) return by_bytes;
  for (const Suffix& suffix : suffixes) {
    if (ends_with_suffix(file, suffix.text)) return suffix.format;
  }
  return FileFormat::none;
}

std::string image_file_filter() {
  std::string filter = "Images (";
  for (const Suffix& suffix : suffixes) filter.append("*").append(suffix.text).append(" ");
  filter.back() = ')';
  return filter;
}

}  // namespace isolume::images

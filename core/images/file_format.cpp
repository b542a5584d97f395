#include "core/images/file_format.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <zlib.h>

#include "core/base/input_file.h"
#include "core/base/suffix.h"
#include "core/images/document.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;

struct Declared {
  ImageFormat kind;
  FileFormat format;
};
/// In the order of open dialogs. Desktops have image viewers for PNG, TIFF and JPEG.
const std::vector<Declared>& declared() {
  static const std::vector<Declared> all{
      {ImageFormat::dicom,
       {.title = "DICOM image",
        .suffixes = {".dcm", ".dicom", ".ima", ".dcm.gz"},
        .mime_type = "application/dicom",
        .is_text = false,
        .magic = {{128, "DICM"}}}},
      {ImageFormat::nifti,
       {.title = "NIfTI volume",
        .suffixes = {".nii", ".nii.gz"},
        .mime_type = "image/x-nifti",
        .is_text = false,
        .magic = {{344, "n+1"}}}},
      {ImageFormat::nifti,
       {.title = "NIfTI volume, header of two files", .suffixes = {".hdr"}, .is_text = false}},
      {ImageFormat::nrrd,
       {.title = "NRRD volume",
        .suffixes = {".nrrd", ".nhdr"},
        .mime_type = "image/x-nrrd",
        .is_text = false,
        .magic = {{0, "NRRD000"}}}},
      {ImageFormat::metaimage,
       {.title = "MetaImage volume",
        .suffixes = {".mha", ".mhd"},
        .mime_type = "image/x-metaimage",
        .is_text = false}},
      {ImageFormat::png, {.title = "PNG picture", .suffixes = {".png"}, .is_text = false}},
      {ImageFormat::tiff, {.title = "TIFF picture", .suffixes = {".tif", ".tiff"}, .is_text = false}},
      {ImageFormat::jpeg, {.title = "JPEG picture", .suffixes = {".jpg", ".jpeg"}, .is_text = false}}};
  return all;
}

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

ImageFormat format_of_bytes(std::string_view start) {
  const auto at = [&](std::size_t offset, std::string_view magic) {
    return start.size() >= offset + magic.size() && start.substr(offset, magic.size()) == magic;
  };
  using namespace std::string_view_literals;
  if (at(128, "DICM")) return ImageFormat::dicom;
  if (at(344, "n+1\0"sv) || at(344, "ni1\0"sv)) return ImageFormat::nifti;
  if (at(0, "NRRD000")) return ImageFormat::nrrd;
  if (at(0, "\x89PNG\r\n\x1a\n")) return ImageFormat::png;
  if (at(0, "II*\0"sv) || at(0, "MM\0*"sv) || at(0, "II+\0"sv) || at(0, "MM\0+"sv)) return ImageFormat::tiff;
  if (at(0, "\xff\xd8\xff")) return ImageFormat::jpeg;
  if (is_bare_dicom(start)) return ImageFormat::dicom;
  return ImageFormat::none;
}

}  // namespace

bool is_gzip(const fs::path& file) {
  return start_of_file(file, 2) == "\x1f\x8b";
}

bool ends_with_suffix(const fs::path& file, std::string_view suffix) {
  const std::string name = small_name(file);
  return name.size() > suffix.size() && name.ends_with(suffix);
}

ImageFormat format_of(const fs::path& file) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) return ImageFormat::none;
  // gzread passes uncompressed files through unchanged.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(file.c_str(), "rb"), gzclose);
  if (!stream) return ImageFormat::none;
  std::array<char, 352> start;
  const int got = gzread(stream.get(), start.data(), static_cast<unsigned>(start.size()));
  const ImageFormat by_bytes = format_of_bytes({start.data(), static_cast<std::size_t>(std::max(got, 0))});
  if (by_bytes != ImageFormat::none) return by_bytes;
  for (const Declared& each : declared()) {
    if (std::ranges::any_of(each.format.suffixes,
                            [&](const auto& suffix) { return ends_with_suffix(file, suffix); }))
      return each.kind;
  }
  return ImageFormat::none;
}

const FileFormats& image_formats() {
  static const FileFormats formats = [] {
    FileFormats made{.title = "Images", .formats = {}};
    for (const Declared& each : declared()) made.formats.push_back(each.format);
    return made;
  }();
  return formats;
}

}  // namespace isolume::images

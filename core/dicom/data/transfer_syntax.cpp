#include "core/dicom/data/transfer_syntax.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dicom/data/dicom_file.h"

namespace isolume::dicom {
namespace {

constexpr std::string_view uncompressed = "Export it uncompressed or as JPEG 2000.",
                           still_images = "Export its frames as images.",
                           from_server = "Its pixels are at a server: fetch the image itself.";

/// Of PS3.6, table A-1: those with numbers behind "1.2.840.10008.1.2.4.".
struct UnreadSyntax {
  int first, last;
  std::string_view name, remedy;
};
constexpr std::array packings{
    UnreadSyntax{52, 52, "a retired kind of JPEG", uncompressed},
    UnreadSyntax{54, 54, "a retired kind of JPEG", uncompressed},
    UnreadSyntax{56, 56, "a retired kind of JPEG", uncompressed},
    UnreadSyntax{58, 66, "a retired kind of JPEG", uncompressed},
    UnreadSyntax{92, 93, "JPEG 2000 part 2", uncompressed},
    UnreadSyntax{94, 95, "JPIP", from_server},
    UnreadSyntax{100, 101, "MPEG-2 video", still_images},
    UnreadSyntax{102, 106, "MPEG-4 video", still_images},
    UnreadSyntax{107, 108, "HEVC video", still_images},
    UnreadSyntax{110, 112, "JPEG XL", uncompressed},
    UnreadSyntax{204, 205, "JPIP of High-Throughput JPEG 2000", from_server},
};

/// High-Throughput JPEG 2000 (PS3.5 A.4.12), which OpenJPEG decodes and DCMTK does not know.
bool is_high_throughput(std::string_view uid) {
  return uid == "1.2.840.10008.1.2.4.201" || uid == "1.2.840.10008.1.2.4.202" ||
         uid == "1.2.840.10008.1.2.4.203";
}

const UnreadSyntax* unread_packing_of(std::string_view uid) {
  static constexpr UnreadSyntax encapsulated{0, 0, "encapsulated uncompressed pixels", uncompressed},
      streamed{0, 0, "streamed video or sound", still_images},
      deflated_frames{0, 0, "deflated frames", uncompressed};
  constexpr std::string_view standard = "1.2.840.10008.1.2.", packed = "4.";
  if (!uid.starts_with(standard)) return nullptr;
  uid.remove_prefix(standard.size());
  if (uid == "1.98") return &encapsulated;
  if (uid == "8.1") return &deflated_frames;
  if (uid.starts_with("7.")) return &streamed;
  if (!uid.starts_with(packed)) return nullptr;
  int number = 0;
  std::from_chars(uid.data() + packed.size(), uid.data() + uid.size(), number);
  const auto* const found = std::find_if(packings.begin(), packings.end(), [&](const UnreadSyntax& packing) {
    return packing.first <= number && number <= packing.last;
  });
  return found == packings.end() ? nullptr : found;
}

}  // namespace

void require_readable_packing(const std::filesystem::path& file, DcmFileFormat& format) {
  const std::string uid = text_of(*format.getMetaInfo(), DCM_TransferSyntaxUID);
  if (const UnreadSyntax* packing = unread_packing_of(uid)) {
    throw InputError(file, 0, fmt::format("its pixels are packed as {}, which is not read", packing->name),
                     packing->remedy);
  }
  DcmElement* pixels = nullptr;
  format.getDataset()->findAndGetElement(DCM_PixelData, pixels);
  const bool is_packed = pixels != nullptr && pixels->getLengthField() == DCM_UndefinedLength;
  if (is_packed && !uid.empty() && !is_high_throughput(uid) &&
      DcmXfer(uid.c_str()).getXfer() == EXS_Unknown) {
    throw InputError(
        file, 0, fmt::format("its pixels are in an unknown transfer syntax ({})", isolume::quoted(uid, 64)),
        uncompressed);
  }
}

PixelPacking packing_of(DcmFileFormat& format) {
  if (is_high_throughput(text_of(*format.getMetaInfo(), DCM_TransferSyntaxUID)))
    return PixelPacking::jpeg2000;
  const E_TransferSyntax syntax = format.getDataset()->getOriginalXfer();
  if (!DcmXfer(syntax).isEncapsulated()) return PixelPacking::none;
  switch (syntax) {
    case EXS_RLELossless:
      return PixelPacking::rle;
    case EXS_JPEG2000:
    case EXS_JPEG2000LosslessOnly:
      return PixelPacking::jpeg2000;
    case EXS_JPEGLSLossless:
    case EXS_JPEGLSLossy:
      return PixelPacking::jpeg_ls;
    default:
      return PixelPacking::jpeg;
  }
}

}  // namespace isolume::dicom

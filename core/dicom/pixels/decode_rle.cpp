#include "core/dicom/pixels/decode_rle.h"

#include <bit>

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dcerror.h>
#include <dcmtk/dcmdata/dcrledec.h>
#include <dcmtk/dcmdata/dctypes.h>

namespace isolume::dicom {
namespace {

constexpr std::size_t header_bytes = 64;

/// The header's numbers are little-endian: the number of segments, then the offset of each.
std::size_t number_at(const std::vector<char>& packed, std::size_t index) {
  std::size_t number = 0;
  for (std::size_t byte = 0; byte < 4; ++byte) {
    number |= static_cast<std::size_t>(static_cast<unsigned char>(packed[4 * index + byte])) << (8 * byte);
  }
  return number;
}

}  // namespace

bool decode_rle(const std::vector<char>& packed, const PixelLayout& layout, std::vector<char>& pixels) {
  static_assert(std::endian::native == std::endian::little);
  const auto sample_bytes = static_cast<std::size_t>(layout.bits_allocated / 8);
  const std::size_t segments = static_cast<std::size_t>(layout.samples) * sample_bytes;
  if (packed.size() < header_bytes || number_at(packed, 0) != segments || segments > 15) return false;
  DcmRLEDecoder decoder(layout.pixels());
  for (std::size_t segment = 0; segment < segments; ++segment) {
    const std::size_t begin = number_at(packed, 1 + segment);
    const std::size_t end = segment + 1 < segments ? number_at(packed, 2 + segment) : packed.size();
    if (begin < header_bytes || begin > end || end > packed.size()) return false;
    decoder.clear();
    // Data after the last pixel are padding, which the decoder would report as an error.
    decoder.decompress(const_cast<char*>(packed.data()) + begin, end - begin);
    if (decoder.size() != layout.pixels()) return false;
    // The most significant byte of each sample comes first.
    const std::size_t sample = segment / sample_bytes, byte = sample_bytes - 1 - segment % sample_bytes;
    const auto* bytes = static_cast<const char*>(decoder.getOutputBuffer());
    char* target = pixels.data() + sample * sample_bytes + byte;
    for (std::size_t at = 0; at < layout.pixels(); ++at) target[at * segments] = bytes[at];
  }
  return true;
}

}  // namespace isolume::dicom

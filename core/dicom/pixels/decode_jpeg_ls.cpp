#include "core/dicom/pixels/decode_jpeg_ls.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef ISOLUME_WITH_CHARLS
#include <charls/charls.h>
#endif

namespace isolume::dicom {

#ifdef ISOLUME_WITH_CHARLS

bool can_decode_jpeg_ls() {
  return true;
}

bool decode_jpeg_ls(const std::vector<char>& packed, const PixelLayout& layout, std::vector<char>& pixels) {
  const auto colours = static_cast<std::size_t>(layout.samples), count = layout.pixels() * colours;
  std::vector<char> samples;
  bool is_planar = false;
  try {
    charls::jpegls_decoder decoder(packed, true);
    const charls::frame_info& frame = decoder.frame_info();
    if (frame.width != static_cast<std::uint32_t>(layout.columns) ||
        frame.height != static_cast<std::uint32_t>(layout.rows) || frame.component_count != layout.samples ||
        frame.bits_per_sample > layout.bits_allocated) {
      return false;
    }
    is_planar = colours > 1 && decoder.interleave_mode() == charls::interleave_mode::none;
    samples.resize(decoder.destination_size());
    decoder.decode(samples);
  } catch (const charls::jpegls_error&) {
    return false;
  }
  // Samples of at most 8 bits are returned as bytes, whatever is allocated for them.
  const std::size_t from_bytes = samples.size() / count,
                    bytes = static_cast<std::size_t>(layout.bits_allocated / 8);
  if (samples.size() != count * from_bytes || from_bytes < 1 || from_bytes > bytes) return false;
  pixels.assign(count * bytes, 0);
  for (std::size_t at = 0; at < count; ++at) {
    const std::size_t from = is_planar ? at % colours * layout.pixels() + at / colours : at;
    std::memcpy(pixels.data() + at * bytes, samples.data() + from * from_bytes, from_bytes);
  }
  return true;
}

#else

bool can_decode_jpeg_ls() {
  return false;
}

bool decode_jpeg_ls(const std::vector<char>&, const PixelLayout&, std::vector<char>&) {
  return false;
}

#endif

}  // namespace isolume::dicom

#include "core/images/decode_jpeg_ls.h"

#include <cstdint>
#include <utility>

#ifdef ISOLUME_WITH_CHARLS
#include <charls/charls.h>
#endif

namespace isolume::images {

#ifdef ISOLUME_WITH_CHARLS

bool decode_jpeg_ls(const std::vector<char>& packed, const PixelLayout& layout, std::vector<char>& pixels) {
  std::vector<char> samples;
  try {
    const charls::jpegls_decoder decoder(packed, true);
    const charls::frame_info& frame = decoder.frame_info();
    if (frame.width != static_cast<std::uint32_t>(layout.columns) ||
        frame.height != static_cast<std::uint32_t>(layout.rows) || frame.component_count != 1) {
      return false;
    }
    samples.resize(decoder.destination_size());
    decoder.decode(samples);
  } catch (const charls::jpegls_error&) {
    return false;
  }
  const auto bytes = static_cast<std::size_t>(layout.bits_allocated / 8);
  if (samples.size() == layout.pixels() * bytes) {
    pixels = std::move(samples);
    return true;
  }
  // Samples of 8 bits at most are bytes, whatever is allocated for them.
  if (samples.size() != layout.pixels()) return false;
  pixels.assign(samples.size() * bytes, 0);
  for (std::size_t at = 0; at < samples.size(); ++at) pixels[at * bytes] = samples[at];
  return true;
}

#else

bool decode_jpeg_ls(const std::vector<char>&, const PixelLayout&, std::vector<char>&) {
  return false;
}

#endif

}  // namespace isolume::images

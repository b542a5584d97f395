#include "core/dicom/pixels/decode_jpeg2000.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include <openjpeg.h>

namespace isolume::dicom {
namespace {

/// Input stream for OpenJPEG.
struct Input {
  std::span<const char> bytes;
  std::size_t at = 0;

  std::size_t left() const { return bytes.size() - at; }
};

constexpr auto nothing_left = static_cast<OPJ_SIZE_T>(-1);

OPJ_SIZE_T read(void* target, OPJ_SIZE_T wanted, void* user) {
  auto& input = *static_cast<Input*>(user);
  const std::size_t count = std::min<std::size_t>(wanted, input.left());
  if (count == 0) return nothing_left;
  std::memcpy(target, input.bytes.data() + input.at, count);
  input.at += count;
  return count;
}

OPJ_OFF_T skip(OPJ_OFF_T wanted, void* user) {
  auto& input = *static_cast<Input*>(user);
  if (wanted < 0 || input.left() == 0) return -1;
  const std::size_t count = std::min(static_cast<std::size_t>(wanted), input.left());
  input.at += count;
  return static_cast<OPJ_OFF_T>(count);
}

OPJ_BOOL seek(OPJ_OFF_T place, void* user) {
  auto& input = *static_cast<Input*>(user);
  if (place < 0 || static_cast<std::size_t>(place) > input.bytes.size()) return OPJ_FALSE;
  input.at = static_cast<std::size_t>(place);
  return OPJ_TRUE;
}

using Stream = std::unique_ptr<opj_stream_t, void (*)(opj_stream_t*)>;
using Codec = std::unique_ptr<opj_codec_t, void (*)(opj_codec_t*)>;
using Image = std::unique_ptr<opj_image_t, void (*)(opj_image_t*)>;

Stream stream_of(Input& input) {
  Stream stream(opj_stream_default_create(OPJ_TRUE), opj_stream_destroy);
  opj_stream_set_user_data(stream.get(), &input, nullptr);
  opj_stream_set_user_data_length(stream.get(), input.bytes.size());
  opj_stream_set_read_function(stream.get(), read);
  opj_stream_set_skip_function(stream.get(), skip);
  opj_stream_set_seek_function(stream.get(), seek);
  return stream;
}

/// DICOM contains bare codestreams; some writers leave the boxes of a JP2 file around them.
OPJ_CODEC_FORMAT format_of(std::span<const char> packed) {
  static constexpr unsigned char begin_of_jp2[] = {0, 0, 0, 12, 'j', 'P', ' ', ' '};
  const bool is_jp2 = packed.size() >= sizeof begin_of_jp2 &&
                      std::memcmp(packed.data(), begin_of_jp2, sizeof begin_of_jp2) == 0;
  return is_jp2 ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K;
}

bool has_sizes_of(const PixelLayout& layout, const opj_image_t& image) {
  return image.numcomps == static_cast<OPJ_UINT32>(layout.samples) &&
         std::all_of(image.comps, image.comps + image.numcomps, [&](const opj_image_comp_t& sample) {
           return sample.w == static_cast<OPJ_UINT32>(layout.columns) &&
                  sample.h == static_cast<OPJ_UINT32>(layout.rows) &&
                  sample.prec <= static_cast<OPJ_UINT32>(layout.bits_allocated);
         });
}

template <class Sample>
void interleave(const opj_image_t& image, std::size_t pixels, char* target) {
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    for (OPJ_UINT32 number = 0; number < image.numcomps; ++number, target += sizeof(Sample)) {
      const auto sample = static_cast<Sample>(image.comps[number].data[pixel]);
      std::memcpy(target, &sample, sizeof sample);
    }
  }
}

}  // namespace

bool decode_jpeg2000(const std::vector<char>& packed, const PixelLayout& layout, std::vector<char>& pixels) {
  Input input{packed};
  const Stream stream = stream_of(input);
  const Codec codec(opj_create_decompress(format_of(packed)), opj_destroy_codec);
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  if (!opj_setup_decoder(codec.get(), &parameters)) return false;
  opj_image_t* header = nullptr;
  const bool has_header = opj_read_header(stream.get(), codec.get(), &header) == OPJ_TRUE;
  const Image image(header, opj_image_destroy);
  // Before memory is allocated for them.
  if (!has_header || !has_sizes_of(layout, *image)) return false;
  if (!opj_decode(codec.get(), stream.get(), image.get()) || !has_sizes_of(layout, *image)) return false;
  if (std::any_of(image->comps, image->comps + image->numcomps,
                  [](const opj_image_comp_t& sample) { return sample.data == nullptr; })) {
    return false;
  }
  switch (layout.bits_allocated) {
    case 8:
      interleave<std::uint8_t>(*image, layout.pixels(), pixels.data());
      return true;
    case 16:
      interleave<std::uint16_t>(*image, layout.pixels(), pixels.data());
      return true;
    default:
      interleave<std::uint32_t>(*image, layout.pixels(), pixels.data());
      return true;
  }
}

}  // namespace isolume::dicom

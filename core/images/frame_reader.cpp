#include "core/images/frame_reader.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dcfcache.h>
#include <dcmtk/dcmdata/dcpixseq.h>
#include <dcmtk/dcmdata/dcpxitem.h>
#include <dcmtk/dcmjpeg/djdecode.h>
#include <dcmtk/dcmjpls/djdecode.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/images/decode_jpeg2000.h"
#include "core/images/decode_rle.h"
#include "core/images/dicom_file.h"
#include "core/images/grey.h"
#include "core/images/jpeg_header.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;

/// Bits that are not the number's (overlays of old files) are cleared, negative numbers made whole.
template <class Pixel>
void clean_bits(Pixel* pixels, std::size_t count, const PixelLayout& layout) {
  if constexpr (std::is_integral_v<Pixel>) {
    using Unsigned = std::make_unsigned_t<Pixel>;
    if (layout.bits_stored == layout.bits_allocated) return;
    const int above = layout.bits_allocated - 1 - layout.high_bit;
    const int below = layout.bits_allocated - layout.bits_stored;
    for (std::size_t at = 0; at < count; ++at) {
      const auto shifted = static_cast<Pixel>(static_cast<Unsigned>(pixels[at]) << above);
      pixels[at] = static_cast<Pixel>(shifted >> below);  // of a signed one, copies its sign
    }
  }
}

/// Numbers of 32 bits that were swapped as words of 16.
void swap_halves(Uint16* words, std::size_t numbers) {
  for (std::size_t at = 0; at < numbers; ++at) std::swap(words[2 * at], words[2 * at + 1]);
}

/// PS3.3 C.7.6.3.1.2; `full` is the largest value.
std::array<double, 3> rgb_of_ybr(double y, double cb, double cr, double full) {
  const double zero = (full + 1) / 2;
  cb -= zero;
  cr -= zero;
  const auto clamped = [&](double value) { return std::clamp(value, 0.0, full); };
  return {clamped(y + 1.402 * cr), clamped(y - 0.344136 * cb - 0.714136 * cr), clamped(y + 1.772 * cb)};
}

/// Two pixels are Y Y Cb Cr.
std::vector<char> whole_samples_of_422(const std::vector<char>& halves) {
  std::vector<char> samples(halves.size() / 4 * 6);
  for (std::size_t from = 0, to = 0; from + 4 <= halves.size(); from += 4, to += 6) {
    for (const std::size_t pixel : {0U, 1U}) {
      samples[to + 3 * pixel] = halves[from + pixel];
      samples[to + 3 * pixel + 1] = halves[from + 2];
      samples[to + 3 * pixel + 2] = halves[from + 3];
    }
  }
  return samples;
}

template <class Sample>
void colours_to_grey(const Sample* samples, const PixelLayout& layout, float* grey) {
  const double full = std::exp2(layout.bits_stored) - 1;
  const std::size_t pixels = layout.pixels();
  const bool is_ybr = layout.photometric.starts_with("YBR_FULL");
  for (std::size_t at = 0; at < pixels; ++at) {
    std::array<double, 3> colour;
    for (std::size_t sample = 0; sample < 3; ++sample) {
      colour[sample] = samples[layout.is_planar ? sample * pixels + at : 3 * at + sample];
    }
    if (is_ybr) colour = rgb_of_ybr(colour[0], colour[1], colour[2], full);
    grey[at] = grey_of(colour[0], colour[1], colour[2]);
  }
}

/// Grey of every entry of a palette (PS3.3 C.7.6.3.1.5); the first stands for all numbers up to `first`.
struct Palette {
  int first = 0;
  std::vector<float> grey;
};

std::vector<double> entries_of(const fs::path& file, DcmItem& dataset, const DcmTagKey& data,
                               std::size_t count, int bits) {
  const Uint16* words = nullptr;
  unsigned long words_count = 0;
  dataset.findAndGetUint16Array(data, words, &words_count);
  const bool are_bytes = bits == 8 && words_count < count;  // two entries in a word
  if (words == nullptr || (are_bytes ? words_count * 2 : words_count) < count) {
    throw InputError(file, 0, "its palette of colours is missing or of a kind that cannot be read",
                     "Export it as grey or RGB.");
  }
  std::vector<double> entries(count);
  for (std::size_t at = 0; at < count; ++at) {
    const unsigned word = are_bytes ? (words[at / 2] >> (at % 2 * 8)) & 0xffU : words[at];
    entries[at] = bits == 8 ? word & 0xffU : word / 257.0;  // 65535 becomes 255
  }
  return entries;
}

Palette palette_of(const fs::path& file, DcmItem& dataset) {
  const std::vector<double> descriptor = numbers_of(dataset, DCM_RedPaletteColorLookupTableDescriptor);
  const auto is_short = [](double number) { return number >= -32768 && number <= 65535; };
  if (descriptor.size() != 3 || !std::ranges::all_of(descriptor, is_short) || descriptor[0] < 0) {
    throw InputError(file, 0, "its palette of colours has no size", "Export it as grey or RGB.");
  }
  const std::size_t count = descriptor[0] == 0 ? 65536 : static_cast<std::size_t>(descriptor[0]);
  const int bits = descriptor[2] > 8 ? 16 : 8;
  const auto channel = [&](const DcmTagKey& data) { return entries_of(file, dataset, data, count, bits); };
  const std::vector<double> red = channel(DCM_RedPaletteColorLookupTableData);
  const std::vector<double> green = channel(DCM_GreenPaletteColorLookupTableData);
  const std::vector<double> blue = channel(DCM_BluePaletteColorLookupTableData);
  Palette palette{.first = static_cast<int>(descriptor[1]), .grey = std::vector<float>(count)};
  for (std::size_t at = 0; at < count; ++at) palette.grey[at] = grey_of(red[at], green[at], blue[at]);
  return palette;
}

void look_up(const Palette& palette, const std::vector<char>& samples, const PixelLayout& layout,
             float* grey) {
  const auto last = static_cast<int>(palette.grey.size()) - 1;
  for (std::size_t at = 0; at < layout.pixels(); ++at) {
    int index = static_cast<unsigned char>(samples[at * static_cast<std::size_t>(layout.bits_allocated / 8)]);
    if (layout.bits_allocated == 16) index |= static_cast<unsigned char>(samples[2 * at + 1]) << 8;
    grey[at] = palette.grey[static_cast<std::size_t>(std::clamp(index - palette.first, 0, last))];
  }
}

/// Which items of the pixel sequence hold a frame (the first one is the table of offsets, PS3.5 A.4).
std::pair<unsigned long, unsigned long> items_of(const fs::path& file, DcmPixelSequence& sequence, int frame,
                                                 int frames) {
  const unsigned long fragments = sequence.card() - std::min(sequence.card(), 1UL);
  const auto number = static_cast<unsigned long>(frame);
  if (fragments == static_cast<unsigned long>(frames)) return {number + 1, number + 2};
  if (frames == 1 && fragments > 0) return {1, fragments + 1};
  DcmPixelItem* table = nullptr;
  Uint8* bytes = nullptr;
  sequence.getItem(table, 0);
  const std::size_t entries = table != nullptr ? table->getLength() / 4 : 0;
  if (entries != static_cast<std::size_t>(frames) || table->getUint8Array(bytes).bad()) {
    throw InputError(
        file, 0,
        fmt::format("its {} frames come in {} pieces without a table of which is which", frames, fragments),
        "Export it again, uncompressed.");
  }
  const auto offset_of = [&](std::size_t entry) {
    if (entry >= entries) return std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(bytes[4 * entry]) |
           static_cast<std::uint64_t>(bytes[4 * entry + 1]) << 8 |
           static_cast<std::uint64_t>(bytes[4 * entry + 2]) << 16 |
           static_cast<std::uint64_t>(bytes[4 * entry + 3]) << 24;
  };
  const std::uint64_t begin = offset_of(number), end = offset_of(number + 1);
  unsigned long first = 0, last = 0;
  std::uint64_t offset = 0;
  for (unsigned long at = 1; at <= fragments; ++at) {
    DcmPixelItem* item = nullptr;
    sequence.getItem(item, at);
    if (offset >= begin && first == 0) first = at;
    if (offset < end) last = at;
    offset += item->getLength() + 8;
  }
  if (first == 0) first = last + 1;
  return {first, last + 1};
}

/// For the whole process, once.
void register_decoders() {
  static const bool registered = [] {
    DJDecoderRegistration::registerCodecs();
    DJLSDecoderRegistration::registerCodecs();
    return true;
  }();
  static_cast<void>(registered);
}

}  // namespace

PixelType pixel_type_of(const PixelLayout& layout) {
  if (!layout.is_grey()) return PixelType::float32;
  if (layout.is_float) return layout.bits_allocated == 32 ? PixelType::float32 : PixelType::float64;
  switch (layout.bits_allocated) {
    case 8:
      return layout.is_signed ? PixelType::int8 : PixelType::uint8;
    case 16:
      return layout.is_signed ? PixelType::int16 : PixelType::uint16;
    default:
      return layout.is_signed ? PixelType::int32 : PixelType::uint32;
  }
}

struct FrameReader::Contents {
  fs::path file;
  PixelLayout layout;
  std::unique_ptr<DcmFileFormat> format;
  DcmElement* pixels = nullptr;
  DcmPixelSequence* fragments = nullptr;  ///< of compressed pixels
  E_TransferSyntax syntax = EXS_Unknown;
  int frames = 1;
  DcmFileCache cache;
  Palette palette;

  std::vector<char> packed(int frame) {
    const auto [first, last] = items_of(file, *fragments, frame, frames);
    std::vector<char> bytes;
    for (unsigned long at = first; at < last; ++at) {
      DcmPixelItem* item = nullptr;
      Uint8* piece = nullptr;
      if (fragments->getItem(item, at).bad() || item->getUint8Array(piece).bad()) refuse_short();
      if (piece != nullptr) bytes.insert(bytes.end(), piece, piece + item->getLength());
    }
    return bytes;
  }

  void read_plain(int frame, void* target, std::size_t bytes) {
    const std::uint64_t offset = static_cast<std::uint64_t>(frame) * bytes;
    if (offset + bytes > pixels->getLength()) refuse_short();
    if (pixels
            ->getPartialValue(target, static_cast<Uint32>(offset), static_cast<Uint32>(bytes), &cache,
                              gLocalByteOrder)
            .bad()) {
      refuse_short();
    }
    if (layout.bits_allocated == 32 && !layout.is_float && pixels->getVR() != EVR_OL &&
        DcmXfer(syntax).isBigEndian()) {
      swap_halves(static_cast<Uint16*>(target), bytes / 4);
    }
  }

  std::vector<char> unpacked(int frame) {
    const std::size_t size = layout.pixels() * static_cast<std::size_t>(layout.samples) *
                             static_cast<std::size_t>(layout.bits_allocated / 8);
    std::vector<char> bytes(size);
    if (syntax == EXS_RLELossless) {
      if (!decode_rle(packed(frame), layout, bytes)) refuse_packed("damaged, or of another size");
      layout.is_planar = false;
    } else if (syntax == EXS_JPEG2000 || syntax == EXS_JPEG2000LosslessOnly) {
      if (!decode_jpeg2000(packed(frame), layout, bytes)) refuse_packed("damaged, or of another size");
      layout.is_planar = false;
      if (layout.samples == 3)
        layout.photometric = "RGB";  // the decoder undoes the transformation of colours
    } else {
      unpack_jpeg(frame, bytes);
    }
    return bytes;
  }

  /// JPEG and JPEG-LS, with DCMTK.
  void unpack_jpeg(int frame, std::vector<char>& bytes) {
    if (!is_jpeg_of(layout, packed(frame))) refuse_packed("damaged, or of another size");
    bytes.resize(bytes.size() + bytes.size() % 2);  // it wants an even number
    auto first_fragment = static_cast<Uint32>(items_of(file, *fragments, frame, frames).first);
    OFString colours;
    const OFCondition outcome = static_cast<DcmPixelData*>(pixels)->getUncompressedFrame(
        format->getDataset(), static_cast<Uint32>(frame), first_fragment, bytes.data(),
        static_cast<Uint32>(bytes.size()), colours, &cache);
    if (outcome.bad()) refuse_packed(outcome.text());
    if (layout.samples == 3) layout.photometric = colours.c_str();
  }

  std::vector<char> samples(int frame) {
    if (fragments != nullptr) return unpacked(frame);
    std::vector<char> bytes(layout.frame_bytes());
    read_plain(frame, bytes.data(), bytes.size());
    return layout.photometric == "YBR_FULL_422" ? whole_samples_of_422(bytes) : bytes;
  }

  [[noreturn]] void refuse_packed(const char* why) const {
    throw InputError(
        file, 0, fmt::format("its pixels ({}) cannot be unpacked: {}", DcmXfer(syntax).getXferName(), why),
        "Export it again, uncompressed.");
  }

  [[noreturn]] void refuse_short() const {
    throw InputError(file, 0,
                     fmt::format("its pixels end too early: {} frames of {} x {} need {}, there are {}",
                                 frames, layout.columns, layout.rows,
                                 format_bytes(static_cast<std::size_t>(frames) * layout.frame_bytes()),
                                 format_bytes(pixels->getLength())),
                     "It was cut off: copy or export it again.");
  }
};

FrameReader::FrameReader(fs::path file, PixelLayout layout) : contents_(std::make_unique<Contents>()) {
  Contents& contents = *contents_;
  contents.file = std::move(file);
  contents.layout = std::move(layout);
  contents.format = open_dicom(contents.file);
  DcmDataset& dataset = *contents.format->getDataset();
  for (const DcmTagKey& tag : {DCM_PixelData, DCM_FloatPixelData, DCM_DoubleFloatPixelData}) {
    if (contents.pixels == nullptr) dataset.findAndGetElement(tag, contents.pixels);
  }
  if (contents.pixels == nullptr) throw InputError(contents.file, 0, "its pixels are gone", "Open it again.");
  contents.frames = std::max(whole_number_of(dataset, DCM_NumberOfFrames), 1);
  contents.syntax = dataset.getOriginalXfer();
  if (DcmXfer(contents.syntax).isEncapsulated()) {
    register_decoders();
    auto* pixel_data = dynamic_cast<DcmPixelData*>(contents.pixels);
    if (pixel_data == nullptr ||
        pixel_data->getEncapsulatedRepresentation(dataset.getOriginalXfer(), nullptr, contents.fragments)
            .bad()) {
      throw InputError(contents.file, 0, "its compressed pixels cannot be found", "Export it again.");
    }
  }
  if (contents.layout.photometric == "PALETTE COLOR") contents.palette = palette_of(contents.file, dataset);
}

FrameReader::~FrameReader() = default;

const fs::path& FrameReader::file() const {
  return contents_->file;
}

void FrameReader::read(int frame, std::byte* target) {
  Contents& contents = *contents_;
  const PixelLayout& layout = contents.layout;  // unpacking changes what it says of colours
  if (layout.is_grey()) {
    const std::size_t bytes = layout.pixels() * bytes_of(pixel_type_of(layout));
    if (contents.fragments != nullptr) {
      const std::vector<char> samples = contents.samples(frame);
      std::memcpy(target, samples.data(), bytes);
    } else {
      contents.read_plain(frame, target, bytes);
    }
    visit_pixel_type(pixel_type_of(layout), [&](auto pixel) {
      clean_bits(reinterpret_cast<decltype(pixel)*>(target), layout.pixels(), layout);
    });
    return;
  }
  auto* grey = reinterpret_cast<float*>(target);
  const std::vector<char> samples = contents.samples(frame);
  if (layout.photometric == "PALETTE COLOR") {
    look_up(contents.palette, samples, layout, grey);
  } else {
    PixelLayout sample = layout;
    sample.samples = 1;
    sample.photometric = "MONOCHROME2";
    visit_pixel_type(pixel_type_of(sample), [&](auto number) {
      colours_to_grey(reinterpret_cast<const decltype(number)*>(samples.data()), layout, grey);
    });
  }
}

}  // namespace isolume::images

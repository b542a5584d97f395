#include "core/dicom/frames/frame_reader.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dccodec.h>
#include <dcmtk/dcmdata/dcfcache.h>
#include <dcmtk/dcmdata/dcpixseq.h>
#include <dcmtk/dcmdata/dcpxitem.h>
#include <dcmtk/dcmjpeg/djdecode.h>
#include <dcmtk/dcmjpls/djdecode.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dicom/data/dicom_file.h"
#include "core/dicom/data/transfer_syntax.h"
#include "core/dicom/pixels/decode_jpeg2000.h"
#include "core/dicom/pixels/decode_jpeg_ls.h"
#include "core/dicom/pixels/decode_rle.h"
#include "core/dicom/pixels/jpeg_header.h"
#include "core/dicom/pixels/palette.h"
#include "core/images/colours.h"
#include "core/images/readers.h"

namespace isolume::dicom {
namespace {

namespace fs = std::filesystem;

/// Clears bits that do not belong to the number (overlays of old files), and extends the sign.
template <class Pixel>
void clean_bits(Pixel* pixels, std::size_t count, const PixelLayout& layout) {
  if constexpr (std::is_integral_v<Pixel>) {
    using Unsigned = std::make_unsigned_t<Pixel>;
    if (layout.bits_stored == layout.bits_allocated) return;
    const int above = layout.bits_allocated - 1 - layout.high_bit;
    const int below = layout.bits_allocated - layout.bits_stored;
    for (std::size_t at = 0; at < count; ++at) {
      const auto shifted = static_cast<Pixel>(static_cast<Unsigned>(pixels[at]) << above);
      pixels[at] = static_cast<Pixel>(shifted >> below);  // of a signed type, copies its sign
    }
  }
}

/// 32-bit numbers that were swapped as 16-bit words.
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
void take_colours(const Sample* samples, const PixelLayout& layout, const images::ColourTarget& target) {
  const double full = images::full_scale(layout.bits_stored);
  const std::size_t pixels = layout.pixels();
  const bool is_ybr = layout.photometric.starts_with("YBR_FULL");
  for (std::size_t at = 0; at < pixels; ++at) {
    std::array<double, 3> colour;
    for (std::size_t sample = 0; sample < 3; ++sample) {
      colour[sample] = samples[layout.is_planar ? sample * pixels + at : 3 * at + sample];
    }
    if (is_ybr) colour = rgb_of_ybr(colour[0], colour[1], colour[2], full);
    target.put(at, colour[0], colour[1], colour[2]);
  }
}

void look_up(const Palette& palette, const std::vector<char>& samples, const PixelLayout& layout,
             const images::ColourTarget& target) {
  const auto last = static_cast<int>(palette.colours.size()) - 1;
  for (std::size_t at = 0; at < layout.pixels(); ++at) {
    int index = static_cast<unsigned char>(samples[at * static_cast<std::size_t>(layout.bits_allocated / 8)]);
    if (layout.bits_allocated == 16) index |= static_cast<unsigned char>(samples[2 * at + 1]) << 8;
    const auto& [red, green, blue] =
        palette.colours[static_cast<std::size_t>(std::clamp(index - palette.first, 0, last))];
    target.put(at, red, green, blue);
  }
}

/// Compressed pixels are in fragments, one or several for each frame, after a first item with a table of offsets
/// (PS3.5 A.4).
class Fragments {
 public:
  Fragments(const fs::path& file, DcmItem& dataset, DcmPixelSequence& sequence, int frames,
            PixelPacking packing, Remarks& remarks)
      : sequence_(sequence), pieces_(sequence.card() - std::min(sequence.card(), 1UL)) {
    const auto count = static_cast<std::size_t>(frames);
    if (pieces_ < count) {
      throw InputError(file, 0,
                       fmt::format("it promises {} frames, but holds {} pieces of them", frames, pieces_),
                       "It was cut off: copy or export it again.");
    }
    if (pieces_ == count) {
      for (std::size_t piece = 0; piece < count; ++piece) begins_.push_back(piece);
    } else {
      // The fragments themselves are inspected first, as tables are often wrong.
      begins_ = beginnings_of_streams(packing, frames == 1);
      if (begins_.size() < count) begins_ = beginnings_by_table(dataset);
      if (frames == 1 && begins_.empty()) begins_ = {0};
    }
    if (begins_.size() > count) {
      const std::size_t surplus = pieces_ - begins_[count];
      remarks.dropped(
          fmt::format("It promises {} frame{}, but holds {} more piece{} of pixels, which {} not read.",
                      frames, frames == 1 ? "" : "s", surplus, surplus == 1 ? "" : "s",
                      surplus == 1 ? "is" : "are"),
          surplus);
      pieces_ = begins_[count];
      begins_.resize(count);
    }
    if (begins_.size() != count) {
      throw InputError(
          file, 0,
          fmt::format("its {} frames come in {} pieces, and its table of offsets does not say which "
                      "belong together",
                      frames, pieces_),
          "Export it again, uncompressed.");
    }
    begins_.push_back(pieces_);
  }

  /// The compressed bytes of a frame; nothing if they cannot be read.
  std::optional<std::vector<char>> of_frame(int frame) {
    const auto number = static_cast<std::size_t>(frame);
    std::vector<char> bytes;
    for (std::size_t at = begins_[number]; at < begins_[number + 1]; ++at) {
      DcmPixelItem* item = piece(at);
      Uint8* data = nullptr;
      if (item == nullptr || item->getUint8Array(data).bad()) return std::nullopt;
      if (data != nullptr) bytes.insert(bytes.end(), data, data + item->getLength());
    }
    return bytes;
  }

 private:
  DcmPixelItem* piece(std::size_t at) {
    DcmPixelItem* item = nullptr;
    return sequence_.getItem(item, static_cast<unsigned long>(at + 1)).good() ? item : nullptr;
  }

  /// The fragments that begin like a stream of JPEG, JPEG-LS or JPEG 2000; of run lengths only where one frame is
  /// promised, as they have no mark of their own.
  std::vector<std::size_t> beginnings_of_streams(PixelPacking packing, bool is_one) {
    std::vector<std::size_t> found;
    if (packing == PixelPacking::rle && !is_one) return found;
    for (std::size_t at = 0; at < pieces_; ++at) {
      std::array<Uint8, 8> start{};
      DcmPixelItem* item = piece(at);
      const bool is_there =
          item != nullptr && item->getLength() >= start.size() &&
          item->getPartialValue(start.data(), 0, start.size(), &cache_, EBO_LittleEndian).good();
      if (is_there && begins_stream(packing, start)) found.push_back(at);
    }
    if (!found.empty() && found.front() != 0) found.clear();
    return found;
  }

  static bool begins_stream(PixelPacking packing, const std::array<Uint8, 8>& start) {
    if (packing == PixelPacking::rle)  // number of segments, and where the first begins (PS3.5 G.5)
      return start[0] >= 1 && start[0] <= 15 && start[4] == 64 && start[1] + start[2] + start[3] == 0 &&
             start[5] + start[6] + start[7] == 0;
    return start[0] == 0xff && start[1] == (packing == PixelPacking::jpeg2000 ? 0x4f : 0xd8) &&
           start[2] == 0xff;
  }

  /// Nothing if an offset does not match a fragment.
  std::vector<std::size_t> beginnings_by_table(DcmItem& dataset) {
    const std::vector<std::uint64_t> offsets = table_of(dataset);
    std::vector<std::size_t> found;
    std::uint64_t offset = 0;
    for (std::size_t at = 0; at < pieces_ && found.size() < offsets.size(); ++at) {
      if (offset == offsets[found.size()]) found.push_back(at);
      DcmPixelItem* item = piece(at);
      offset += (item != nullptr ? item->getLength() : 0) + std::uint64_t{8};
    }
    if (found.size() != offsets.size()) found.clear();
    return found;
  }

  /// The extended table, if there is one (PS3.3 C.7.6.3.1.8).
  std::vector<std::uint64_t> table_of(DcmItem& dataset) {
    std::vector<std::uint64_t> offsets;
    DcmElement* extended = nullptr;
    DcmPixelItem* item = nullptr;
    Uint8* bytes = nullptr;
    const Uint64* numbers = nullptr;
    unsigned long count = 0;
    if (dataset.findAndGetElement(DCM_ExtendedOffsetTable, extended).good() &&
        dataset.findAndGetUint64Array(DCM_ExtendedOffsetTable, numbers, &count).good() && count > 0) {
      offsets.assign(numbers, numbers + count);
    } else if (sequence_.getItem(item, 0).good() && item->getUint8Array(bytes).good() && bytes != nullptr) {
      for (std::size_t at = 0; at + 4 <= item->getLength(); at += 4) {
        offsets.push_back(bytes[at] | std::uint64_t{bytes[at + 1]} << 8 | std::uint64_t{bytes[at + 2]} << 16 |
                          std::uint64_t{bytes[at + 3]} << 24);
      }
    }
    return offsets;
  }

  DcmPixelSequence& sequence_;
  std::size_t pieces_;
  std::vector<std::size_t> begins_;  ///< the first fragment of each frame, and the end
  DcmFileCache cache_;
};

/// Once per process.
void register_decoders() {
  static const bool registered = [] {
    DJDecoderRegistration::registerCodecs();
    DJLSDecoderRegistration::registerCodecs();
    return true;
  }();
  static_cast<void>(registered);
}

}  // namespace

images::PixelType pixel_type_of(const PixelLayout& layout) {
  if (!layout.is_grey()) return images::PixelType::float32;
  if (layout.is_float)
    return layout.bits_allocated == 32 ? images::PixelType::float32 : images::PixelType::float64;
  switch (layout.bits_allocated) {
    case 8:
      return layout.is_signed ? images::PixelType::int8 : images::PixelType::uint8;
    case 16:
      return layout.is_signed ? images::PixelType::int16 : images::PixelType::uint16;
    default:
      return layout.is_signed ? images::PixelType::int32 : images::PixelType::uint32;
  }
}

double full_colour_of(const PixelLayout& layout) {
  return layout.photometric == "PALETTE COLOR" ? 255 : images::full_scale(layout.bits_stored);
}

struct FrameReader::Contents {
  fs::path file;
  PixelLayout layout;
  std::unique_ptr<DcmFileFormat> format;
  DcmElement* pixels = nullptr;
  std::optional<Fragments> fragments;  ///< of compressed pixels
  E_TransferSyntax syntax = EXS_Unknown;
  PixelPacking packing = PixelPacking::none;
  int frames = 1;
  DcmFileCache cache;
  Palette palette;
  std::string header_colours;
  Remarks remarks;

  std::vector<char> packed_bytes(int frame) {
    auto bytes = fragments->of_frame(frame);
    if (!bytes) refuse_short();
    return std::move(*bytes);
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
    if (packing == PixelPacking::rle) {
      if (!decode_rle(packed_bytes(frame), layout, bytes)) refuse_packed("damaged, or of another size");
      layout.is_planar = false;
    } else if (packing == PixelPacking::jpeg2000) {
      if (!decode_jpeg2000(packed_bytes(frame), layout, bytes)) refuse_packed("damaged, or of another size");
      layout.is_planar = false;
      if (layout.samples == 3) layout.photometric = "RGB";  // the decoder reverses the colour transformation
    } else if (packing == PixelPacking::jpeg_ls && can_decode_jpeg_ls()) {
      if (!decode_jpeg_ls(packed_bytes(frame), layout, bytes)) refuse_packed("damaged, or of another size");
      layout.is_planar = false;
    } else {
      unpack_jpeg(frame, bytes);
    }
    return bytes;
  }

  /// JPEG and JPEG-LS, with DCMTK, which is given a single frame.
  void unpack_jpeg(int frame, std::vector<char>& bytes) {
    const std::vector<char> stream = packed_bytes(frame);
    const auto header = jpeg_header(stream);
    if (!header || !can_be_unpacked(*header, layout, stream)) refuse_packed("damaged, or of another size");
    set_colours(header->colours);
    DcmPixelSequence alone(DCM_PixelSequenceTag);
    auto* pixels_of_frame = new DcmPixelItem(DCM_PixelItemTag);
    alone.insert(new DcmPixelItem(DCM_PixelItemTag));  // no offset table
    alone.insert(pixels_of_frame);                     // the sequence owns both
    if (pixels_of_frame
            ->putUint8Array(reinterpret_cast<const Uint8*>(stream.data()), static_cast<Uint32>(stream.size()))
            .bad()) {
      throw std::bad_alloc();
    }
    bytes.resize(bytes.size() + bytes.size() % 2);  // must be even
    Uint32 fragment = 1;
    OFString colours;
    const OFCondition outcome =
        DcmCodecList::decodeFrame(DcmXfer(syntax), nullptr, &alone, format->getDataset(), 0, fragment,
                                  bytes.data(), static_cast<Uint32>(bytes.size()), colours);
    if (outcome.bad()) refuse_packed(outcome.text());
    if (layout.samples == 3) layout.photometric = colours.c_str();
  }

  /// DCMTK relies on the header for colours, which sometimes differs from the stream.
  void set_colours(JpegHeader::Colours told) {
    DcmDataset& dataset = *format->getDataset();
    dataset.putAndInsertString(DCM_NumberOfFrames, "1");
    if (layout.samples != 3 || packing == PixelPacking::jpeg_ls) return;
    const bool says_ycbcr = header_colours.starts_with("YBR");
    const bool is_ycbcr =
        told == JpegHeader::Colours::untold ? says_ycbcr : told == JpegHeader::Colours::ycbcr;
    if (is_ycbcr != says_ycbcr) {
      remarks.corrected(fmt::format(
          "The header calls its colours {}, but the JPEG stream holds {}: they are read as the stream says.",
          header_colours, is_ycbcr ? "YCbCr" : "RGB"));
    }
    dataset.putAndInsertString(DCM_PhotometricInterpretation, is_ycbcr ? "YBR_FULL" : "RGB");
  }

  std::vector<char> samples(int frame) {
    if (fragments) return unpacked(frame);
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
    const auto [wanted, there] = images::format_unequal_bytes(
        static_cast<std::size_t>(frames) * layout.frame_bytes(), pixels->getLength());
    throw InputError(file, 0,
                     fmt::format("its pixels end too early: {} frames of {} × {} need {}, there are {}",
                                 frames, layout.columns, layout.rows, wanted, there),
                     "It was cut off: copy or export it again.");
  }
};

FrameReader::FrameReader(fs::path file, PixelLayout layout) : contents_(std::make_unique<Contents>()) {
  Contents& contents = *contents_;
  contents.file = std::move(file);
  contents.layout = std::move(layout);
  contents.header_colours = contents.layout.photometric;
  contents.format = open_dicom(contents.file);
  DcmDataset& dataset = *contents.format->getDataset();
  for (const DcmTagKey& tag : {DCM_PixelData, DCM_FloatPixelData, DCM_DoubleFloatPixelData}) {
    if (contents.pixels == nullptr) dataset.findAndGetElement(tag, contents.pixels);
  }
  if (contents.pixels == nullptr) throw InputError(contents.file, 0, "its pixels are gone", "Open it again.");
  contents.frames = std::max(whole_number_of(dataset, DCM_NumberOfFrames), 1);
  contents.syntax = dataset.getOriginalXfer();
  contents.packing = packing_of(*contents.format);
  if (contents.packing != PixelPacking::none) {
    register_decoders();
    auto* pixel_data = dynamic_cast<DcmPixelData*>(contents.pixels);
    DcmPixelSequence* sequence = nullptr;
    E_TransferSyntax stored = contents.syntax;  // syntax that DCMTK substitutes for unknown ones
    const DcmRepresentationParameter* parameter = nullptr;
    if (pixel_data != nullptr) pixel_data->getOriginalRepresentationKey(stored, parameter);
    if (pixel_data == nullptr ||
        pixel_data->getEncapsulatedRepresentation(stored, parameter, sequence).bad()) {
      throw InputError(contents.file, 0, "its compressed pixels cannot be found", "Export it again.");
    }
    contents.fragments.emplace(contents.file, dataset, *sequence, contents.frames, contents.packing,
                               contents.remarks);
  }
  if (contents.layout.photometric == "PALETTE COLOR") contents.palette = palette_of(contents.file, dataset);
}

FrameReader::~FrameReader() = default;

const fs::path& FrameReader::file() const {
  return contents_->file;
}

const Remarks& FrameReader::remarks() const {
  return contents_->remarks;
}

void FrameReader::read(int frame, std::byte* target, std::uint8_t* colours) {
  Contents& contents = *contents_;
  const PixelLayout& layout = contents.layout;  // decoding changes its description of colours
  if (layout.is_grey()) {
    const std::size_t bytes = layout.pixels() * bytes_of(pixel_type_of(layout));
    if (contents.fragments) {
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
  const images::ColourTarget colour_target(reinterpret_cast<float*>(target), colours, full_colour_of(layout));
  const std::vector<char> samples = contents.samples(frame);
  if (layout.photometric == "PALETTE COLOR") {
    look_up(contents.palette, samples, layout, colour_target);
  } else {
    PixelLayout sample = layout;
    sample.samples = 1;
    sample.photometric = "MONOCHROME2";
    visit_pixel_type(pixel_type_of(sample), [&](auto number) {
      take_colours(reinterpret_cast<const decltype(number)*>(samples.data()), layout, colour_target);
    });
  }
}

}  // namespace isolume::dicom

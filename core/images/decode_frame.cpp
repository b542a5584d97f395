#include "core/images/decode_frame.h"

#include <array>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <gdcmDataElement.h>
#include <gdcmFragment.h>
#include <gdcmJPEG2000Codec.h>
#include <gdcmJPEGCodec.h>
#include <gdcmJPEGLSCodec.h>
#include <gdcmPhotometricInterpretation.h>
#include <gdcmPixelFormat.h>
#include <gdcmRLECodec.h>
#include <gdcmSequenceOfFragments.h>
#include <gdcmTrace.h>
#include <gdcmTransferSyntax.h>

#include "core/base/error.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<gdcm::ImageCodec> make_codec(const gdcm::TransferSyntax& syntax, std::size_t frame_bytes) {
  if (gdcm::RLECodec().CanDecode(syntax)) {
    auto codec = std::make_unique<gdcm::RLECodec>();
    codec->SetBufferLength(frame_bytes);
    codec->SetLength(frame_bytes);
    return codec;
  }
  if (gdcm::JPEGCodec().CanDecode(syntax)) return std::make_unique<gdcm::JPEGCodec>();
  if (gdcm::JPEGLSCodec().CanDecode(syntax)) {
    auto codec = std::make_unique<gdcm::JPEGLSCodec>();
    codec->SetBufferLength(frame_bytes);
    return codec;
  }
  if (gdcm::JPEG2000Codec().CanDecode(syntax)) return std::make_unique<gdcm::JPEG2000Codec>();
  return nullptr;
}

std::unique_ptr<gdcm::ImageCodec> codec_for(const gdcm::TransferSyntax& syntax, const PixelLayout& layout,
                                            std::size_t frame_bytes) {
  std::unique_ptr<gdcm::ImageCodec> codec = make_codec(syntax, frame_bytes);
  if (!codec) return nullptr;
  // The pixels' format last: the codec of JPEG then hands what it was told to one for the number of bits.
  const std::array<unsigned, 3> dimensions{static_cast<unsigned>(layout.columns),
                                           static_cast<unsigned>(layout.rows), 1};
  codec->SetNumberOfDimensions(2);
  codec->SetDimensions(dimensions.data());
  codec->SetPlanarConfiguration(0);
  codec->SetPhotometricInterpretation(gdcm::PhotometricInterpretation::GetPIType(layout.photometric.c_str()));
  const auto bits = [](int number) { return static_cast<unsigned short>(number); };
  codec->SetPixelFormat(gdcm::PixelFormat(bits(layout.samples), bits(layout.bits_allocated),
                                          bits(layout.bits_stored), bits(layout.high_bit),
                                          layout.is_signed ? 1 : 0));
  return codec;
}

/// The codecs trust the sizes in the packed data: they must be the frame's. RLE has none.
bool has_sizes_of(const PixelLayout& layout, gdcm::ImageCodec& codec, gdcm::TransferSyntax syntax,
                  const std::vector<char>& packed) {
  if (syntax == gdcm::TransferSyntax::RLELossless) return true;
  std::istringstream stream(std::string(packed.data(), packed.size()));
  if (!codec.GetHeaderInfo(stream, syntax)) return false;
  const unsigned* found = codec.GetDimensions();
  return found[0] == static_cast<unsigned>(layout.columns) &&
         found[1] == static_cast<unsigned>(layout.rows) &&
         codec.GetPixelFormat().GetSamplesPerPixel() == layout.samples &&
         codec.GetPixelFormat().GetBitsAllocated() == layout.bits_allocated;
}

bool decode(const std::string& transfer_syntax, const PixelLayout& layout, const std::vector<char>& packed,
            std::vector<char>& pixels) {
  const gdcm::TransferSyntax syntax(gdcm::TransferSyntax::GetTSType(transfer_syntax.c_str()));
  const auto reads_sizes = codec_for(syntax, layout, pixels.size());
  if (!reads_sizes || !has_sizes_of(layout, *reads_sizes, syntax, packed)) return false;
  const auto codec = codec_for(syntax, layout, pixels.size());
  gdcm::Fragment fragment;
  fragment.SetByteValue(packed.data(), gdcm::VL(static_cast<std::uint32_t>(packed.size())));
  const gdcm::SmartPointer<gdcm::SequenceOfFragments> fragments = gdcm::SequenceOfFragments::New();
  fragments->AddFragment(fragment);
  gdcm::DataElement input(gdcm::Tag(0x7fe0, 0x0010)), output;
  input.SetValue(*fragments);
  if (!codec->Decode(input, output)) return false;
  const gdcm::ByteValue* decoded = output.GetByteValue();
  if (decoded == nullptr || decoded->GetLength() < pixels.size()) return false;
  return decoded->GetBuffer(pixels.data(), pixels.size());
}

}  // namespace

std::vector<char> decode_frame(const fs::path& file, const std::string& transfer_syntax,
                               const PixelLayout& layout, const std::vector<char>& packed) {
  gdcm::Trace::DebugOff();
  gdcm::Trace::WarningOff();
  gdcm::Trace::ErrorOff();
  std::vector<char> pixels(layout.pixels() * static_cast<std::size_t>(layout.samples) *
                           static_cast<std::size_t>(layout.bits_allocated / 8));
  std::string problem = "its compressed pixels are damaged or do not have the size that its header says";
  try {
    if (decode(transfer_syntax, layout, packed, pixels)) return pixels;
  } catch (const std::exception& error) {
    problem += fmt::format(" ({})", quoted(error.what(), 80));
  }
  const gdcm::TransferSyntax::TSType type = gdcm::TransferSyntax::GetTSType(transfer_syntax.c_str());
  const bool is_known = type != gdcm::TransferSyntax::TS_END && make_codec(type, 0) != nullptr;
  if (!is_known) problem = fmt::format("its compression ({}) is not known", transfer_syntax);
  throw InputError(file, 0, problem, "Export it again, uncompressed.");
}

}  // namespace isolume::images

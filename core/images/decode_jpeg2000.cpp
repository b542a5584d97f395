#include "core/images/decode_jpeg2000.h"

#include <array>
#include <exception>
#include <sstream>
#include <string>

#include <gdcmDataElement.h>
#include <gdcmFragment.h>
#include <gdcmJPEG2000Codec.h>
#include <gdcmPhotometricInterpretation.h>
#include <gdcmPixelFormat.h>
#include <gdcmSequenceOfFragments.h>
#include <gdcmTrace.h>
#include <gdcmTransferSyntax.h>

namespace isolume::images {
namespace {

void describe(gdcm::JPEG2000Codec& codec, const PixelLayout& layout) {
  const std::array<unsigned, 3> dimensions{static_cast<unsigned>(layout.columns),
                                           static_cast<unsigned>(layout.rows), 1};
  codec.SetNumberOfDimensions(2);
  codec.SetDimensions(dimensions.data());
  codec.SetPlanarConfiguration(0);
  codec.SetPhotometricInterpretation(gdcm::PhotometricInterpretation::GetPIType(layout.photometric.c_str()));
  const auto bits = [](int number) { return static_cast<unsigned short>(number); };
  codec.SetPixelFormat(gdcm::PixelFormat(bits(layout.samples), bits(layout.bits_allocated),
                                         bits(layout.bits_stored), bits(layout.high_bit),
                                         layout.is_signed ? 1 : 0));
}

/// The decoder trusts the sizes in the packed data: they must be the frame's.
bool has_sizes_of(const PixelLayout& layout, const std::vector<char>& packed) {
  gdcm::JPEG2000Codec codec;
  describe(codec, layout);
  std::istringstream stream(std::string(packed.data(), packed.size()));
  gdcm::TransferSyntax syntax;
  if (!static_cast<gdcm::ImageCodec&>(codec).GetHeaderInfo(stream, syntax)) return false;
  const unsigned* found = codec.GetDimensions();
  return found[0] == static_cast<unsigned>(layout.columns) &&
         found[1] == static_cast<unsigned>(layout.rows) &&
         codec.GetPixelFormat().GetSamplesPerPixel() == layout.samples &&
         codec.GetPixelFormat().GetBitsAllocated() == layout.bits_allocated;
}

bool decode(const std::vector<char>& packed, const PixelLayout& layout, std::vector<char>& pixels) {
  if (!has_sizes_of(layout, packed)) return false;
  gdcm::JPEG2000Codec codec;
  describe(codec, layout);
  gdcm::Fragment fragment;
  fragment.SetByteValue(packed.data(), gdcm::VL(static_cast<std::uint32_t>(packed.size())));
  const gdcm::SmartPointer<gdcm::SequenceOfFragments> fragments = gdcm::SequenceOfFragments::New();
  fragments->AddFragment(fragment);
  gdcm::DataElement input(gdcm::Tag(0x7fe0, 0x0010)), output;
  input.SetValue(*fragments);
  if (!codec.Decode(input, output)) return false;
  const gdcm::ByteValue* decoded = output.GetByteValue();
  return decoded != nullptr && decoded->GetLength() >= pixels.size() &&
         decoded->GetBuffer(pixels.data(), pixels.size());
}

}  // namespace

bool decode_jpeg2000(const std::vector<char>& packed, const PixelLayout& layout, std::vector<char>& pixels) {
  gdcm::Trace::DebugOff();
  gdcm::Trace::WarningOff();
  gdcm::Trace::ErrorOff();
  try {
    return decode(packed, layout, pixels);
  } catch (const std::exception&) {  // of GDCM
    return false;
  }
}

}  // namespace isolume::images

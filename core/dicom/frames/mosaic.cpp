#include "core/dicom/frames/mosaic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/dicom/data/dicom_file.h"
#include "core/dicom/data/private_values.h"

namespace isolume::dicom {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_mosaic(const fs::path& file, std::string_view why) {
  throw InputError(file, 0,
                   fmt::format("this is a mosaic, many slices side by side in one picture, and {}", why),
                   "Export the series as enhanced MR, or convert it to NIfTI (dcm2niix).");
}

/// Numbers in Siemens' CSA header by the name of their element; nothing if it is missing, cut off, or older than
/// "SV10". Throws InputError if one is not a number. Format as documented by nibabel: after 8 bytes the number of elements, then for each a name of 64 bytes,
/// 16 bytes more, the number of its items and 4 bytes; before each item 16 bytes with its length in the second four,
/// padded to four bytes.
class CsaHeader {
 public:
  CsaHeader(const fs::path& file, std::span<const Uint8> bytes) : file_(file), bytes_(bytes) {}

  std::vector<double> numbers(std::string_view wanted, Remarks& remarks) {
    at_ = 8;
    if (bytes_.size() < 16 || std::memcmp(bytes_.data(), "SV10", 4) != 0) return {};
    const std::uint32_t elements = whole();
    at_ += 4;
    for (std::uint32_t element = 0; element < elements && at_ + 84 <= bytes_.size(); ++element) {
      const auto* name = reinterpret_cast<const char*>(bytes_.data() + at_);
      const bool is_wanted = std::string_view(name, ::strnlen(name, 64)) == wanted;
      at_ += 76;
      const std::uint32_t items = whole();
      at_ += 4;
      std::vector<double> found;
      for (std::uint32_t item = 0; item < items; ++item) {
        const std::optional<std::string_view> text = next_item();
        if (!text) return {};
        if (!is_wanted || text->empty()) continue;
        const ReadNumbers read = numbers_in(*text, true);
        if (read.numbers.empty())
          refuse_mosaic(file_, fmt::format("the CSA header's {} is {}, which is not a number", wanted,
                                           isolume::quoted(*text, 64)));
        if (read.has_commas)
          remarks.corrected(fmt::format(
              "The CSA header's {} is written with a decimal comma, which is read as a decimal point.",
              wanted));
        found.push_back(read.numbers.front());
      }
      if (is_wanted) return found;
    }
    return {};
  }

 private:
  std::uint32_t whole() {
    std::uint32_t number = 0;
    if (at_ + 4 <= bytes_.size()) std::memcpy(&number, bytes_.data() + at_, 4);  // little-endian in all files
    at_ += 4;
    return number;
  }
  std::optional<std::string_view> next_item() {
    if (at_ + 16 > bytes_.size()) return std::nullopt;
    at_ += 4;
    const std::size_t length = whole();
    at_ += 8;
    if (length > bytes_.size() - at_) return std::nullopt;
    const auto* text = reinterpret_cast<const char*>(bytes_.data() + at_);
    at_ = std::min(at_ + (length + 3) / 4 * 4, bytes_.size());
    return std::string_view(text, ::strnlen(text, length));
  }

  const fs::path& file_;
  std::span<const Uint8> bytes_;
  std::size_t at_ = 0;
};

/// The bytes of a private element; none if it is missing.
std::span<const Uint8> private_bytes(DcmItem& dataset, Uint16 group, std::string_view creator,
                                     Uint16 element) {
  const auto tag = private_tag(dataset, group, creator, element);
  DcmElement* found = nullptr;
  Uint8* bytes = nullptr;
  if (!tag || dataset.findAndGetElement(*tag, found).bad() || found->getUint8Array(bytes).bad() ||
      bytes == nullptr)
    return {};
  return {bytes, found->getLength()};
}

/// Image Orientation and, for the whole picture, Image Position (Patient).
std::optional<Frame::Place> place_in(const FrameAttributes& of, DcmItem& position) {
  return place_at(of.numbers(position, DCM_ImagePositionPatient),
                  of.numbers(of.dataset(), DCM_ImageOrientationPatient));
}

/// Rows and columns of tiles for this many slices; nothing if the picture cannot be divided accordingly.
void part(const fs::path& file, Mosaic& mosaic, const PixelLayout& layout, std::size_t slices,
          bool is_square) {
  const int count = static_cast<int>(slices);
  mosaic.across = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count))));
  mosaic.down = is_square ? mosaic.across : (count + mosaic.across - 1) / mosaic.across;
  if (count > 0 && layout.columns % mosaic.across == 0 && layout.rows % mosaic.down == 0) return;
  refuse_mosaic(file, fmt::format("its {} × {} pixels cannot be parted into {} slices", layout.columns,
                                  layout.rows, slices));
}

Mosaic of_siemens(const fs::path& file, const FrameAttributes& of, const PixelLayout& layout) {
  DcmItem& dataset = of.dataset();
  CsaHeader csa(file, private_bytes(dataset, 0x0029, "SIEMENS CSA HEADER", 0x10));
  std::vector<double> count = csa.numbers("NumberOfImagesInMosaic", of.remarks());
  if (count.empty()) {
    if (const auto tag = private_tag(dataset, 0x0019, "SIEMENS MR HEADER", 0x0a))
      count = of.numbers(dataset, *tag);
  }
  if (count.empty()) refuse_mosaic(file, "the file does not say of how many");
  constexpr double most_slices = 10000;
  if (!(count[0] >= 1 && count[0] <= most_slices && std::trunc(count[0]) == count[0]))
    refuse_mosaic(file, fmt::format("the file says that they are {:g}", count[0]));
  Mosaic mosaic;
  part(file, mosaic, layout, static_cast<std::size_t>(count[0]), true);
  auto place = place_in(of, dataset);
  const std::vector<double> spacing = of.numbers(dataset, DCM_PixelSpacing);
  const double step_mm = of.number(dataset, DCM_SpacingBetweenSlices).value_or(0);
  const std::vector<double> direction = csa.numbers("SliceNormalVector", of.remarks());
  if (!place || spacing.size() != 2 || step_mm <= 0)
    refuse_mosaic(file,
                  "the file does not say where they lie (position, orientation, pixel spacing or "
                  "Spacing Between Slices is missing)");
  if (direction.size() < 3)
    refuse_mosaic(file,
                  "the file does not say in which direction they follow each other (the CSA header's "
                  "SliceNormalVector is missing)");
  Eigen::Vector3d normal = place->x.cross(place->y).normalized();
  const double along = normal.dot(Eigen::Vector3d(direction[0], direction[1], direction[2]));
  constexpr double parallel = 0.99;
  if (std::abs(along) < parallel)
    refuse_mosaic(file, "the CSA header's SliceNormalVector is not perpendicular to them");
  if (along < 0) normal = -normal;
  const double columns = layout.columns / mosaic.across, rows = layout.rows / mosaic.down;
  place->position_mm += place->x * spacing[1] * (layout.columns - columns) / 2 +
                        place->y * spacing[0] * (layout.rows - rows) / 2;
  for (int slice = 0; slice < static_cast<int>(count[0]); ++slice) {
    mosaic.places.push_back(*place);
    place->position_mm += step_mm * normal;
  }
  return mosaic;
}

Mosaic of_united_imaging(const fs::path& file, const FrameAttributes& of, const PixelLayout& layout) {
  DcmItem& dataset = of.dataset();
  const auto tag = private_tag(dataset, 0x0065, "Image Private Header", 0x51);
  DcmSequenceOfItems* slices = nullptr;
  if (!tag || dataset.findAndGetSequence(*tag, slices).bad() || slices->card() == 0)
    refuse_mosaic(file, "the file does not describe them one by one (0065,xx51)");
  Mosaic mosaic;
  part(file, mosaic, layout, slices->card(), false);
  for (unsigned long slice = 0; slice < slices->card(); ++slice) {
    const auto place = place_in(of, *slices->getItem(slice));
    if (!place)
      refuse_mosaic(
          file, fmt::format("the file does not say where slice {} of {} lies", slice + 1, slices->card()));
    mosaic.places.push_back(*place);
  }
  return mosaic;
}

bool has_kind(DcmItem& dataset, std::string_view wanted) {
  return std::ranges::count(values_of(text_of(dataset, DCM_ImageType)), wanted) > 0;
}

}  // namespace

bool is_mosaic(DcmItem& dataset) {
  return has_kind(dataset, "MOSAIC") || has_kind(dataset, "VFRAME");
}

Mosaic mosaic_of(const fs::path& file, const FrameAttributes& of, const PixelLayout& layout) {
  if (of.number(of.dataset(), DCM_NumberOfFrames).value_or(1) > 1)
    refuse_mosaic(file, "there are several of them in the file");
  if (!layout.is_grey()) refuse_mosaic(file, "it has colours");
  return has_kind(of.dataset(), "MOSAIC") ? of_siemens(file, of, layout)
                                          : of_united_imaging(file, of, layout);
}

}  // namespace isolume::dicom

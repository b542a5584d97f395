#include "core/images/dicom_frames.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/images/dicom_file.h"
#include "core/images/readers.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;

/// Where a frame's attributes are looked for: its functional groups, those that all frames share (multi-frame
/// files of the enhanced kind, PS3.3 C.7.6.16), the data set itself.
struct Places {
  DcmItem* frame = nullptr;
  DcmItem* shared = nullptr;
  DcmItem* dataset = nullptr;

  /// The numbers of an attribute, which in functional groups is an item of the sequence given.
  std::vector<double> numbers(const DcmTagKey& sequence, const DcmTagKey& tag) const {
    DcmItem* place = find(sequence, tag);
    return place != nullptr ? numbers_of(*place, tag) : std::vector<double>{};
  }
  std::string text(const DcmTagKey& sequence, const DcmTagKey& tag) const {
    DcmItem* place = find(sequence, tag);
    return place != nullptr ? text_of(*place, tag) : std::string{};
  }

 private:
  DcmItem* find(const DcmTagKey& sequence, const DcmTagKey& tag) const {
    for (DcmItem* groups : {frame, shared}) {
      DcmItem* item = groups != nullptr ? item_of(*groups, sequence) : nullptr;
      if (item != nullptr && item->tagExistsWithValue(tag)) return item;
    }
    return dataset->tagExistsWithValue(tag) ? dataset : nullptr;
  }
};

PixelLayout layout_of(DcmItem& dataset) {
  PixelLayout layout;
  layout.columns = whole_number_of(dataset, DCM_Columns);
  layout.rows = whole_number_of(dataset, DCM_Rows);
  layout.samples = std::max(whole_number_of(dataset, DCM_SamplesPerPixel), 1);
  layout.bits_allocated = whole_number_of(dataset, DCM_BitsAllocated);
  layout.bits_stored = whole_number_of(dataset, DCM_BitsStored);
  if (layout.bits_stored == 0) layout.bits_stored = layout.bits_allocated;
  layout.high_bit = dataset.tagExistsWithValue(DCM_HighBit) ? whole_number_of(dataset, DCM_HighBit)
                                                            : layout.bits_stored - 1;
  layout.is_signed = whole_number_of(dataset, DCM_PixelRepresentation) == 1;
  layout.is_float = dataset.tagExists(DCM_FloatPixelData) || dataset.tagExists(DCM_DoubleFloatPixelData);
  layout.is_planar = layout.samples > 1 && whole_number_of(dataset, DCM_PlanarConfiguration) == 1;
  layout.photometric = text_of(dataset, DCM_PhotometricInterpretation);
  if (layout.photometric.empty()) layout.photometric = "MONOCHROME2";
  return layout;
}

void require_readable(const fs::path& file, DcmItem& dataset, const PixelLayout& layout) {
  const auto refuse = [&](const std::string& problem, std::string_view remedy) {
    throw InputError(file, 0, problem, remedy);
  };
  if (!dataset.tagExists(DCM_PixelData) && !layout.is_float) {
    refuse("this DICOM file holds no image", "Choose another.");
  }
  require_sizes(file, {static_cast<std::uint64_t>(std::max(layout.columns, 0)),
                       static_cast<std::uint64_t>(std::max(layout.rows, 0))});
  if (layout.bits_allocated == 1) {
    refuse("its pixels are single bits", "Open a segmentation together with the image that it belongs to.");
  }
  const bool known_bits = layout.is_float ? layout.bits_allocated == 32 || layout.bits_allocated == 64
                                          : layout.bits_allocated == 8 || layout.bits_allocated == 16 ||
                                                layout.bits_allocated == 32;
  const bool bits_fit = layout.bits_stored >= 1 && layout.high_bit >= layout.bits_stored - 1 &&
                        layout.high_bit < layout.bits_allocated;
  if (!known_bits || (!bits_fit && !layout.is_float)) {
    refuse(fmt::format("pixels of {} bits in {} (highest: {}) cannot be read", layout.bits_stored,
                       layout.bits_allocated, layout.high_bit),
           "Export it with 8 or 16 bits.");
  }
  if (layout.photometric == "YBR_FULL_422" && layout.bits_allocated != 8) {
    refuse("its shared chroma has more than 8 bits", "Export it as RGB.");
  }
  if ((layout.samples != 1 && layout.samples != 3) || (layout.samples == 3 && layout.is_signed)) {
    refuse(fmt::format("{} {}samples per pixel cannot be read", layout.samples,
                       layout.is_signed ? "signed " : ""),
           "Export it as grey or colour.");
  }
}

/// PS3.3 C.7.6.3.1.2, without the kinds of video.
void require_known_colours(const fs::path& file, const PixelLayout& layout) {
  static constexpr std::array<std::string_view, 3> of_one_sample{"MONOCHROME1", "MONOCHROME2",
                                                                 "PALETTE COLOR"};
  static constexpr std::array<std::string_view, 5> of_three{"RGB", "YBR_FULL", "YBR_FULL_422", "YBR_ICT",
                                                            "YBR_RCT"};
  const bool is_known = layout.samples == 1 ? std::ranges::count(of_one_sample, layout.photometric) == 1
                                            : std::ranges::count(of_three, layout.photometric) == 1;
  if (is_known) return;
  throw InputError(file, 0,
                   fmt::format("its colour space ({} of {} samples) cannot be read",
                               isolume::quoted(layout.photometric), layout.samples),
                   "Export it as grey or RGB.");
}

std::optional<Frame::Place> place_of(const std::vector<double>& position, const std::vector<double>& axes) {
  if (position.size() != 3 || axes.size() != 6) return std::nullopt;
  const Eigen::Vector3d x(axes[0], axes[1], axes[2]), y(axes[3], axes[4], axes[5]);
  const bool is_plane =
      std::abs(x.norm() - 1) < 0.1 && std::abs(y.norm() - 1) < 0.1 && std::abs(x.dot(y)) < 0.1;
  if (!is_plane) return std::nullopt;
  return Frame::Place{
      .position_mm = {position[0], position[1], position[2]}, .x = x.normalized(), .y = y.normalized()};
}

/// Ultrasound says the size of its pixels in regions, in cm (PS3.3 C.8.5.5).
std::optional<Eigen::Vector2d> spacing_of_ultrasound(DcmItem& dataset) {
  DcmItem* region = item_of(dataset, DCM_SequenceOfUltrasoundRegions);
  if (region == nullptr) return std::nullopt;
  constexpr int centimetre = 3;
  if (whole_number_of(*region, DCM_PhysicalUnitsXDirection) != centimetre ||
      whole_number_of(*region, DCM_PhysicalUnitsYDirection) != centimetre) {
    return std::nullopt;
  }
  const Eigen::Vector2d spacing(10 * std::abs(number_of(*region, DCM_PhysicalDeltaX).value_or(0)),
                                10 * std::abs(number_of(*region, DCM_PhysicalDeltaY).value_or(0)));
  if (spacing.minCoeff() <= 0) return std::nullopt;
  return spacing;
}

/// Of portal images and simulated ones: at the image plane, not at the patient (PS3.3 C.8.8.2).
std::optional<Eigen::Vector2d> spacing_of_rt_image(DcmItem& dataset, Remarks& remarks) {
  const std::vector<double> spacing = numbers_of(dataset, DCM_ImagePlanePixelSpacing);
  if (spacing.size() != 2 || spacing[0] <= 0 || spacing[1] <= 0) return std::nullopt;
  const double plane = number_of(dataset, DCM_RTImageSID).value_or(0),
               isocentre = number_of(dataset, DCM_RadiationMachineSAD).value_or(0);
  std::string where;
  if (plane > 0) where = fmt::format(", {:g} mm from the source", plane);
  if (plane > 0 && isocentre > 0) {
    where += fmt::format(". At the isocentre, {:g} mm from it, lengths are {:.4g} times those shown",
                         isocentre, isocentre / plane);
  }
  remarks.warn(fmt::format("Pixel spacing is that of the image plane{}.", where));
  return Eigen::Vector2d(spacing[1], spacing[0]);
}

Eigen::Vector2d spacing_of(const Places& places, Remarks& remarks) {
  // Of rows first, that is along y (PS3.3 10.7.1.3).
  const auto usable = [](const std::vector<double>& numbers) {
    return numbers.size() == 2 && numbers[0] > 0 && numbers[1] > 0;
  };
  std::vector<double> spacing = places.numbers(DCM_PixelMeasuresSequence, DCM_PixelSpacing);
  if (usable(spacing)) return {spacing[1], spacing[0]};
  if (const auto ultrasound = spacing_of_ultrasound(*places.dataset)) return *ultrasound;
  if (const auto rt_image = spacing_of_rt_image(*places.dataset, remarks)) return *rt_image;
  spacing = numbers_of(*places.dataset, DCM_ImagerPixelSpacing);
  if (usable(spacing)) {
    remarks.warn("Pixel spacing is that of the detector: lengths in the patient are smaller.");
    return {spacing[1], spacing[0]};
  }
  spacing = numbers_of(*places.dataset, DCM_NominalScannedPixelSpacing);
  if (usable(spacing)) return {spacing[1], spacing[0]};
  remarks.assumed("The file does not say how large a pixel is: 1 mm is assumed.");
  return {1, 1};
}

double step_of(const Places& places) {
  for (const DcmTagKey& tag : {DCM_SpacingBetweenSlices, DCM_SliceThickness}) {
    const std::vector<double> numbers = places.numbers(DCM_PixelMeasuresSequence, tag);
    if (!numbers.empty() && numbers[0] != 0) return std::abs(numbers[0]);
  }
  return 0;
}

std::vector<Window> windows_of(const Places& places) {
  const std::vector<double> centres = places.numbers(DCM_FrameVOILUTSequence, DCM_WindowCenter);
  const std::vector<double> widths = places.numbers(DCM_FrameVOILUTSequence, DCM_WindowWidth);
  const std::vector<std::string> names =
      values_of(places.text(DCM_FrameVOILUTSequence, DCM_WindowCenterWidthExplanation));
  std::vector<Window> windows;
  for (std::size_t at = 0; at < std::min(centres.size(), widths.size()); ++at) {
    if (widths[at] > 0) windows.push_back({centres[at], widths[at], at < names.size() ? names[at] : ""});
  }
  return windows;
}

void set_rescale(Frame& frame, const Places& places, Remarks& remarks) {
  std::vector<double> slope = places.numbers(DCM_PixelValueTransformationSequence, DCM_RescaleSlope);
  const std::vector<double> intercept =
      places.numbers(DCM_PixelValueTransformationSequence, DCM_RescaleIntercept);
  if (slope.empty()) slope = numbers_of(*places.dataset, DCM_DoseGridScaling);
  if (!slope.empty() && slope[0] == 0) remarks.corrected("A rescale slope of 0 was taken as 1.");
  if (!slope.empty() && slope[0] != 0) frame.slope = slope[0];
  if (!intercept.empty()) frame.intercept = intercept[0];
}

/// Frames of nuclear medicine and dose grids, which one position and a step, or offsets, describe (PS3.3
/// C.8.4.9, C.8.8.3).
void place_older_frame(Frame& frame, DcmItem& dataset) {
  std::vector<double> position = numbers_of(dataset, DCM_ImagePositionPatient);
  std::vector<double> axes = numbers_of(dataset, DCM_ImageOrientationPatient);
  DcmItem* detector = item_of(dataset, DCM_DetectorInformationSequence);
  if (detector != nullptr && position.empty()) position = numbers_of(*detector, DCM_ImagePositionPatient);
  if (detector != nullptr && axes.empty()) axes = numbers_of(*detector, DCM_ImageOrientationPatient);
  std::optional<Frame::Place> place = place_of(position, axes);
  const std::vector<double> offsets = numbers_of(dataset, DCM_GridFrameOffsetVector);
  const double step = number_of(dataset, DCM_SpacingBetweenSlices).value_or(0);
  if (!place || (offsets.empty() && step == 0)) return;
  const auto number = static_cast<std::size_t>(frame.number);
  if (!offsets.empty() && number >= offsets.size()) return;
  const double offset = offsets.empty() ? step * frame.number : offsets[number] - offsets[0];
  place->position_mm += offset * place->x.cross(place->y).normalized();
  frame.place = place;
}

/// Where a place is told and cannot be taken. Either alone is of no use.
void warn_of_unusable_place(const Places& places, Remarks& remarks) {
  const bool is_told = !places.text(DCM_PlanePositionSequence, DCM_ImagePositionPatient).empty() ||
                       !places.text(DCM_PlaneOrientationSequence, DCM_ImageOrientationPatient).empty();
  if (is_told) {
    remarks.dropped(
        "Its position and orientation (Image Position and Image Orientation, Patient) are incomplete or "
        "invalid, and are not used.");
  }
}

std::array<double, Frame::order_size> order_of(DcmItem& dataset) {
  const auto number = [&](const DcmTagKey& tag) { return number_of(dataset, tag).value_or(0); };
  std::array<double, Frame::order_size> order{};
  order[Frame::acquisition] = number(DCM_AcquisitionNumber);
  order[Frame::temporal_position] = number(DCM_TemporalPositionIdentifier);
  order[Frame::echo] = number(DCM_EchoNumbers);
  order[Frame::b_value] = number(DCM_DiffusionBValue);
  order[Frame::trigger_time] = number(DCM_TriggerTime);
  order[Frame::instance] = number(DCM_InstanceNumber);
  return order;
}

/// Several attributes that are not about one frame alone.
void warn_of_presentation(DcmItem& dataset, const PixelLayout& layout, Remarks& remarks) {
  if (layout.photometric == "MONOCHROME1") {
    remarks.warn(
        "The file asks for low values to be bright (MONOCHROME1): values are kept, and drawn with high "
        "values bright.");
  }
  if (const auto padding = number_of(dataset, DCM_PixelPaddingValue)) {
    remarks.warn(fmt::format(
        "Stored values of {:g} fill the places where nothing was measured (pixel padding).", *padding));
  }
  if (dataset.tagExists(DCM_ModalityLUTSequence)) {
    remarks.dropped("Its Modality LUT is not applied: stored values are shown.");
  }
  if (text_of(dataset, DCM_ImageType).find("MOSAIC") != std::string::npos) {
    remarks.warn(
        "This is a mosaic: many slices side by side in one picture. Positions and lengths in it are wrong: "
        "export the series as enhanced MR, or convert it to NIfTI.");
  }
}

/// Before memory is taken for them.
void require_pixels(const fs::path& file, DcmDataset& dataset, const PixelLayout& layout, int frames) {
  DcmElement* pixels = nullptr;
  for (const DcmTagKey& tag : {DCM_PixelData, DCM_FloatPixelData, DCM_DoubleFloatPixelData}) {
    if (pixels == nullptr) dataset.findAndGetElement(tag, pixels);
  }
  require_sizes(file, {static_cast<std::uint64_t>(layout.columns), static_cast<std::uint64_t>(layout.rows),
                       static_cast<std::uint64_t>(frames)});
  const std::size_t wanted = static_cast<std::size_t>(frames) * layout.frame_bytes();
  if (DcmXfer(dataset.getOriginalXfer()).isEncapsulated()) return require_plausible_jpeg(file, wanted);
  if (layout.photometric == "YBR_FULL_422" && layout.columns % 2 != 0) {
    throw InputError(file, 0, fmt::format("{} columns cannot share their chroma in pairs", layout.columns),
                     "Export it as RGB.");
  }
  const std::size_t there = pixels != nullptr ? pixels->getLength() : 0;
  if (wanted <= there) return;
  throw InputError(file, 0,
                   fmt::format("its pixels end too early: {} frames of {} x {} need {}, there are {}", frames,
                               layout.columns, layout.rows, format_bytes(wanted), format_bytes(there)),
                   "It was cut off: copy or export it again.");
}

}  // namespace

std::size_t PixelLayout::frame_bytes() const {
  const auto bytes_a_sample = static_cast<std::size_t>(bits_allocated / 8);
  // Two pixels share their colour in YBR_FULL_422: 4 bytes.
  if (photometric == "YBR_FULL_422" && samples == 3) return pixels() * 2 * bytes_a_sample;
  return pixels() * static_cast<std::size_t>(samples) * bytes_a_sample;
}

std::optional<Frame> frame_of_header(DcmDataset& dataset) {
  if (whole_number_of(dataset, DCM_NumberOfFrames) > 1) return std::nullopt;
  Frame frame;
  frame.place = place_of(numbers_of(dataset, DCM_ImagePositionPatient),
                         numbers_of(dataset, DCM_ImageOrientationPatient));
  frame.order = order_of(dataset);
  const std::vector<double> spacing = numbers_of(dataset, DCM_PixelSpacing);
  if (spacing.size() == 2 && spacing[0] > 0 && spacing[1] > 0) frame.spacing_mm = {spacing[1], spacing[0]};
  return frame;
}

FileFrames frames_of(const fs::path& file, DcmDataset& dataset) {
  FileFrames result;
  result.sop_class_uid = text_of(dataset, DCM_SOPClassUID);
  result.sop_instance_uid = text_of(dataset, DCM_SOPInstanceUID);
  result.layout = layout_of(dataset);
  require_readable(file, dataset, result.layout);
  require_known_colours(file, result.layout);
  warn_of_presentation(dataset, result.layout, result.remarks);

  const int count =
      dataset.tagExistsWithValue(DCM_NumberOfFrames) ? whole_number_of(dataset, DCM_NumberOfFrames) : 1;
  DcmSequenceOfItems* per_frame = nullptr;
  dataset.findAndGetSequence(DCM_PerFrameFunctionalGroupsSequence, per_frame);
  // Every frame takes a byte at least, packed or not.
  if (count < 1 || static_cast<std::uintmax_t>(count) > fs::file_size(file)) {
    throw InputError(file, 0, fmt::format("it promises {} frames", count), "Copy or export it again.");
  }
  if (per_frame != nullptr && per_frame->card() < static_cast<unsigned long>(count)) {
    throw InputError(file, 0, fmt::format("it has {} frames, but describes {}", count, per_frame->card()),
                     "Export it again.");
  }
  require_pixels(file, dataset, result.layout, count);
  result.is_multi_frame = count > 1 || per_frame != nullptr;
  const auto file_order = order_of(dataset);
  Places places{
      .frame = nullptr, .shared = item_of(dataset, DCM_SharedFunctionalGroupsSequence), .dataset = &dataset};
  for (int number = 0; number < count; ++number) {
    if (per_frame != nullptr) {
      places.frame = static_cast<DcmItem*>(number == 0 ? per_frame->nextInContainer(nullptr)
                                                       : per_frame->nextInContainer(places.frame));
    }
    Frame frame;
    frame.number = number;
    frame.spacing_mm = spacing_of(places, result.remarks);
    frame.step_mm = step_of(places);
    frame.windows = windows_of(places);
    set_rescale(frame, places, result.remarks);
    if (!result.is_multi_frame || per_frame != nullptr) {
      frame.place = place_of(places.numbers(DCM_PlanePositionSequence, DCM_ImagePositionPatient),
                             places.numbers(DCM_PlaneOrientationSequence, DCM_ImageOrientationPatient));
      if (!frame.place) warn_of_unusable_place(places, result.remarks);
    } else {
      place_older_frame(frame, dataset);
    }
    const std::vector<double> temporal = places.numbers(DCM_FrameContentSequence, DCM_TemporalPositionIndex);
    frame.order = file_order;
    if (!temporal.empty()) frame.order[Frame::temporal_position] = temporal[0];
    frame.order[Frame::frame_number] = number;
    result.frames.push_back(std::move(frame));
  }
  return result;
}

}  // namespace isolume::images

#include "core/dicom/frames/frames.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <Eigen/Geometry>
#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dcfcache.h>
#include <dcmtk/dcmdata/dcpixseq.h>
#include <dcmtk/dcmdata/dcpxitem.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/dicom/data/dicom_file.h"
#include "core/dicom/data/private_values.h"
#include "core/dicom/frames/frame_attributes.h"
#include "core/dicom/frames/frame_spacing.h"
#include "core/dicom/frames/mosaic.h"
#include "core/dicom/frames/uptake_scale.h"
#include "core/images/readers.h"

namespace isolume::dicom {
namespace {

namespace fs = std::filesystem;

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

/// Null without a Modality LUT. Colours and floating-point numbers have none.
DcmItem* modality_lut_in(DcmItem& dataset) {
  const PixelLayout layout = layout_of(dataset);
  return layout.is_grey() && !layout.is_float ? item_of(dataset, DCM_ModalityLUTSequence) : nullptr;
}

void require_readable(const fs::path& file, DcmItem& dataset, const PixelLayout& layout) {
  const auto refuse = [&](const std::string& problem, std::string_view remedy) {
    throw InputError(file, 0, problem, remedy);
  };
  if (!dataset.tagExists(DCM_PixelData) && !layout.is_float) {
    refuse("this DICOM file holds no image", "Choose another.");
  }
  images::require_sizes(file, {static_cast<std::uint64_t>(std::max(layout.columns, 0)),
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

/// PS3.3 C.7.6.3.1.2, except for video.
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

std::vector<images::Window> windows_of(const FrameAttributes& of) {
  const std::vector<double> centres = of.numbers_if_readable(DCM_FrameVOILUTSequence, DCM_WindowCenter);
  const std::vector<double> widths = of.numbers_if_readable(DCM_FrameVOILUTSequence, DCM_WindowWidth);
  const std::vector<std::string> names =
      values_of(of.text(DCM_FrameVOILUTSequence, DCM_WindowCenterWidthExplanation));
  std::vector<images::Window> windows;
  for (std::size_t at = 0; at < std::min(centres.size(), widths.size()); ++at) {
    if (widths[at] > 0) windows.push_back({centres[at], widths[at], at < names.size() ? names[at] : ""});
  }
  return windows;
}

/// Values by Real World Value Mapping (PS3.3 C.7.6.16.2.11), which images without a rescale slope may have instead.
void set_real_world_values(Frame& frame, const FrameAttributes& of, bool has_rescale) {
  DcmItem* mapping = of.item_with(DCM_RealWorldValueMappingSequence, DCM_RealWorldValueSlope);
  if (mapping == nullptr) mapping = item_of(of.dataset(), DCM_RealWorldValueMappingSequence);
  if (mapping == nullptr) return;
  const auto slope = of.number(*mapping, DCM_RealWorldValueSlope);
  const double intercept = of.number(*mapping, DCM_RealWorldValueIntercept).value_or(0);
  if (slope == frame.slope && intercept == frame.intercept) return;
  if (has_rescale || !slope || *slope == 0) {
    of.remarks().dropped("Its Real World Value Mapping is not applied.");
    return;
  }
  frame.slope = *slope;
  frame.intercept = intercept;
}

void set_rescale(Frame& frame, const FrameAttributes& of) {
  std::vector<double> slope = of.numbers(DCM_PixelValueTransformationSequence, DCM_RescaleSlope);
  const std::vector<double> intercept =
      of.numbers(DCM_PixelValueTransformationSequence, DCM_RescaleIntercept);
  if (slope.empty()) slope = of.numbers(of.dataset(), DCM_DoseGridScaling);
  if (slope.empty() && !intercept.empty())
    of.remarks().assumed("It has a rescale intercept without a slope: a slope of 1 is assumed.");
  if (modality_lut_in(of.dataset()) != nullptr) {
    // PS3.3 C.11.1 excludes both; the table is the more specific one.
    if (!slope.empty() || !intercept.empty())
      of.remarks().dropped(
          "It has a Modality LUT and a rescale slope or intercept: the LUT alone is applied.");
    set_real_world_values(frame, of, true);
    return;
  }
  if (!slope.empty() && slope[0] == 0) of.remarks().corrected("A rescale slope of 0 was taken as 1.");
  if (!slope.empty() && slope[0] != 0) frame.slope = slope[0];
  if (!intercept.empty()) frame.intercept = intercept[0];
  set_real_world_values(frame, of, !slope.empty() || !intercept.empty());
}

/// Position and orientation, if both are stated and usable. Either alone is useless.
std::optional<Frame::Place> place_of(const FrameAttributes& of) {
  const auto place =
      place_at(of.numbers_if_readable(DCM_PlanePositionSequence, DCM_ImagePositionPatient),
               of.numbers_if_readable(DCM_PlaneOrientationSequence, DCM_ImageOrientationPatient));
  const bool is_told = !of.text(DCM_PlanePositionSequence, DCM_ImagePositionPatient).empty() ||
                       !of.text(DCM_PlaneOrientationSequence, DCM_ImageOrientationPatient).empty();
  // As of headers with three digits.
  constexpr double rounding = 2e-3;
  if (place && std::abs(place->x.dot(place->y)) > rounding) {
    of.remarks().warn(
        "Its rows and columns (Image Orientation, Patient) are not perpendicular: it is sheared.");
  }
  if (!place && is_told) {
    of.remarks().dropped(
        "Its position and orientation (Image Position and Image Orientation, Patient) are incomplete or "
        "invalid, and are not used.");
  }
  return place;
}

/// Dimensions of nuclear medicine frames (PS3.3 C.8.4.8), other than slices.
struct FrameVector {
  DcmTagKey tag;
  Frame::Order order;
};
const std::array frame_vectors{
    FrameVector{DCM_EnergyWindowVector, Frame::energy_window},
    FrameVector{DCM_DetectorVector, Frame::detector},
    FrameVector{DCM_RRIntervalVector, Frame::rr_interval},
    FrameVector{DCM_TimeSlotVector, Frame::time_slot},
    FrameVector{DCM_PhaseVector, Frame::phase},
    FrameVector{DCM_TimeSliceVector, Frame::time_slice},
};

/// Frames of nuclear medicine and dose grids, described by one position and a step, or offsets (PS3.3 C.8.4.9,
/// C.8.8.3).
class OlderFrames {
 public:
  explicit OlderFrames(const FrameAttributes& of) {
    DcmItem& dataset = of.dataset();
    for (const auto& [tag, order] : frame_vectors) {
      std::vector<double> numbers = of.numbers(dataset, tag);
      if (!numbers.empty()) vectors_.emplace_back(order, std::move(numbers));
    }
    slices_ = of.numbers(dataset, DCM_SliceVector);
    are_projections_ =
        dataset.tagExistsWithValue(DCM_RotationVector) || dataset.tagExistsWithValue(DCM_AngularViewVector);
    std::vector<double> position = of.numbers(dataset, DCM_ImagePositionPatient);
    std::vector<double> axes = of.numbers(dataset, DCM_ImageOrientationPatient);
    DcmItem* detector = item_of(dataset, DCM_DetectorInformationSequence);
    if (detector != nullptr && position.empty()) position = of.numbers(*detector, DCM_ImagePositionPatient);
    if (detector != nullptr && axes.empty()) axes = of.numbers(*detector, DCM_ImageOrientationPatient);
    first_ = place_at(position, axes);
    offsets_ = of.numbers(dataset, DCM_GridFrameOffsetVector);
    step_ = of.number(dataset, DCM_SpacingBetweenSlices).value_or(0);
  }

  void place(Frame& frame) const {
    const auto number = static_cast<std::size_t>(frame.number);
    for (const auto& [order, numbers] : vectors_) {
      if (number < numbers.size()) frame.order[order] = numbers[number];
    }
    const std::optional<double> offset = offset_of(number);
    if (!first_ || !offset) return;
    frame.place = first_;
    frame.place->position_mm += *offset * first_->x.cross(first_->y).normalized();
  }

 private:
  /// Along the normal; nothing for projections, which have no position, and if the file does not state it.
  std::optional<double> offset_of(std::size_t number) const {
    if (!offsets_.empty()) {
      return number < offsets_.size() ? std::optional(offsets_[number] - offsets_[0]) : std::nullopt;
    }
    if (number < slices_.size())
      return step_ != 0 ? std::optional(step_ * (slices_[number] - 1)) : std::nullopt;
    if (are_projections_) return std::nullopt;
    if (!vectors_.empty()) return 0;  // planar images
    return step_ != 0 ? std::optional(step_ * static_cast<double>(number)) : std::nullopt;
  }

  std::vector<std::pair<Frame::Order, std::vector<double>>> vectors_;
  std::vector<double> slices_, offsets_;
  std::optional<Frame::Place> first_;
  double step_ = 0;
  bool are_projections_ = false;
};

/// Attributes that may distinguish frames at the same position; in functional groups, within the given sequence.
struct OrderAttribute {
  Frame::Order order;
  DcmTagKey sequence, tag;
};
const std::array order_attributes{
    OrderAttribute{Frame::temporal_position, DCM_FrameContentSequence, DCM_TemporalPositionIndex},
    OrderAttribute{Frame::temporal_position, DCM_TemporalPositionSequence, DCM_TemporalPositionIdentifier},
    OrderAttribute{Frame::temporal_position, DCM_TemporalPositionSequence, DCM_TemporalPositionTimeOffset},
    OrderAttribute{Frame::cardiac_phase, DCM_CardiacSynchronizationSequence,
                   DCM_NominalPercentageOfCardiacPhase},
    OrderAttribute{Frame::echo, DCM_MREchoSequence, DCM_EchoNumbers},
    OrderAttribute{Frame::echo_time, DCM_MREchoSequence, DCM_EffectiveEchoTime},
    OrderAttribute{Frame::echo_time, DCM_MREchoSequence, DCM_EchoTime},
    OrderAttribute{Frame::inversion_time, DCM_MRModifierSequence, DCM_InversionTime},
    OrderAttribute{Frame::b_value, DCM_MRDiffusionSequence, DCM_DiffusionBValue},
    OrderAttribute{Frame::tube_voltage, DCM_CTXRayDetailsSequence, DCM_KVP},
    OrderAttribute{Frame::frame_time, DCM_FrameContentSequence, DCM_FrameReferenceTime},
    OrderAttribute{Frame::trigger_time, DCM_CardiacSynchronizationSequence,
                   DCM_NominalCardiacTriggerDelayTime},
    OrderAttribute{Frame::trigger_time, DCM_CardiacSynchronizationSequence, DCM_TriggerTime},
    OrderAttribute{Frame::acquisition, DCM_FrameContentSequence, DCM_FrameAcquisitionNumber},
    OrderAttribute{Frame::acquisition, DCM_FrameContentSequence, DCM_AcquisitionNumber},
    OrderAttribute{Frame::instance, DCM_FrameContentSequence, DCM_InstanceNumber},
};

/// A number that increases with a date (YYYYMMDD) and a time (HHMMSS.FFFFFF), to a millisecond; 0 without them.
double moment_of(std::string_view date, std::string_view time) {
  constexpr double first_date = 19000101, a_day = 1e6;
  const double day = std::max(parse_finite(date).value_or(0) - first_date, 0.0);
  return day * a_day + parse_finite(time).value_or(0);
}

/// Of a DT, whose time zone, if any, is that of all frames.
double moment_of(std::string_view text) {
  const std::string_view local = text.substr(0, text.find_first_of("+-"));
  constexpr std::size_t date = 8;
  return moment_of(local.substr(0, date), local.size() > date ? local.substr(date) : "");
}

double acquisition_moment_of(const FrameAttributes& of) {
  for (const DcmTagKey& tag : {DCM_FrameAcquisitionDateTime, DCM_AcquisitionDateTime}) {
    const double moment = moment_of(of.text(DCM_FrameContentSequence, tag));
    if (moment > 0) return moment;
  }
  return moment_of(text_of(of.dataset(), DCM_AcquisitionDate), text_of(of.dataset(), DCM_AcquisitionTime));
}

/// "DERIVED\\PRIMARY\\DIXON\\WATER", and what part of a complex number it is.
std::string image_type_of(const FrameAttributes& of) {
  std::string type;
  for (const DcmTagKey& sequence :
       {DCM_MRImageFrameTypeSequence, DCM_CTImageFrameTypeSequence, DCM_PETFrameTypeSequence}) {
    if (type.empty()) type = of.text(sequence, DCM_FrameType);
  }
  if (type.empty()) type = text_of(of.dataset(), DCM_ImageType);
  const std::string part = of.text(DCM_MRImageFrameTypeSequence, DCM_ComplexImageComponent);
  return part.empty() ? type : type + "\\" + part;
}

/// The direction of diffusion, which in functional groups is one sequence deeper.
std::string gradient_of(const FrameAttributes& of) {
  DcmItem* diffusion = of.item_with(DCM_MRDiffusionSequence, DCM_DiffusionGradientDirectionSequence);
  DcmItem* direction =
      diffusion != nullptr ? item_of(*diffusion, DCM_DiffusionGradientDirectionSequence) : nullptr;
  return text_of(direction != nullptr ? *direction : of.dataset(), DCM_DiffusionGradientOrientation);
}

void set_order(Frame& frame, const FrameAttributes& of) {
  std::array<bool, Frame::order_size> is_set{};
  for (const auto& [order, sequence, tag] : order_attributes) {
    if (is_set[order]) continue;
    const std::vector<double> numbers = of.numbers_if_readable(sequence, tag);
    if (numbers.empty()) continue;
    frame.order[order] = numbers[0];
    is_set[order] = true;
  }
  if (!is_set[Frame::b_value])
    frame.order[Frame::b_value] =
        private_b_value(of.dataset(), of.remarks()).value_or(frame.order[Frame::b_value]);
  const std::vector<double> dimensions =
      of.numbers_if_readable(DCM_FrameContentSequence, DCM_DimensionIndexValues);
  constexpr std::size_t most = Frame::temporal_position - Frame::dimension;
  for (std::size_t at = 0; at < std::min(dimensions.size(), most); ++at)
    frame.order[Frame::dimension + at] = dimensions[at];
  frame.order[Frame::acquisition_moment] = acquisition_moment_of(of);
  frame.order[Frame::content_moment] =
      moment_of(text_of(of.dataset(), DCM_ContentDate), text_of(of.dataset(), DCM_ContentTime));
  frame.order[Frame::frame_number] = frame.number;
  frame.type_text = image_type_of(of);
  frame.gradient_text = gradient_of(of);
}

/// Everything but its position.
Frame frame_of(const FrameAttributes& of, int number) {
  Frame frame;
  frame.number = number;
  frame.spacing_mm = spacing_of(of);
  frame.step_mm = step_of(of);
  if (const auto location = of.numbers_if_readable(DCM_PlanePositionSequence, DCM_SliceLocation);
      !location.empty())
    frame.location_mm = location[0];
  frame.windows = windows_of(of);
  frame.regions = regions_of(of);
  set_rescale(frame, of);
  set_order(frame, of);
  return frame;
}

/// Each tile becomes a frame.
void take_apart(FileFrames& result, const Mosaic& mosaic, const FrameAttributes& of) {
  result.tiles_across = mosaic.across;
  result.tiles_down = mosaic.down;
  result.layout.columns /= mosaic.across;
  result.layout.rows /= mosaic.down;
  result.remarks.converted(fmt::format(
      "A mosaic of {} slices, {} × {} tiles of {} × {} pixels, is taken apart.", mosaic.places.size(),
      mosaic.across, mosaic.down, result.layout.columns, result.layout.rows));
  Frame frame = frame_of(of, 0);
  for (const Frame::Place& place : mosaic.places) {
    frame.place = place;
    frame.order[Frame::frame_number] = frame.number;
    result.frames.push_back(frame);
    ++frame.number;
  }
}

/// The functional groups of the first frame that has the sequence, or the data set itself.
DcmItem* item_anywhere(DcmItem& dataset, const DcmTagKey& sequence) {
  for (const DcmTagKey& groups : {DCM_SharedFunctionalGroupsSequence, DCM_PerFrameFunctionalGroupsSequence}) {
    DcmItem* parent = item_of(dataset, groups);
    if (DcmItem* item = parent != nullptr ? item_of(*parent, sequence) : nullptr) return item;
  }
  return item_of(dataset, sequence);
}

bool has_rescale(DcmItem& dataset) {
  return dataset.tagExistsWithValue(DCM_RescaleSlope) || dataset.tagExistsWithValue(DCM_RescaleIntercept) ||
         item_anywhere(dataset, DCM_PixelValueTransformationSequence) != nullptr;
}

/// Several attributes that do not belong to a single frame.
void warn_of_presentation(const FrameAttributes& of) {
  DcmItem& dataset = of.dataset();
  if (const auto padding = of.numbers_if_readable(DCM_PixelMeasuresSequence, DCM_PixelPaddingValue);
      !padding.empty()) {
    of.remarks().warn(fmt::format(
        "Stored values of {:g} mark positions without a measurement (pixel padding).", padding[0]));
  }
  if (!dataset.tagExistsWithValue(DCM_PixelRepresentation) && dataset.tagExists(DCM_PixelData)) {
    of.remarks().assumed(
        "It does not say whether its numbers have a sign (Pixel Representation): none is assumed.");
  }
  if (const bool has_lut = modality_lut_in(dataset) != nullptr;
      !has_lut && dataset.tagExistsWithValue(DCM_ModalityLUTSequence)) {
    of.remarks().dropped("Its Modality LUT is not applied: it belongs to grey images of whole numbers.");
  } else if (!has_lut && text_of(dataset, DCM_Modality) == "CT" && !has_rescale(dataset)) {
    of.remarks().assumed(
        "It does not say how its values become Hounsfield units (Rescale Slope): stored values are shown, "
        "without a unit.");
  }
}

/// The unit of Real World Value Mapping (UCUM), if that is what gives the values.
std::string real_world_unit_of(DcmItem& dataset) {
  DcmItem* mapping = item_anywhere(dataset, DCM_RealWorldValueMappingSequence);
  DcmItem* unit = mapping != nullptr && !has_rescale(dataset)
                      ? item_of(*mapping, DCM_MeasurementUnitsCodeSequence)
                      : nullptr;
  return unit != nullptr ? text_of(*unit, DCM_CodeValue) : "";
}

/// As the file names it, for values by a table or a rescale slope.
std::string rescale_type_of(DcmItem& dataset) {
  if (DcmItem* lut = modality_lut_in(dataset)) return text_of(*lut, DCM_ModalityLUTType);
  std::string type = text_of(dataset, DCM_RescaleType);
  DcmItem* shared = item_of(dataset, DCM_SharedFunctionalGroupsSequence);
  DcmItem* transformation =
      shared != nullptr ? item_of(*shared, DCM_PixelValueTransformationSequence) : nullptr;
  if (type.empty() && transformation != nullptr) type = text_of(*transformation, DCM_RescaleType);
  return type;
}

std::string unit_of(DcmItem& dataset) {
  const std::string modality = text_of(dataset, DCM_Modality);
  std::string unit = rescale_type_of(dataset);
  // PS3.3 C.11.1.1.2.
  if (unit == "US") unit.clear();  // unspecified
  if (unit == "Z_EFF") return "";  // effective atomic number
  if (unit == "OD") return "mOD";  // thousandths of an optical density
  if (unit == "MGML") return "mg/ml";
  if (unit == "PCT") return "%";
  if (modality_lut_in(dataset) != nullptr) return unit;
  if (unit.empty()) unit = real_world_unit_of(dataset);
  if (unit.empty() && modality == "CT" && has_rescale(dataset)) return "HU";
  if (unit.empty() && modality == "PT") unit = text_of(dataset, DCM_Units);
  if (unit.empty() && modality == "RTDOSE") unit = text_of(dataset, DCM_DoseUnits);
  if (unit == "BQML") return "Bq/ml";
  if (unit == "GML") return "g/ml";
  if (unit == "CM2ML") return "cm²/ml";
  if (unit == "CNTS") return "counts";
  if (unit == "GY") return "Gy";
  return unit;
}

/// Before memory is allocated for them.
void require_pixels(const fs::path& file, DcmDataset& dataset, const PixelLayout& layout, int frames,
                    Remarks& remarks) {
  DcmElement* pixels = nullptr;
  for (const DcmTagKey& tag : {DCM_PixelData, DCM_FloatPixelData, DCM_DoubleFloatPixelData}) {
    if (pixels == nullptr) dataset.findAndGetElement(tag, pixels);
  }
  images::require_sizes(file, {static_cast<std::uint64_t>(layout.columns),
                               static_cast<std::uint64_t>(layout.rows), static_cast<std::uint64_t>(frames)});
  const std::size_t wanted = static_cast<std::size_t>(frames) * layout.frame_bytes();
  const bool is_packed = pixels != nullptr && pixels->getLengthField() == DCM_UndefinedLength;
  if (is_packed || DcmXfer(dataset.getOriginalXfer()).isEncapsulated())
    return images::require_plausible_jpeg(file, wanted);
  if (layout.photometric == "YBR_FULL_422" && layout.columns % 2 != 0) {
    throw InputError(file, 0, fmt::format("{} columns cannot share their chroma in pairs", layout.columns),
                     "Export it as RGB.");
  }
  const std::size_t there = pixels != nullptr ? pixels->getLength() : 0;
  // Pixels are padded to an even length.
  if (there > wanted + wanted % 2) {
    remarks.dropped(fmt::format("It promises {} frame{}, but holds {} more of pixels, which are not read.",
                                frames, frames == 1 ? "" : "s", format_bytes(there - wanted)));
  }
  if (wanted <= there) return;
  const auto [wanted_text, there_text] = images::format_unequal_bytes(wanted, there);
  throw InputError(file, 0,
                   fmt::format("its pixels end too early: {} frames of {} × {} need {}, there are {}", frames,
                               layout.columns, layout.rows, wanted_text, there_text),
                   "It was cut off: copy or export it again.");
}

/// The first bytes of the first compressed frame; empty if there is none.
std::vector<Uint8> begin_of_stream(DcmDataset& dataset, std::size_t most) {
  DcmElement* element = nullptr;
  dataset.findAndGetElement(DCM_PixelData, element);
  auto* pixels = dynamic_cast<DcmPixelData*>(element);
  if (pixels == nullptr) return {};
  E_TransferSyntax syntax = dataset.getOriginalXfer();
  const DcmRepresentationParameter* parameter = nullptr;
  DcmPixelSequence* sequence = nullptr;
  DcmPixelItem* item = nullptr;
  pixels->getOriginalRepresentationKey(syntax, parameter);
  if (pixels->getEncapsulatedRepresentation(syntax, parameter, sequence).bad() ||
      sequence->getItem(item, 1).bad())
    return {};
  std::vector<Uint8> bytes(std::min<std::size_t>(most, item->getLength()));
  DcmFileCache cache;
  if (bytes.empty() ||
      item->getPartialValue(bytes.data(), 0, static_cast<Uint32>(bytes.size()), &cache, EBO_LittleEndian)
          .bad())
    return {};
  return bytes;
}

/// A JPEG 2000 stream knows its bits (ISO 15444-1, A.5.1), and the header's sometimes are fewer: clearing the others
/// would change values.
void take_bits_of_stream(DcmDataset& dataset, PixelLayout& layout, Remarks& remarks) {
  constexpr std::array<Uint8, 4> begin{0xff, 0x4f, 0xff, 0x51};
  constexpr std::ptrdiff_t to_bits = 42;
  const std::vector<Uint8> bytes = begin_of_stream(dataset, 512);
  const auto at = std::ranges::search(bytes, begin).begin();
  if (bytes.end() - at <= to_bits) return;
  const int bits = (at[to_bits] & 0x7f) + 1;
  if (bits <= layout.bits_stored || bits > layout.bits_allocated) return;
  remarks.corrected(fmt::format(
      "Its header promises {} bits in each pixel, but its JPEG 2000 stream holds {}: all of them are read.",
      layout.bits_stored, bits));
  layout.bits_stored = bits;
  layout.high_bit = bits - 1;
}

}  // namespace

std::optional<Frame::Place> place_at(const std::vector<double>& position_mm,
                                     const std::vector<double>& axes) {
  if (position_mm.size() != 3 || axes.size() != 6) return std::nullopt;
  const Eigen::Vector3d x(axes[0], axes[1], axes[2]), y(axes[3], axes[4], axes[5]);
  const bool is_plane =
      std::abs(x.norm() - 1) < 0.1 && std::abs(y.norm() - 1) < 0.1 && std::abs(x.dot(y)) < 0.1;
  if (!is_plane) return std::nullopt;
  return Frame::Place{.position_mm = {position_mm[0], position_mm[1], position_mm[2]},
                      .x = x.normalized(),
                      .y = y.normalized()};
}

std::size_t PixelLayout::frame_bytes() const {
  const auto bytes_a_sample = static_cast<std::size_t>(bits_allocated / 8);
  // In YBR_FULL_422 two pixels share their colour: 4 bytes.
  if (photometric == "YBR_FULL_422" && samples == 3) return pixels() * 2 * bytes_a_sample;
  return pixels() * static_cast<std::size_t>(samples) * bytes_a_sample;
}

FileFrames frames_of(const fs::path& file, DcmDataset& dataset) {
  FileFrames result;
  result.sop_class_uid = text_of(dataset, DCM_SOPClassUID);
  result.sop_instance_uid = text_of(dataset, DCM_SOPInstanceUID);
  result.patient_id = text_of(dataset, DCM_PatientID);
  result.study_uid = text_of(dataset, DCM_StudyInstanceUID);
  result.frame_of_reference_uid = text_of(dataset, DCM_FrameOfReferenceUID);
  result.unit = unit_of(dataset);
  result.rescale_type = rescale_type_of(dataset);
  result.layout = layout_of(dataset);
  require_readable(file, dataset, result.layout);
  require_known_colours(file, result.layout);
  take_bits_of_stream(dataset, result.layout, result.remarks);
  if (DcmItem* lut = modality_lut_in(dataset)) {
    result.lut = std::make_shared<const ModalityLut>(modality_lut_of(file, *lut, result.layout.is_signed));
  }
  FrameAttributes attributes(file, dataset, result.remarks);
  warn_of_presentation(attributes);
  if (text_of(dataset, DCM_Modality) == "PT") result.uptake = uptake_scale(dataset, result.remarks);

  const double promised = attributes.number(dataset, DCM_NumberOfFrames).value_or(1);
  DcmSequenceOfItems* per_frame = nullptr;
  dataset.findAndGetSequence(DCM_PerFrameFunctionalGroupsSequence, per_frame);
  // Every frame takes at least one byte, compressed or not.
  if (promised < 1 || promised > static_cast<double>(fs::file_size(file)) ||
      std::trunc(promised) != promised) {
    throw InputError(file, 0, fmt::format("it promises {:g} frames", promised), "Copy or export it again.");
  }
  const auto count = static_cast<int>(promised);
  if (per_frame != nullptr && per_frame->card() < static_cast<unsigned long>(count)) {
    throw InputError(file, 0, fmt::format("it has {} frames, but describes {}", count, per_frame->card()),
                     "Export it again.");
  }
  require_pixels(file, dataset, result.layout, count, result.remarks);
  if (per_frame != nullptr && per_frame->card() > static_cast<unsigned long>(count)) {
    result.remarks.dropped(fmt::format("It promises {} frames, but describes {}: those beyond are not read.",
                                       count, per_frame->card()),
                           per_frame->card() - static_cast<unsigned long>(count));
  }
  if (is_mosaic(dataset)) {
    take_apart(result, mosaic_of(file, attributes, result.layout), attributes);
    return result;
  }
  result.is_multi_frame = count > 1 || per_frame != nullptr;
  const bool is_older = result.is_multi_frame && per_frame == nullptr;
  const auto older = is_older ? std::make_unique<const OlderFrames>(attributes) : nullptr;
  DcmItem* groups = nullptr;
  for (int number = 0; number < count; ++number) {
    if (per_frame != nullptr) {
      groups = static_cast<DcmItem*>(number == 0 ? per_frame->nextInContainer(nullptr)
                                                 : per_frame->nextInContainer(groups));
      attributes.set_frame(groups);
    }
    Frame frame = frame_of(attributes, number);
    if (older) {
      frame.is_moment =
          dataset.tagExistsWithValue(DCM_FrameTime) || dataset.tagExistsWithValue(DCM_FrameTimeVector);
      older->place(frame);
    } else {
      frame.place = place_of(attributes);
    }
    result.frames.push_back(std::move(frame));
  }
  return result;
}

}  // namespace isolume::dicom

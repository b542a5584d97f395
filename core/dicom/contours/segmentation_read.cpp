#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "core/dicom/contours/dcmtk.h"
// DCMTK's own, after the configuration above.
#include <dcmtk/dcmiod/cielabutil.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/contours/label_map.h"
#include "core/contours/outlines.h"
#include "core/dicom/contours/belonging.h"
#include "core/dicom/contours/read_contours.h"
#include "core/dicom/contours/slice_positions.h"
#include "core/dicom/data/transfer_syntax.h"
#include "core/dicom/frames/frame_reader.h"
#include "core/images/readers.h"

namespace isolume::dicom {
namespace {

enum class Kind { binary, fractional, label_map };

/// The pixels of frames, one frame at a time: 0 or 1; segment numbers for label maps.
class Pixels {
 public:
  Pixels(const std::filesystem::path& path, DcmDataset& data, Kind kind, std::size_t frames)
      : kind_(kind),
        pixels_(static_cast<std::size_t>(whole_number_of(data, DCM_Rows)) *
                static_cast<std::size_t>(whole_number_of(data, DCM_Columns))) {
    const bool packed = DcmXfer(data.getOriginalXfer()).isEncapsulated();
    const int bits = whole_number_of(data, DCM_BitsAllocated);
    const bool known = kind == Kind::binary       ? bits == 1
                       : kind == Kind::fractional ? bits == 8
                                                  : bits == 8 || bits == 16;
    if (!known)
      throw InputError(path, 0, fmt::format("a pixel has {} bits, which its kind has not", bits), remedy);
    full_ = std::max(1, whole_number_of(data, DCM_MaximumFractionalValue));
    // Before memory is taken for a frame, whose size is only what the file claims.
    if (packed) {
      images::require_plausible_jpeg(path, pixels_ * static_cast<std::size_t>(std::max(bits / 8, 1)));
    } else {
      require_length(path, data, (frames * pixels_ * static_cast<std::size_t>(bits) + 7) / 8);
    }
    if (kind == Kind::binary && !packed) {
      read_bits(path, data);
      return;
    }
    PixelLayout layout;
    layout.columns = whole_number_of(data, DCM_Columns);
    layout.rows = whole_number_of(data, DCM_Rows);
    layout.bits_allocated = layout.bits_stored = std::max(bits, 8);  // decoders return single bits as bytes
    layout.high_bit = layout.bits_stored - 1;
    layout.photometric = "MONOCHROME2";  // numbers, even if a palette displays them
    reader_.emplace(path, layout);
    bytes_.resize(pixels_ * static_cast<std::size_t>(layout.bits_allocated / 8));
    wide_ = layout.bits_allocated == 16;
  }

  std::vector<std::uint16_t> of_frame(std::size_t frame) {
    std::vector<std::uint16_t> values(pixels_);
    if (!reader_) {
      for (std::size_t i = 0, at = frame * pixels_; i < pixels_; ++i, ++at) {
        values[i] = bits_[at / 8] >> (at % 8) & 1U;  // the first pixel is the lowest bit
      }
      return values;
    }
    reader_->read(static_cast<int>(frame), bytes_.data());
    for (std::size_t i = 0; i < pixels_; ++i) {
      std::uint16_t value = std::to_integer<std::uint16_t>(bytes_[i]);
      if (wide_) std::memcpy(&value, bytes_.data() + 2 * i, 2);
      if (kind_ == Kind::binary) value = value != 0;
      if (kind_ == Kind::fractional) value = 2 * value > full_;
      values[i] = value;
    }
    return values;
  }

 private:
  static constexpr const char* remedy = "Export it again.";

  static void require_length(const std::filesystem::path& path, DcmDataset& data, std::size_t needed) {
    DcmElement* element = nullptr;
    if (data.findAndGetElement(DCM_PixelData, element).bad())
      throw InputError(path, 0, "it has no pixels", remedy);
    if (const std::size_t length = element->getLength(); length < needed) {
      throw InputError(path, 0, fmt::format("its pixels are {} bytes, {} are needed", length, needed),
                       remedy);
    }
  }
  void read_bits(const std::filesystem::path& path, DcmDataset& data) {
    DcmElement* element = nullptr;
    data.findAndGetElement(DCM_PixelData, element);
    const std::size_t length = element->getLength();
    Uint8* bytes = nullptr;
    Uint16* words = nullptr;
    if (element->getUint8Array(bytes).good() && bytes != nullptr) {
      bits_ = {bytes, length};
    } else if (element->getUint16Array(words).good() && words != nullptr) {  // OW, in native byte order
      bits_ = {reinterpret_cast<const Uint8*>(words), length};
    } else if (length > 0) {
      throw InputError(path, 0, "its pixels cannot be read", remedy);
    }
  }

  Kind kind_;
  std::size_t pixels_;
  int full_ = 1;  ///< the value of a full pixel of a fractional segmentation
  std::span<const Uint8> bits_;
  std::optional<FrameReader> reader_;
  std::vector<std::byte> bytes_;
  bool wide_ = false;
};

contours::Label label_of(DcmItem& segment, int number) {
  contours::Label label{
      .value = number, .name = text(segment, DCM_SegmentLabel), .colour = contours::label_colour(number - 1)};
  if (label.name.empty()) label.name = fmt::format("Segment {}", number);
  std::array<Uint16, 3> lab{};
  bool has_colour = true;
  for (unsigned long i = 0; i < 3; ++i) {
    has_colour = segment.findAndGetUint16(DCM_RecommendedDisplayCIELabValue, lab[i], i).good() && has_colour;
  }
  if (has_colour) {
    std::array<double, 3> rgb{};
    IODCIELabUtil::dicomLab2RGB(rgb[0], rgb[1], rgb[2], lab[0], lab[1], lab[2]);
    std::array<int, 3> bytes{};
    std::ranges::transform(rgb, bytes.begin(), [](double part) {
      return static_cast<int>(std::lround(255 * std::clamp(part, 0.0, 1.0)));
    });
    label.colour = colour_of(bytes);
  }
  return label;
}

/// The image's axes along which a frame's pixels run, which may be others than in the image's own slices, or reversed.
struct Directions {
  int columns = 0, rows = 1, across = 2;
  int column_sign = 1, row_sign = 1;
};

/// Where the pixels of a frame lie on a slice of the image.
struct FrameOnSlice {
  std::size_t frame = 0;
  images::SliceId slice;
  Eigen::Vector2i first = {0, 0};                           ///< the slice's pixel at the frame's first one
  Eigen::Vector2i column_step = {1, 0}, row_step = {0, 1};  ///< to that at the next column and row
};

class SegmentationReader {
 public:
  SegmentationReader(std::filesystem::path path, DcmDataset& data, const images::Document& image)
      : path_(std::move(path)),
        data_(data),
        image_(image),
        geometry_(image.volume.geometry),
        positions_(image) {
    const auto shared = items(data, DCM_SharedFunctionalGroupsSequence);
    shared_ = shared.empty() ? nullptr : shared.front();
  }

  ReadContours read(const jobs::Progress& progress) {
    check_belonging(data_, image_, result_.remarks);
    read_groups();
    read_segments();
    find_least_distance();
    // Frames of one segment on one slice are combined; those of label maps contain several segments.
    std::map<std::pair<int, images::SliceId>, std::vector<FrameOnSlice>> places;
    for (std::size_t frame = 0; frame < groups_.size(); ++frame) {
      progress.check();
      const auto segment = segment_at(frame);
      if (!segment) continue;
      for (const FrameOnSlice& place : places_of(frame)) places[{*segment, place.slice}].push_back(place);
    }
    Pixels pixels(path_, data_, kind_, groups_.size());
    double done = 0;
    for (const auto& [place, frames] : places) {
      progress.report(done++ / static_cast<double>(places.size()), "segmentation");
      add_slice(pixels, place.first, place.second, frames, progress);
    }
    tell();
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem, std::string_view remedy = "Export it again.") const {
    throw InputError(path_, 0, problem, remedy);
  }
  void read_groups();
  void read_segments();
  std::optional<int> segment_at(std::size_t frame);
  std::vector<double> values_of(std::size_t frame, const DcmTagKey& sequence, const DcmTagKey& tag);
  std::vector<FrameOnSlice> places_of(std::size_t frame);
  std::optional<Directions> directions_of(std::size_t frame);
  void require_spacing(std::size_t frame, const Directions& directions);
  void find_least_distance();
  std::optional<double> thick_mm(std::size_t frame, int axis);
  double distance_mm(int axis) const;
  double height_mm(int axis, const Eigen::Vector3d& position) const;
  double height_mm(images::SliceId slice) const;
  std::vector<int> slices_at(std::size_t frame, int axis, double height);
  FrameOnSlice placed(std::size_t frame, const Directions& directions, images::SliceId slice,
                      const Eigen::Vector3d& position) const;
  int referenced_slice(std::size_t frame) const;
  int segment_of(std::size_t frame);
  void add_slice(Pixels& pixels, int segment, images::SliceId slice, const std::vector<FrameOnSlice>& frames,
                 const jobs::Progress& progress);
  void tell();

  std::filesystem::path path_;
  DcmDataset& data_;
  const images::Document& image_;
  const images::Geometry& geometry_;
  const SlicePositions positions_;
  DcmItem* shared_ = nullptr;
  std::vector<DcmItem*> groups_;  // for each frame
  Kind kind_ = Kind::binary;
  ReadContours result_;
  std::map<int, int> contours_;                                         // per segment
  double least_distance_mm_ = std::numeric_limits<double>::infinity();  // of frames at different heights
  bool has_commas_ = false;
  int columns_ = 0, rows_ = 0;  // of each frame
  std::size_t off_slices_ = 0, thick_ = 0, unknown_segment_ = 0, beside_ = 0, overlaps_ = 0,
              unknown_pixels_ = 0, outside_ = 0;
};

void SegmentationReader::read_groups() {
  rows_ = whole_number_of(data_, DCM_Rows);
  columns_ = whole_number_of(data_, DCM_Columns);
  if (rows_ < 1 || columns_ < 1) refuse(fmt::format("its frames have {} × {} pixels", columns_, rows_));
  const auto count = numbers_of(data_, DCM_NumberOfFrames);
  groups_ = items(data_, DCM_PerFrameFunctionalGroupsSequence);
  // Each frame has its group in the file, which limits their number.
  if (count.size() != 1 || count[0] != static_cast<double>(groups_.size())) {
    refuse(fmt::format("it has {} frames, but describes {}", count.empty() ? 0 : count[0], groups_.size()));
  }
  const std::string type = text(data_, DCM_SegmentationType);
  static const std::map<std::string, Kind> kinds{
      {"BINARY", Kind::binary}, {"FRACTIONAL", Kind::fractional}, {"LABELMAP", Kind::label_map}};
  const auto found = kinds.find(type);
  if (found == kinds.end()) refuse("its segmentation type is " + isolume::quoted(type));
  kind_ = found->second;
}

void SegmentationReader::read_segments() {
  std::map<int, contours::Label> labels;
  for (DcmItem* segment : items(data_, DCM_SegmentSequence)) {
    // 0 is the background of label maps, and not a valid number.
    const int number = whole_number_of(*segment, DCM_SegmentNumber);
    if (number < 1 || number > 65535) continue;
    contours::Label label = label_of(*segment, number);
    if (const auto other = labels.find(number); other != labels.end()) {
      result_.remarks.warn(fmt::format("Two segments have the number {}, {} and {}: they became one label.",
                                       number, other->second.name, label.name));
    }
    labels[number] = std::move(label);
  }
  for (auto& [number, label] : labels) result_.set.put_label(std::move(label));
}

/// The segment of a frame (0: several); nothing if it is left out.
std::optional<int> SegmentationReader::segment_at(std::size_t frame) {
  if (kind_ == Kind::label_map) return 0;
  const int segment = segment_of(frame);
  if (segment != 0) return segment;
  ++unknown_segment_;
  return std::nullopt;
}

/// Of the frame, otherwise shared by all.
std::vector<double> SegmentationReader::values_of(std::size_t frame, const DcmTagKey& sequence,
                                                  const DcmTagKey& tag) {
  for (DcmItem* group : {groups_[frame], shared_}) {
    if (group == nullptr) continue;
    const auto found = items(*group, sequence);
    if (found.empty()) continue;
    auto read = read_numbers(*found.front(), tag);
    if (read.is_unreadable) {
      refuse(fmt::format("the position, orientation or spacing of frame {} is {}, which is not a number",
                         frame + 1, isolume::quoted(text(*found.front(), tag), 64)));
    }
    has_commas_ |= read.has_commas;
    return std::move(read.numbers);
  }
  return {};
}

/// Nothing for frames without a position or orientation.
std::optional<Directions> SegmentationReader::directions_of(std::size_t frame) {
  const auto position = values_of(frame, DCM_PlanePositionSequence, DCM_ImagePositionPatient);
  const auto cosines = values_of(frame, DCM_PlaneOrientationSequence, DCM_ImageOrientationPatient);
  if (position.size() != 3 || cosines.size() != 6) return std::nullopt;
  const auto axis_along = [&](const Eigen::Vector3d& direction, int& axis, int& sign) {
    constexpr double aligned = 1 - 1e-4;  // within a degree
    const Eigen::Vector3d along = geometry_.directions().transpose() * direction;
    sign = along.cwiseAbs().maxCoeff(&axis) > aligned ? (along[axis] > 0 ? 1 : -1) : 0;
  };
  Directions result;
  axis_along({cosines[0], cosines[1], cosines[2]}, result.columns, result.column_sign);
  axis_along({cosines[3], cosines[4], cosines[5]}, result.rows, result.row_sign);
  if (result.column_sign == 0 || result.row_sign == 0 || result.columns == result.rows) {
    refuse(fmt::format("the rows and columns of frame {} run along no axes of the image", frame + 1),
           "Open the image it was drawn on, or resample it there.");
  }
  result.across = 3 - result.columns - result.rows;
  return result;
}

/// Between the image's slices along an axis.
double SegmentationReader::distance_mm(int axis) const {
  return axis == 2 ? positions_.usual_distance_mm()
                   : images::slice_plane(geometry_, {axis, 0}).slice_spacing_mm;
}

/// From the first slice along an axis.
double SegmentationReader::height_mm(int axis, const Eigen::Vector3d& position) const {
  return axis == 2 ? positions_.height_mm(position) : geometry_.index_at(position)[axis] * distance_mm(axis);
}

double SegmentationReader::height_mm(images::SliceId slice) const {
  return slice.axis == 2 ? positions_.height_mm(slice.index) : slice.index * distance_mm(slice.axis);
}

void SegmentationReader::find_least_distance() {
  std::array<std::vector<double>, 3> heights;
  for (std::size_t frame = 0; frame < groups_.size(); ++frame) {
    const auto directions = directions_of(frame);
    if (!directions) continue;
    const auto at = values_of(frame, DCM_PlanePositionSequence, DCM_ImagePositionPatient);
    heights[static_cast<std::size_t>(directions->across)].push_back(
        height_mm(directions->across, {at[0], at[1], at[2]}));
  }
  for (auto& along : heights) {
    std::ranges::sort(along);
    for (std::size_t i = 1; i < along.size(); ++i) {
      constexpr double same_mm = 1e-2;
      const double distance = along[i] - along[i - 1];
      if (distance > same_mm) least_distance_mm_ = std::min(least_distance_mm_, distance);
    }
  }
}

/// The thickness of a frame's voxels if they are thicker than the distance of the image's slices; nothing, perhaps
/// with a remark, if they are not, or if it is doubtful. Spacing Between Slices states it. Slice Thickness does not
/// always: slices can overlap, as those of many CT series do.
std::optional<double> SegmentationReader::thick_mm(std::size_t frame, int axis) {
  const auto spacing = values_of(frame, DCM_PixelMeasuresSequence, DCM_SpacingBetweenSlices);
  const auto thickness = values_of(frame, DCM_PixelMeasuresSequence, DCM_SliceThickness);
  const bool is_stated = spacing.size() == 1 && spacing[0] != 0;
  if (!is_stated && thickness.size() != 1) return std::nullopt;
  const double there = is_stated ? std::abs(spacing[0]) : thickness[0], here = distance_mm(axis);
  const auto are_equal = [](double one, double other) { return std::abs(one - other) <= 0.01 * other; };
  // Along a tilted gantry's axis, distances are greater than perpendicularly to the slices.
  if (are_equal(there, here) || are_equal(there, geometry_.spacing(axis))) return std::nullopt;
  const bool are_apart = least_distance_mm_ >= 0.99 * there;
  if (is_stated && are_apart && there > here) return there;
  if (is_stated || (are_apart && there > here)) {
    result_.remarks.warn(fmt::format(
        "Its slices are {:.3g} mm {} by {}, those of this image {:.3g} mm apart: each frame was put on the "
        "nearest slice alone, so volumes may be wrong.",
        there, is_stated ? "apart" : "thick", is_stated ? "Spacing Between Slices" : "Slice Thickness",
        here));
  }
  return std::nullopt;
}

/// The slices along an axis that a frame at a height lies on. Those of a thick frame are the ones whose centres lie
/// within its thickness; the upper end is included, the lower one not, so that adjoining frames share no slice.
std::vector<int> SegmentationReader::slices_at(std::size_t frame, int axis, double height) {
  const int count = geometry_.dimensions[static_cast<std::size_t>(axis)];
  std::vector<int> slices;
  if (const auto thickness = thick_mm(frame, axis)) {
    constexpr double tolerance_mm = 1e-3;
    for (int k = 0; k < count; ++k) {
      const double above = height_mm({axis, k}) - height - tolerance_mm;
      if (above > -*thickness / 2 && above <= *thickness / 2) slices.push_back(k);
    }
    return slices;
  }
  if (axis == 2) {
    if (const auto k = positions_.slice_at(height)) slices = {*k};
    return slices;
  }
  const double nearest = std::round(height / distance_mm(axis));
  if (nearest >= 0 && nearest < count) slices = {static_cast<int>(nearest)};
  return slices;
}

void SegmentationReader::require_spacing(std::size_t frame, const Directions& directions) {
  const auto spacing = values_of(frame, DCM_PixelMeasuresSequence, DCM_PixelSpacing);
  if (spacing.size() != 2) return;
  const auto is_same = [&](double there, int axis) {
    return std::abs(there / geometry_.spacing(axis) - 1) < 1e-3;
  };
  if (is_same(spacing[1], directions.columns) && is_same(spacing[0], directions.rows)) return;
  refuse(fmt::format("the pixels of frame {} have another spacing than the image's", frame + 1),
         "Open the image it was drawn on.");
}

/// Throws InputError if the frame's pixels are not those of the slice.
FrameOnSlice SegmentationReader::placed(std::size_t frame, const Directions& directions,
                                        images::SliceId slice, const Eigen::Vector3d& position) const {
  const Eigen::Vector2d first = positions_.place_at(slice, position);
  const Eigen::Vector2d offset(std::remainder(first.x(), 1), std::remainder(first.y(), 1));
  constexpr double beyond = 1e6;  // pixels
  if (!(offset.cwiseAbs().maxCoeff() < 0.1) || !(first.cwiseAbs().maxCoeff() < beyond)) {
    refuse(fmt::format("the pixels of frame {} lie {:.1f}, {:.1f} pixels off the image's", frame + 1,
                       offset.x(), offset.y()),
           "Open the image it was drawn on.");
  }
  FrameOnSlice result{frame, slice, first.array().round().matrix().cast<int>()};
  // x and y of a slice are the two other axes in ascending order.
  const bool columns_are_x = directions.columns < directions.rows;
  result.column_step =
      (columns_are_x ? Eigen::Vector2i::UnitX() : Eigen::Vector2i::UnitY()) * directions.column_sign;
  result.row_step =
      (columns_are_x ? Eigen::Vector2i::UnitY() : Eigen::Vector2i::UnitX()) * directions.row_sign;
  return result;
}

/// The slices that a frame lies on, along whichever axis; none if it is left out.
std::vector<FrameOnSlice> SegmentationReader::places_of(std::size_t frame) {
  const auto directions = directions_of(frame);
  if (!directions) {
    const int k = referenced_slice(frame);
    if (k < 0) refuse(fmt::format("frame {} has no position", frame + 1));
    if (rows_ != geometry_.dimensions[1] || columns_ != geometry_.dimensions[0]) {
      refuse(fmt::format("frame {} has no position, and {} × {} pixels, the image's slices {} × {}",
                         frame + 1, columns_, rows_, geometry_.dimensions[0], geometry_.dimensions[1]),
             "Open the image it was drawn on.");
    }
    return {{frame, {2, k}}};
  }
  require_spacing(frame, *directions);
  const int axis = directions->across;
  if (axis != 2 && positions_.farthest_from_grid_mm() > 0.1 * positions_.usual_distance_mm()) {
    refuse(fmt::format("frame {} lies across the image's slices, which are missing or unequally spaced",
                       frame + 1),
           "Export it along the image's slices.");
  }
  const auto position = values_of(frame, DCM_PlanePositionSequence, DCM_ImagePositionPatient);
  const Eigen::Vector3d at(position[0], position[1], position[2]);
  const double height = height_mm(axis, at);
  const auto slices = slices_at(frame, axis, height);
  std::vector<FrameOnSlice> places;
  for (const int k : slices) places.push_back(placed(frame, *directions, {axis, k}, at));
  if (slices.empty()) ++off_slices_;
  if (slices.size() > 1) ++thick_;
  if (slices.size() == 1 &&
      std::abs(height - height_mm({axis, slices.front()})) > 0.1 * geometry_.spacing(axis)) {
    ++beside_;
  }
  return places;
}

/// By the source image of the frame; -1 if it names none of this series.
int SegmentationReader::referenced_slice(std::size_t frame) const {
  if (!image_.dicom) return -1;
  for (DcmItem* derivation : items(*groups_[frame], DCM_DerivationImageSequence)) {
    for (DcmItem* source : items(*derivation, DCM_SourceImageSequence)) {
      const std::string instance = text(*source, DCM_ReferencedSOPInstanceUID);
      const int number = whole_number_of(*source, DCM_ReferencedFrameNumber);
      const auto& slices = image_.dicom->slices;
      const auto found = std::ranges::find_if(slices, [&](const auto& slice) {
        return slice.sop_instance_uid == instance && (slice.frame == 0 || slice.frame == number);
      });
      if (found != slices.end()) return static_cast<int>(found - slices.begin());
    }
  }
  return -1;
}

/// 0 if it belongs to no described segment.
int SegmentationReader::segment_of(std::size_t frame) {
  for (DcmItem* group : {groups_[frame], shared_}) {
    if (group == nullptr) continue;
    const auto found = items(*group, DCM_SegmentIdentificationSequence);
    if (found.empty()) continue;
    const int number = whole_number_of(*found.front(), DCM_ReferencedSegmentNumber);
    return result_.set.label(number) != nullptr ? number : 0;
  }
  return 0;
}

void SegmentationReader::add_slice(Pixels& pixels, int segment, images::SliceId slice,
                                   const std::vector<FrameOnSlice>& frames, const jobs::Progress& progress) {
  const auto plane = images::slice_plane(geometry_, slice);
  contours::SliceLabels labels{plane.columns, plane.rows, {}};
  labels.values.resize(static_cast<std::size_t>(plane.columns) * static_cast<std::size_t>(plane.rows));
  for (const FrameOnSlice& place : frames) {
    progress.check();
    const auto values = pixels.of_frame(place.frame);
    std::size_t i = 0;
    for (int row = 0; row < rows_; ++row) {
      Eigen::Vector2i at = place.first + row * place.row_step;
      for (int column = 0; column < columns_; ++column, ++i, at += place.column_step) {
        if (values[i] == 0) continue;
        const int number = segment != 0 ? segment : values[i];
        if (result_.set.label(number) == nullptr) {
          ++unknown_pixels_;
          continue;
        }
        if (at.x() < 0 || at.x() >= plane.columns || at.y() < 0 || at.y() >= plane.rows) {
          ++outside_;
          continue;
        }
        auto& label =
            labels.values[static_cast<std::size_t>(at.y()) * static_cast<std::size_t>(plane.columns) +
                          static_cast<std::size_t>(at.x())];
        if (label != 0 && label != number) ++overlaps_;
        label = static_cast<std::uint16_t>(number);
      }
    }
  }
  for (auto& outline : contours::outlines_of(std::move(labels), progress)) {
    auto contour = contours::contour_of(std::move(outline), slice);
    contour.name = fmt::format("{} {}", result_.set.label(contour.label)->name, ++contours_[contour.label]);
    result_.set.add(std::move(contour));
  }
}

void SegmentationReader::tell() {
  auto& remarks = result_.remarks;
  const auto tell = [&](RemarkKind kind, std::size_t count, std::string_view thing, std::string_view what) {
    if (count > 0)
      remarks.add(kind, fmt::format("{} {}{} {}.", count, thing, count == 1 ? "" : "s", what), count);
  };
  using enum RemarkKind;
  tell(dropped, off_slices_, "frame", "left out: not within half a spacing of a slice of this image");
  tell(dropped, unknown_segment_, "frame", "left out: of segments that are not described");
  tell(dropped, unknown_pixels_, "pixel", "left out: of segments that are not described");
  tell(dropped, outside_, "pixel", "left out: beyond the edge of this image's slices");
  tell(converted, beside_, "frame", "moved onto the nearest slice");
  tell(converted, thick_, "frame", "put on all slices that they cover: they are thicker than this image's");
  if (has_commas_) {
    remarks.corrected(
        "Positions, orientations or spacings are written with decimal commas, which are read as "
        "decimal points.");
  }
  tell(dropped, overlaps_, "pixel",
       "with different segments in several frames of a slice: the last one was taken");
  if (kind_ == Kind::fractional) {
    remarks.converted("Its segments are fractional: they were taken to be where they are above one half.");
  }
  std::vector<std::string> empty;
  for (const auto& label : result_.set.labels()) {
    if (!contours_.contains(label.value)) empty.push_back(label.name);
  }
  if (!empty.empty()) {
    remarks.add(warning, fmt::format("Segments without a pixel on this image: {}.", first_names(empty)),
                empty.size());
  }
}

}  // namespace

ReadContours read_segmentation(const std::filesystem::path& path, const images::Document& image,
                               const jobs::Progress& progress) {
  const auto file = load(path, {UID_SegmentationStorage, label_map_segmentation}, "segmentation");
  require_readable_packing(path, *file);
  progress.check();
  return SegmentationReader(path, *file->getDataset(), image).read(progress);
}

}  // namespace isolume::dicom

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "core/dicom/dcmtk.h"
// DCMTK's own, after the configuration above.
#include <dcmtk/dcmiod/cielabutil.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/contours/label_map.h"
#include "core/contours/outlines.h"
#include "core/dicom/belonging.h"
#include "core/dicom/read_contours.h"
#include "core/dicom/slice_positions.h"
#include "core/images/frame_reader.h"
#include "core/images/transfer_syntax.h"

namespace isolume::dicom {
namespace {

using images::whole_number_of;

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
    if (kind == Kind::binary && !packed) {
      read_bits(path, data, frames);
      return;
    }
    images::PixelLayout layout;
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

  void read_bits(const std::filesystem::path& path, DcmDataset& data, std::size_t frames) {
    DcmElement* element = nullptr;
    if (data.findAndGetElement(DCM_PixelData, element).bad())
      throw InputError(path, 0, "it has no pixels", remedy);
    const std::size_t needed = (frames * pixels_ + 7) / 8, length = element->getLength();
    if (length < needed) {
      throw InputError(path, 0, fmt::format("its pixels are {} bytes, {} are needed", length, needed),
                       remedy);
    }
    Uint8* bytes = nullptr;
    Uint16* words = nullptr;
    if (element->getUint8Array(bytes).good() && bytes != nullptr) {
      bits_ = {bytes, length};
    } else if (element->getUint16Array(words).good() && words != nullptr) {  // OW, in native byte order
      bits_ = {reinterpret_cast<const Uint8*>(words), length};
    } else if (needed > 0) {
      throw InputError(path, 0, "its pixels cannot be read", remedy);
    }
  }

  Kind kind_;
  std::size_t pixels_;
  int full_ = 1;  ///< the value of a full pixel of a fractional segmentation
  std::span<const Uint8> bits_;
  std::optional<images::FrameReader> reader_;
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
    std::map<std::pair<int, int>, std::vector<std::size_t>> places;
    for (std::size_t frame = 0; frame < groups_.size(); ++frame) {
      progress.check();
      const auto segment = segment_at(frame);
      if (!segment) continue;
      for (const int k : slices_of(frame)) places[{*segment, k}].push_back(frame);
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
  std::vector<int> slices_of(std::size_t frame);
  void find_least_distance();
  std::optional<double> thick_mm(std::size_t frame);
  std::vector<int> slices_within(double height, double thickness) const;
  void require_on_grid(std::size_t frame, int k, const Eigen::Vector3d& position) const;
  int referenced_slice(std::size_t frame) const;
  int segment_of(std::size_t frame);
  void add_slice(Pixels& pixels, int segment, int k, const std::vector<std::size_t>& frames,
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
  std::size_t off_slices_ = 0, thick_ = 0, unknown_segment_ = 0, beside_ = 0, overlaps_ = 0,
              unknown_pixels_ = 0;
};

void SegmentationReader::read_groups() {
  const int rows = whole_number_of(data_, DCM_Rows), columns = whole_number_of(data_, DCM_Columns);
  if (rows != geometry_.size[1] || columns != geometry_.size[0]) {
    refuse(fmt::format("its frames have {} × {} pixels, the image's slices {} × {}", columns, rows,
                       geometry_.size[0], geometry_.size[1]),
           "Open the image it was drawn on.");
  }
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
    auto read = images::read_numbers(*found.front(), tag);
    if (read.is_unreadable) {
      refuse(fmt::format("the position, orientation or spacing of frame {} is {}, which is not a number",
                         frame + 1, isolume::quoted(text(*found.front(), tag), 64)));
    }
    has_commas_ |= read.has_commas;
    return std::move(read.numbers);
  }
  return {};
}

void SegmentationReader::find_least_distance() {
  std::vector<double> heights;
  for (std::size_t frame = 0; frame < groups_.size(); ++frame) {
    const auto at = values_of(frame, DCM_PlanePositionSequence, DCM_ImagePositionPatient);
    if (at.size() == 3) heights.push_back(positions_.height_mm(Eigen::Vector3d(at[0], at[1], at[2])));
  }
  std::ranges::sort(heights);
  for (std::size_t i = 1; i < heights.size(); ++i) {
    constexpr double same_mm = 1e-2;
    const double distance = heights[i] - heights[i - 1];
    if (distance > same_mm) least_distance_mm_ = std::min(least_distance_mm_, distance);
  }
}

/// The thickness of a frame's voxels if they are thicker than the distance of the image's slices; nothing, perhaps
/// with a remark, if they are not, or if it is doubtful. Spacing Between Slices states it. Slice Thickness does not
/// always: slices can overlap, as those of many CT series do.
std::optional<double> SegmentationReader::thick_mm(std::size_t frame) {
  const auto spacing = values_of(frame, DCM_PixelMeasuresSequence, DCM_SpacingBetweenSlices);
  const auto thickness = values_of(frame, DCM_PixelMeasuresSequence, DCM_SliceThickness);
  const bool is_stated = spacing.size() == 1 && spacing[0] != 0;
  if (!is_stated && thickness.size() != 1) return std::nullopt;
  const double there = is_stated ? std::abs(spacing[0]) : thickness[0], here = positions_.usual_distance_mm();
  const auto are_equal = [](double one, double other) { return std::abs(one - other) <= 0.01 * other; };
  // Along a tilted gantry's axis, distances are greater than perpendicularly to the slices.
  if (are_equal(there, here) || are_equal(there, geometry_.spacing_mm.z())) return std::nullopt;
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

/// The slices whose centres lie within a thickness around a height; the upper end is included, the lower one not, so
/// that adjoining frames share no slice.
std::vector<int> SegmentationReader::slices_within(double height, double thickness) const {
  constexpr double tolerance_mm = 1e-3;
  std::vector<int> slices;
  for (int k = 0; k < geometry_.size[2]; ++k) {
    const double above = positions_.height_mm(k) - height - tolerance_mm;
    if (above > -thickness / 2 && above <= thickness / 2) slices.push_back(k);
  }
  return slices;
}

void SegmentationReader::require_on_grid(std::size_t frame, int k, const Eigen::Vector3d& position) const {
  const Eigen::Vector2d offset = positions_.place_at({2, k}, position);
  if (offset.cwiseAbs().maxCoeff() < 0.1) return;
  refuse(fmt::format("the pixels of frame {} lie {:.1f}, {:.1f} pixels off the image's", frame + 1,
                     offset.x(), offset.y()),
         "Open the image it was drawn on.");
}

/// The slices that a frame lies on; none if it is left out.
std::vector<int> SegmentationReader::slices_of(std::size_t frame) {
  const auto position = values_of(frame, DCM_PlanePositionSequence, DCM_ImagePositionPatient);
  const auto cosines = values_of(frame, DCM_PlaneOrientationSequence, DCM_ImageOrientationPatient);
  const auto spacing = values_of(frame, DCM_PixelMeasuresSequence, DCM_PixelSpacing);
  if (position.size() != 3 || cosines.size() != 6) {
    const int k = referenced_slice(frame);
    if (k < 0) refuse(fmt::format("frame {} has no position", frame + 1));
    return {k};
  }
  const Eigen::Vector3d x(cosines[0], cosines[1], cosines[2]), y(cosines[3], cosines[4], cosines[5]);
  constexpr double aligned = 1 - 1e-4;  // within a degree
  if (!(x.dot(geometry_.direction.col(0)) > aligned && y.dot(geometry_.direction.col(1)) > aligned)) {
    refuse(fmt::format("the rows and columns of frame {} run along other directions than the image's",
                       frame + 1),
           "Open the image it was drawn on, or resample it there.");
  }
  if (spacing.size() == 2 && !(std::abs(spacing[1] / geometry_.spacing_mm.x() - 1) < 1e-3 &&
                               std::abs(spacing[0] / geometry_.spacing_mm.y() - 1) < 1e-3)) {
    refuse(fmt::format("the pixels of frame {} have another spacing than the image's", frame + 1),
           "Open the image it was drawn on.");
  }
  const Eigen::Vector3d at(position[0], position[1], position[2]);
  const double height = positions_.height_mm(at);
  std::vector<int> slices;
  if (const auto thickness = thick_mm(frame)) {
    slices = slices_within(height, *thickness);
    if (slices.size() > 1) ++thick_;
  } else if (const auto k = positions_.slice_at(height)) {
    slices = {*k};
  }
  if (slices.empty()) ++off_slices_;
  for (const int k : slices) require_on_grid(frame, k, at);
  if (slices.size() == 1 &&
      std::abs(height - positions_.height_mm(slices.front())) > 0.1 * geometry_.spacing_mm.z()) {
    ++beside_;
  }
  return slices;
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

void SegmentationReader::add_slice(Pixels& pixels, int segment, int k, const std::vector<std::size_t>& frames,
                                   const jobs::Progress& progress) {
  contours::SliceLabels labels{geometry_.size[0], geometry_.size[1], {}};
  for (const std::size_t frame : frames) {
    progress.check();
    const auto values = pixels.of_frame(frame);
    labels.values.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == 0) continue;
      const int number = segment != 0 ? segment : values[i];
      if (result_.set.label(number) == nullptr) {
        ++unknown_pixels_;
        continue;
      }
      if (labels.values[i] != 0 && labels.values[i] != number) ++overlaps_;
      labels.values[i] = static_cast<std::uint16_t>(number);
    }
  }
  for (auto& outline : contours::outlines_of(std::move(labels), progress)) {
    auto contour = contours::contour_of(std::move(outline), {2, k});
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
  images::require_readable_packing(path, *file);
  progress.check();
  return SegmentationReader(path, *file->getDataset(), image).read(progress);
}

}  // namespace isolume::dicom

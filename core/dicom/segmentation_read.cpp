#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>

#include "core/dicom/dcmtk.h"
// DCMTK's own, after the configuration above.
#include <dcmtk/dcmiod/cielabutil.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dicom/segmentation.h"
#include "core/dicom/slice_positions.h"

namespace isolume::dicom {
namespace {

/// The pixels of all frames, one after the other without gaps; of binary ones, the first pixel is the lowest
/// bit.
struct Frames {
  std::span<const Uint8> bytes;
  bool is_binary = true;
  int full = 1;  ///< what stands for the whole of a fractional pixel
  std::size_t count = 0, pixels = 0;

  bool has(std::size_t frame, std::size_t pixel) const {
    const std::size_t at = frame * pixels + pixel;
    return is_binary ? (bytes[at / 8] >> (at % 8) & 1) != 0 : 2 * bytes[at] > full;
  }
};

int whole_number(DcmItem& item, const DcmTagKey& tag) {
  Uint16 value = 0;
  return item.findAndGetUint16(tag, value).good() ? value : 0;
}

/// Per frame, else shared by all.
std::vector<double> group_values(DcmItem* frame, DcmItem* shared, const DcmTagKey& sequence,
                                 const DcmTagKey& tag) {
  for (DcmItem* group : {frame, shared}) {
    if (group == nullptr) continue;
    const auto found = items(*group, sequence);
    if (!found.empty()) return numbers_of(*found.front(), tag);
  }
  return {};
}

class SegmentationReader {
 public:
  SegmentationReader(std::filesystem::path path, DcmDataset& data, const images::Document& image)
      : path_(std::move(path)), data_(data), geometry_(image.volume.geometry), positions_(image) {
    const auto shared = items(data, DCM_SharedFunctionalGroupsSequence);
    shared_ = shared.empty() ? nullptr : shared.front();
  }

  ReadSegmentation read(const jobs::Progress& progress) {
    read_frames();
    read_segments();
    const bool small = labels_.empty() || labels_.rbegin()->first < 256;
    auto& map = result_.label_map;
    map.geometry = geometry_;
    map.type = small ? images::PixelType::uint8 : images::PixelType::uint16;
    const auto voxels = images::allocate_voxels(geometry_, map.type);
    map.storage = voxels;
    std::memset(voxels.get(), 0, map.bytes());
    for (std::size_t frame = 0; frame < frames_.count; ++frame) {
      progress.check();
      progress.report(static_cast<double>(frame) / static_cast<double>(frames_.count), "segmentation");
      if (small) {
        put(frame, reinterpret_cast<std::uint8_t*>(voxels.get()));
      } else {
        put(frame, reinterpret_cast<std::uint16_t*>(voxels.get()));
      }
    }
    tell();
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem, std::string_view remedy = "Export it again.") const {
    throw InputError(path_, 0, problem, remedy);
  }
  void read_frames();
  void read_pixels();
  void read_segments();
  int slice_of(std::size_t frame);
  int segment_of(std::size_t frame);
  template <class Pixel>
  void put(std::size_t frame, Pixel* voxels);
  void tell();

  std::filesystem::path path_;
  DcmDataset& data_;
  const images::Geometry& geometry_;
  const SlicePositions positions_;
  DcmItem* shared_ = nullptr;
  std::vector<DcmItem*> groups_;  // of each frame
  Frames frames_;
  std::map<int, contours::Label> labels_;
  ReadSegmentation result_;
  int off_slices_ = 0, unknown_segment_ = 0, beside_ = 0;
  std::size_t overlaps_ = 0;
};

void SegmentationReader::read_frames() {
  const int rows = whole_number(data_, DCM_Rows), columns = whole_number(data_, DCM_Columns);
  if (rows != geometry_.size[1] || columns != geometry_.size[0]) {
    refuse(fmt::format("its frames have {} x {} pixels, the image's slices {} x {}", columns, rows,
                       geometry_.size[0], geometry_.size[1]),
           "Open the image it was drawn on.");
  }
  const auto count = numbers_of(data_, DCM_NumberOfFrames);
  groups_ = items(data_, DCM_PerFrameFunctionalGroupsSequence);
  // Each frame has its group in the file, which bounds their number.
  if (count.size() != 1 || count[0] != static_cast<double>(groups_.size())) {
    refuse(fmt::format("it has {} frames, but describes {}", count.empty() ? 0 : count[0], groups_.size()));
  }
  frames_.count = groups_.size();
  frames_.pixels = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  const std::string type = text(data_, DCM_SegmentationType);
  if (type != "BINARY" && type != "FRACTIONAL") refuse("its segmentation type is " + isolume::quoted(type));
  frames_.is_binary = type == "BINARY";
  if (!frames_.is_binary) frames_.full = std::max(1, whole_number(data_, DCM_MaximumFractionalValue));
  const int bits = whole_number(data_, DCM_BitsAllocated), expected = frames_.is_binary ? 1 : 8;
  if (bits != expected) refuse(fmt::format("a pixel has {} bits instead of {}", bits, expected));
  read_pixels();
}

void SegmentationReader::read_pixels() {
  DcmElement* element = nullptr;
  if (data_.findAndGetElement(DCM_PixelData, element).bad()) refuse("it has no pixels");
  const std::size_t bits = frames_.count * frames_.pixels * (frames_.is_binary ? 1 : 8);
  const std::size_t length = element->getLength();
  if (length < (bits + 7) / 8) {
    refuse(fmt::format("its pixels are {} bytes, {} are needed", length, (bits + 7) / 8));
  }
  Uint8* bytes = nullptr;
  Uint16* words = nullptr;
  if (element->getUint8Array(bytes).good() && bytes != nullptr) {
    frames_.bytes = {bytes, length};
  } else if (element->getUint16Array(words).good() && words != nullptr) {  // OW, in this machine's order
    frames_.bytes = {reinterpret_cast<const Uint8*>(words), length};
  } else if (bits > 0) {
    refuse("its pixels cannot be read");
  }
}

void SegmentationReader::read_segments() {
  for (DcmItem* segment : items(data_, DCM_SegmentSequence)) {
    const int number = whole_number(*segment, DCM_SegmentNumber);
    if (number == 0) continue;
    contours::Label label{.value = number,
                          .name = text(*segment, DCM_SegmentLabel),
                          .colour = contours::label_colour(number - 1)};
    if (label.name.empty()) label.name = fmt::format("Segment {}", number);
    std::array<Uint16, 3> lab{};
    bool has_colour = true;
    for (unsigned long i = 0; i < 3; ++i) {
      has_colour =
          segment->findAndGetUint16(DCM_RecommendedDisplayCIELabValue, lab[i], i).good() && has_colour;
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
    labels_[number] = label;
  }
  for (const auto& [number, label] : labels_) result_.labels.push_back(label);
}

/// The slice that a frame lies on; -1 where it lies on none.
int SegmentationReader::slice_of(std::size_t frame) {
  const auto position =
      group_values(groups_[frame], shared_, DCM_PlanePositionSequence, DCM_ImagePositionPatient);
  const auto cosines =
      group_values(groups_[frame], shared_, DCM_PlaneOrientationSequence, DCM_ImageOrientationPatient);
  const auto spacing = group_values(groups_[frame], shared_, DCM_PixelMeasuresSequence, DCM_PixelSpacing);
  if (position.size() != 3 || cosines.size() != 6) refuse(fmt::format("frame {} has no position", frame + 1));
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
  const auto k = positions_.slice_at(height);
  if (!k) return -1;
  const Eigen::Vector2d offset = positions_.place_at({2, *k}, at);
  if (!(offset.cwiseAbs().maxCoeff() < 0.1)) {
    refuse(fmt::format("the pixels of frame {} lie {:.1f}, {:.1f} pixels off the image's", frame + 1,
                       offset.x(), offset.y()),
           "Open the image it was drawn on.");
  }
  if (std::abs(height - positions_.height_mm(*k)) > 0.1 * geometry_.spacing_mm.z()) ++beside_;
  return *k;
}

/// 0 where it belongs to none that is described.
int SegmentationReader::segment_of(std::size_t frame) {
  for (DcmItem* group : {groups_[frame], shared_}) {
    if (group == nullptr) continue;
    const auto found = items(*group, DCM_SegmentIdentificationSequence);
    if (found.empty()) continue;
    const int number = whole_number(*found.front(), DCM_ReferencedSegmentNumber);
    return labels_.contains(number) ? number : 0;
  }
  return 0;
}

template <class Pixel>
void SegmentationReader::put(std::size_t frame, Pixel* voxels) {
  const int segment = segment_of(frame);
  if (segment == 0) {
    ++unknown_segment_;
    return;
  }
  const int k = slice_of(frame);
  if (k < 0) {
    ++off_slices_;
    return;
  }
  Pixel* const slice = voxels + static_cast<std::size_t>(k) * frames_.pixels;
  for (std::size_t i = 0; i < frames_.pixels; ++i) {
    if (!frames_.has(frame, i)) continue;
    if (slice[i] != 0 && slice[i] != segment) ++overlaps_;
    slice[i] = static_cast<Pixel>(segment);
  }
}

void SegmentationReader::tell() {
  const auto warn = [&](std::size_t count, std::string_view what, std::string_view thing) {
    if (count > 0)
      result_.warnings.push_back(fmt::format("{} {}{} {}.", count, thing, count == 1 ? "" : "s", what));
  };
  warn(static_cast<std::size_t>(off_slices_), "left out: not within half a spacing of a slice of this image",
       "frame");
  warn(static_cast<std::size_t>(unknown_segment_), "left out: of segments that are not described", "frame");
  warn(static_cast<std::size_t>(beside_), "moved onto the nearest slice", "frame");
  warn(overlaps_, "in several segments: the last one has them", "voxel");
}

}  // namespace

ReadSegmentation read_segmentation(const std::filesystem::path& path, const images::Document& image,
                                   const jobs::Progress& progress) {
  const auto file = load(path, UID_SegmentationStorage, "segmentation");
  progress.check();
  return SegmentationReader(path, *file->getDataset(), image).read(progress);
}

}  // namespace isolume::dicom

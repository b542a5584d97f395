#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/contours/outlines.h"
#include "core/contours/polygon.h"
#include "core/dicom/dcmtk.h"
#include "core/dicom/regions.h"
#include "core/dicom/rtstruct.h"
#include "core/dicom/slice_positions.h"

namespace isolume::dicom {
namespace {

using contours::Polyline;

constexpr double farthest_px = 1e6;  // outlines beyond are no contours of this image

/// The slice that all points lie within half a spacing of, along the axis that they spread least along; of
/// axes alike in that (single points, straight lines) the one that the image was taken in.
struct Placed {
  images::SliceId slice;
  double distance_mm = 0;  ///< of the farthest point
};
std::optional<Placed> slice_of(const std::vector<Eigen::Vector3d>& points, const images::Geometry& geometry,
                               const SlicePositions& positions) {
  std::optional<Placed> best;
  double least_spread_mm = 0;
  for (const int axis : {2, 1, 0}) {
    const auto plane = images::slice_plane(geometry, {axis, 0});
    double low = plane.distance_mm(points.front()), high = low;
    for (const auto& point : points) {
      const double distance = plane.distance_mm(point);
      low = std::min(low, distance);
      high = std::max(high, distance);
    }
    constexpr double rounding_mm = 1e-3;
    if (axis != 2 && high - low >= least_spread_mm - rounding_mm) continue;
    least_spread_mm = high - low;
    best.reset();
    if (axis == 2) {
      const auto k = positions.slice_at((low + high) / 2);
      if (k && positions.slice_at(low) == k && positions.slice_at(high) == k) {
        const double height = positions.height_mm(*k);
        best = Placed{{axis, *k}, std::max(high - height, height - low)};
      }
      continue;
    }
    const double index = std::round((low + high) / 2 / plane.slice_spacing_mm);
    if (!(index >= 0 && index < geometry.size[static_cast<std::size_t>(axis)])) continue;
    const double centre = index * plane.slice_spacing_mm;
    const double distance = std::max(high - centre, centre - low);
    if (distance <= 0.5 * plane.slice_spacing_mm + rounding_mm) {
      best = Placed{{axis, static_cast<int>(index)}, distance};
    }
  }
  return best;
}

/// What was left out or changed, to be told in sentences.
struct Counts {
  int unreadable = 0, empty = 0, off_slices = 0, far = 0, miscounted = 0, beside = 0;
  double beside_mm = 0;
};

class Reader {
 public:
  Reader(const images::Document& image, const jobs::Progress& progress)
      : image_(image), positions_(image), progress_(progress) {}

  ReadStructures read(DcmDataset& data) {
    check_references(data);
    for (DcmItem* roi : items(data, DCM_StructureSetROISequence)) read_name(*roi);
    const auto rois = items(data, DCM_ROIContourSequence);
    int done = 0;
    for (DcmItem* roi : rois) {
      progress_.report(done++ / static_cast<double>(rois.size()), "RT structure set");
      read_roi(*roi);
    }
    tell();
    return std::move(result_);
  }

 private:
  void check_references(DcmDataset& data);
  void read_name(DcmItem& roi);
  int label_of(const std::string& roi_number);
  void read_roi(DcmItem& roi);
  void read_contour(DcmItem& item, int label);
  std::vector<Eigen::Vector3d> read_points(DcmItem& item);
  void add_closed(Polyline outline, images::SliceId slice, int label);
  void add_exclusive(int label);
  void add(Polyline points, images::SliceId slice, bool closed, int label,
           contours::Combination combination = contours::Combination::add);
  void tell();

  const images::Document& image_;
  const SlicePositions positions_;
  const jobs::Progress& progress_;
  ReadStructures result_;
  Counts counts_;
  std::map<std::string, int> labels_;  // by ROI number
  std::set<int> used_;
  std::map<int, int> contours_;  // of each label
  int next_value_ = 1;
  // Of the ROI that is being read: closed outlines that cancel each other where they overlap.
  std::map<images::SliceId, std::vector<Polyline>> exclusive_;
};

/// Drawn on other images of the same patient, contours may be right; the person must know.
void Reader::check_references(DcmDataset& data) {
  if (!image_.dicom) return;
  std::set<std::string> frames, series;
  for (DcmItem* frame : items(data, DCM_ReferencedFrameOfReferenceSequence)) {
    frames.insert(text(*frame, DCM_FrameOfReferenceUID));
    for (DcmItem* study : items(*frame, DCM_RTReferencedStudySequence)) {
      for (DcmItem* each : items(*study, DCM_RTReferencedSeriesSequence)) {
        series.insert(text(*each, DCM_SeriesInstanceUID));
      }
    }
  }
  const std::string& frame_of_reference = image_.dicom->frame_of_reference_uid;
  if (!frames.empty() && !frame_of_reference.empty() && !frames.contains(frame_of_reference)) {
    result_.warnings.emplace_back(
        "The contours are in a different frame of reference from the image: they may be misplaced.");
  } else if (!series.empty() && !series.contains(image_.dicom->series_uid)) {
    result_.warnings.emplace_back("The contours were drawn on another series than this one.");
  }
}

/// The label of a ROI, made where there is none yet: its number where that can be a label's value.
int Reader::label_of(const std::string& roi_number) {
  const auto known = labels_.find(roi_number);
  if (known != labels_.end()) return known->second;
  int value = parse_number<int>(roi_number).value_or(0);
  if (value < 1 || value > 65535 || used_.contains(value)) {
    while (used_.contains(next_value_)) ++next_value_;
    value = next_value_;
  }
  if (value > 65535) throw Error("it has more than 65535 regions of interest");
  used_.insert(value);
  labels_[roi_number] = value;
  result_.set.put_label(
      {.value = value, .name = "ROI " + roi_number, .colour = contours::label_colour(value - 1)});
  return value;
}

void Reader::read_name(DcmItem& roi) {
  contours::Label label = *result_.set.label(label_of(text(roi, DCM_ROINumber)));
  if (const std::string name = text(roi, DCM_ROIName); !name.empty()) label.name = name;
  result_.set.put_label(label);
}

void Reader::read_roi(DcmItem& roi) {
  const int value = label_of(text(roi, DCM_ReferencedROINumber));
  const auto colour = numbers_of(roi, DCM_ROIDisplayColor);
  const auto is_byte = [](double part) { return part >= 0 && part <= 255; };
  if (colour.size() == 3 && std::ranges::all_of(colour, is_byte)) {
    contours::Label label = *result_.set.label(value);
    label.colour =
        colour_of({static_cast<int>(colour[0]), static_cast<int>(colour[1]), static_cast<int>(colour[2])});
    result_.set.put_label(label);
  }
  exclusive_.clear();
  for (DcmItem* contour : items(roi, DCM_ContourSequence)) {
    progress_.check();
    read_contour(*contour, value);
  }
  add_exclusive(value);
}

/// None where they cannot be read.
std::vector<Eigen::Vector3d> Reader::read_points(DcmItem& item) {
  DcmElement* data = nullptr;
  if (item.findAndGetElement(DCM_ContourData, data).bad() || data->getLength() == 0) {
    ++counts_.empty;
    return {};
  }
  const auto numbers = numbers_of(item, DCM_ContourData);
  if (numbers.empty() || numbers.size() % 3 != 0) {
    ++counts_.unreadable;
    return {};
  }
  std::vector<Eigen::Vector3d> points;
  points.reserve(numbers.size() / 3);
  for (std::size_t i = 0; i < numbers.size(); i += 3)
    points.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  const auto count = numbers_of(item, DCM_NumberOfContourPoints);
  if (count.size() == 1 && count[0] != static_cast<double>(points.size())) ++counts_.miscounted;
  return points;
}

void Reader::read_contour(DcmItem& item, int label) {
  const auto points_mm = read_points(item);
  if (points_mm.empty()) return;
  const auto placed = slice_of(points_mm, image_.volume.geometry, positions_);
  if (!placed) {
    ++counts_.off_slices;
    return;
  }
  const auto plane = images::slice_plane(image_.volume.geometry, placed->slice);
  Polyline points;
  for (const auto& point : points_mm) {
    const Eigen::Vector2d place = positions_.place_at(placed->slice, point);
    if (points.empty() || points.back() != place) points.push_back(place);
  }
  if (std::ranges::any_of(points,
                          [](const auto& place) { return place.cwiseAbs().maxCoeff() > farthest_px; })) {
    ++counts_.far;
    return;
  }
  if (placed->distance_mm > 0.1 * plane.slice_spacing_mm) {
    ++counts_.beside;
    counts_.beside_mm = std::max(counts_.beside_mm, placed->distance_mm);
  }
  const std::string type = text(item, DCM_ContourGeometricType);
  const bool closed = !type.starts_with("OPEN") && type != "POINT";
  // Some programs repeat the first point of closed contours.
  if (closed && points.size() > 1 && points.front() == points.back()) points.pop_back();
  if (!closed || points.size() < 3) {
    add(std::move(points), placed->slice, false, label);
  } else if (type == "CLOSEDPLANAR_XOR") {
    exclusive_[placed->slice].push_back(std::move(points));
  } else {
    add_closed(std::move(points), placed->slice, label);
  }
}

void Reader::add(Polyline points, images::SliceId slice, bool closed, int label,
                 contours::Combination combination) {
  auto contour = contours::contour_from_outline(std::move(points), slice, closed, label);
  contour.combination = combination;
  contour.name = fmt::format("{} {}", result_.set.label(label)->name, ++contours_[label]);
  result_.set.add(std::move(contour));
}

void Reader::add_closed(Polyline outline, images::SliceId slice, int label) {
  auto region = separate_holes(outline);
  add(std::move(region.outline), slice, true, label);
  for (auto& hole : region.holes) add(std::move(hole), slice, true, label, contours::Combination::subtract);
}

/// Largest first, so that each is applied after those it lies in; within an odd number of others it cuts out.
void Reader::add_exclusive(int label) {
  for (auto& [slice, outlines] : exclusive_) {
    std::ranges::sort(outlines, std::greater{},
                      [](const Polyline& outline) { return std::abs(contours::signed_area_px2(outline)); });
    std::vector<bool> cuts;
    for (std::size_t i = 0; i < outlines.size(); ++i) {
      progress_.check();
      const Eigen::Vector2d probe = (outlines[i][0] + outlines[i][1]) / 2;
      const auto around =
          std::count_if(outlines.begin(), outlines.begin() + static_cast<std::ptrdiff_t>(i),
                        [&](const Polyline& other) { return contours::contains(other, probe); });
      cuts.push_back(around % 2 != 0);
    }
    for (std::size_t i = 0; i < outlines.size(); ++i) {
      add(std::move(outlines[i]), slice, true, label,
          cuts[i] ? contours::Combination::subtract : contours::Combination::add);
    }
  }
}

void Reader::tell() {
  const auto warn = [&](int count, std::string_view what) {
    if (count > 0) {
      result_.warnings.push_back(fmt::format("{} contour{} {}.", count, count == 1 ? "" : "s", what));
    }
  };
  warn(counts_.unreadable, "left out: the coordinates are not numbers, three for each point");
  warn(counts_.empty, "left out: without points");
  warn(counts_.off_slices, "left out: not within half a spacing of a slice of this image");
  warn(counts_.far, "left out: far outside this image");
  warn(counts_.miscounted,
       "with another number of points than announced: all points that are there were taken");
  warn(counts_.beside, fmt::format("moved onto the nearest slice, by up to {:.2f} mm", counts_.beside_mm));
  if (result_.set.contours().empty())
    result_.warnings.emplace_back("There is no contour for this image in the file.");
}

}  // namespace

ReadStructures read_rtstruct(const std::filesystem::path& path, const images::Document& image,
                             const jobs::Progress& progress) {
  const auto file = load(path, UID_RTStructureSetStorage, "RT structure set");
  progress.check();
  try {
    return Reader(image, progress).read(*file->getDataset());
  } catch (const Error& error) {
    throw InputError(path, 0, error.what());
  }
}

}  // namespace isolume::dicom

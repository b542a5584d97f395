#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/contours/label_map.h"
#include "core/contours/outlines.h"
#include "core/contours/outside.h"
#include "core/contours/polygon.h"
#include "core/dicom/contours/belonging.h"
#include "core/dicom/contours/dcmtk.h"
#include "core/dicom/contours/read_contours.h"
#include "core/dicom/contours/regions.h"
#include "core/dicom/contours/slice_positions.h"

namespace isolume::dicom {
namespace {

using contours::Polyline;
using Tally = contours::ContourTally;

/// The slice within half a spacing of all points, along the axis of their smallest extent; if several axes are equal
/// in this (single points, straight lines), the one along which the image was acquired.
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
    if (!(index >= 0 && index < geometry.dimensions[static_cast<std::size_t>(axis)])) continue;
    const double centre = index * plane.slice_spacing_mm;
    const double distance = std::max(high - centre, centre - low);
    if (distance <= 0.5 * plane.slice_spacing_mm + rounding_mm) {
      best = Placed{{axis, static_cast<int>(index)}, distance};
    }
  }
  return best;
}

struct Tallies {
  Tally unreadable, empty, off_slices, miscounted, commas, displaced, not_displaced, beside, untyped,
      too_short, self_crossing, crossing, mixed, crossing_exclusive, nested;
  double beside_mm = 0;
  contours::OutsideTally outside;
};

// Retired in 2021; DCMTK's names for them depend on its version.
const DcmTagKey contour_slab_thickness(0x3006, 0x0044), contour_offset_vector(0x3006, 0x0045);

bool is_closed_type(const std::string& type) {
  return type == "CLOSED_PLANAR" || type == "CLOSEDPLANAR_XOR";
}
bool is_open_type(const std::string& type) {
  return type == "OPEN_PLANAR" || type == "OPEN_NONPLANAR" || type == "POINT";
}

Eigen::Vector2d middle_of_first_side(const Polyline& outline) {
  return (outline[0] + outline[1]) / 2;
}

double area_of(const Polyline& outline) {
  return std::abs(contours::signed_area_px2(outline));
}

class Reader {
 public:
  Reader(const images::Document& image, std::optional<Nested> nested, const jobs::Progress& progress)
      : image_(image), positions_(image), nested_(nested), progress_(progress) {}

  ReadContours read(DcmDataset& data) {
    check_belonging(data, image_, result_.remarks);
    for (DcmItem* roi : items(data, DCM_StructureSetROISequence)) read_name(*roi);
    const auto rois = items(data, DCM_ROIContourSequence);
    int done = 0;
    for (DcmItem* roi : rois) {
      progress_.report(done++ / static_cast<double>(rois.size()), "RT structure set");
      read_roi(*roi);
    }
    for (auto& [label, outlines] : exclusive_) take_planar(label, outlines);
    for (auto& [label, outlines] : planar_) add_planar(label, outlines);
    for (auto& [label, outlines] : exclusive_) add_exclusive(label, outlines);
    tell();
    return std::move(result_);
  }

 private:
  using OnSlices = std::map<images::SliceId, std::vector<Polyline>>;

  void read_name(DcmItem& roi);
  int label_of(const std::string& roi_number);
  void read_roi(DcmItem& roi);
  void read_contour(DcmItem& item, int label);
  std::vector<Eigen::Vector3d> read_points(DcmItem& item, const std::string& roi);
  Eigen::Vector3d read_offset(DcmItem& item, const std::string& roi);
  void tally_self_crossing(const Polyline& outline, int label);
  void take_planar(int label, OnSlices& exclusive);
  void add_planar(int label, OnSlices& outlines);
  void add_exclusive(int label, OnSlices& outlines);
  void add_pixels_of(const std::vector<Polyline>& outlines, images::SliceId slice, int label);
  void add(Polyline points, images::SliceId slice, bool closed, int label,
           contours::Combination combination = contours::Combination::add);
  void tell();
  const std::string& name_of(int label) const { return result_.set.label(label)->name; }

  const images::Document& image_;
  const SlicePositions positions_;
  const std::optional<Nested> nested_;
  jobs::Progress progress_;
  ReadContours result_;
  Tallies tallies_;
  std::map<std::string, int> labels_;  // by ROI number
  std::set<int> used_, named_, drawn_;
  std::map<int, int> contours_;  // per label
  int next_value_ = 1;
  // Closed outlines of each label, and those combined by exclusive or.
  std::map<int, OnSlices> planar_, exclusive_;
};

/// The label of an ROI, created if there is none yet: its number if that is a valid label value.
int Reader::label_of(const std::string& roi_number) {
  const auto known = labels_.find(roi_number);
  if (known != labels_.end()) return known->second;
  int value = parse_number<int>(roi_number).value_or(0);
  if (value < 1 || value > 65535 || used_.contains(value)) {
    while (used_.contains(next_value_)) ++next_value_;
    value = next_value_;
    result_.remarks.converted(
        fmt::format("Region of interest {} became label {}, as labels are numbered from 1 to 65535.",
                    roi_number.empty() ? "without a number" : roi_number, value));
  }
  if (value > 65535) throw Error("it has more than 65535 regions of interest");
  used_.insert(value);
  labels_[roi_number] = value;
  result_.set.put_label(
      {.value = value, .name = "ROI " + roi_number, .colour = contours::label_colour(value - 1)});
  return value;
}

void Reader::read_name(DcmItem& roi) {
  const int value = label_of(text(roi, DCM_ROINumber));
  contours::Label label = *result_.set.label(value);
  const std::string name = text(roi, DCM_ROIName);
  if (!named_.insert(value).second) {
    result_.remarks.warn(
        fmt::format("Two regions of interest have the number {}, {} and {}: they became one label.", value,
                    label.name, name.empty() ? "one without a name" : name));
  }
  if (!name.empty()) label.name = name;
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
  for (DcmItem* contour : items(roi, DCM_ContourSequence)) {
    progress_.check();
    drawn_.insert(value);
    read_contour(*contour, value);
  }
}

/// By which the contour's points have to be displaced (PS3.3 2020, C.8.8.6.2: to be added to Contour Data, but zero
/// without a valid Contour Slab Thickness).
Eigen::Vector3d Reader::read_offset(DcmItem& item, const std::string& roi) {
  const auto read = read_numbers(item, contour_offset_vector);
  const auto is_zero = [](double number) { return number == 0; };
  if (!read.is_unreadable && std::ranges::all_of(read.numbers, is_zero)) return Eigen::Vector3d::Zero();
  if (read.numbers.size() != 3 || !(number_of(item, contour_slab_thickness).value_or(0) > 0)) {
    tallies_.not_displaced.add(roi);
    return Eigen::Vector3d::Zero();
  }
  tallies_.displaced.add(roi);
  return {read.numbers[0], read.numbers[1], read.numbers[2]};
}

/// None if they cannot be read.
std::vector<Eigen::Vector3d> Reader::read_points(DcmItem& item, const std::string& roi) {
  DcmElement* data = nullptr;
  if (item.findAndGetElement(DCM_ContourData, data).bad() || data->getLength() == 0) {
    tallies_.empty.add(roi);
    return {};
  }
  const auto [numbers, is_unreadable, has_commas] = read_numbers(item, DCM_ContourData);
  if (has_commas) tallies_.commas.add(roi);
  if (numbers.empty() || numbers.size() % 3 != 0) {
    tallies_.unreadable.add(roi);
    return {};
  }
  const Eigen::Vector3d offset = read_offset(item, roi);
  std::vector<Eigen::Vector3d> points;
  points.reserve(numbers.size() / 3);
  for (std::size_t i = 0; i < numbers.size(); i += 3)
    points.emplace_back(offset + Eigen::Vector3d(numbers[i], numbers[i + 1], numbers[i + 2]));
  const auto count = numbers_of(item, DCM_NumberOfContourPoints);
  if (count.size() == 1 && count[0] != static_cast<double>(points.size())) tallies_.miscounted.add(roi);
  return points;
}

void Reader::read_contour(DcmItem& item, int label) {
  const std::string roi = name_of(label);
  const auto points_mm = read_points(item, roi);
  if (points_mm.empty()) return;
  const auto placed = slice_of(points_mm, image_.volume.geometry, positions_);
  if (!placed) return tallies_.off_slices.add(roi);
  const auto plane = images::slice_plane(image_.volume.geometry, placed->slice);
  Polyline points;
  for (const auto& point : points_mm) {
    const Eigen::Vector2d place = positions_.place_at(placed->slice, point);
    if (points.empty() || points.back() != place) points.push_back(place);
  }
  const std::string type = text(item, DCM_ContourGeometricType);
  const bool closed = !is_open_type(type);
  if (!tallies_.outside.add(points, plane, closed, roi)) return;
  if (placed->distance_mm > 0.1 * plane.slice_spacing_mm) {
    tallies_.beside.add(roi);
    tallies_.beside_mm = std::max(tallies_.beside_mm, placed->distance_mm);
  }
  if (closed && !is_closed_type(type)) tallies_.untyped.add(roi);
  // Some programs repeat the first point of closed contours.
  if (closed && points.size() > 1 && points.front() == points.back()) points.pop_back();
  if (closed && points.size() < 3) tallies_.too_short.add(roi);
  if (!closed || points.size() < 3) {
    add(std::move(points), placed->slice, false, label);
  } else {
    (type == "CLOSEDPLANAR_XOR" ? exclusive_ : planar_)[label][placed->slice].push_back(std::move(points));
  }
}

void Reader::add(Polyline points, images::SliceId slice, bool closed, int label,
                 contours::Combination combination) {
  auto contour = contours::contour_from_outline(std::move(points), slice, closed, label);
  contour.combination = combination;
  contour.name = fmt::format("{} {}", name_of(label), ++contours_[label]);
  result_.set.add(std::move(contour));
}

void Reader::tally_self_crossing(const Polyline& outline, int label) {
  if (contours::crosses_itself(outline)) tallies_.self_crossing.add(name_of(label));
}

/// Moves the other closed contours to those that are combined by exclusive or, on the slices that have such ones:
/// this combines all contours of the region (PS3.3 C.8.8.6.3).
void Reader::take_planar(int label, OnSlices& exclusive) {
  const auto planar = planar_.find(label);
  if (planar == planar_.end()) return;
  for (auto& [slice, outlines] : exclusive) {
    auto others = planar->second.extract(slice);
    if (others.empty()) continue;
    for (const auto& outline : others.mapped()) {
      tallies_.mixed.add(name_of(label));
      Region region = separate_holes(outline);
      outlines.push_back(std::move(region.outline));
      for (auto& hole : region.holes) outlines.push_back(std::move(hole));
    }
  }
}

/// Number of loops of the other regions around a region; nothing if it meets one of them.
std::optional<int> loops_around(const std::vector<Region>& regions, std::size_t which) {
  int around = 0;
  const Eigen::Vector2d probe = middle_of_first_side(regions[which].outline);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    if (i == which) continue;
    if (contours::touch(regions[i].outline, regions[which].outline)) return std::nullopt;
    if (!contours::contains(regions[i].outline, probe)) continue;
    ++around;
    around += static_cast<int>(std::ranges::count_if(
        regions[i].holes, [&](const Polyline& hole) { return contours::contains(hole, probe); }));
  }
  return around;
}

/// Filled, or, if this was chosen, largest first, subtracting those inside an odd number of loops.
void Reader::add_planar(int label, OnSlices& on_slices) {
  using contours::Combination;
  for (auto& [slice, outlines] : on_slices) {
    std::vector<Region> regions;
    for (auto& outline : outlines) regions.push_back(separate_holes(outline));
    if (nested_ == Nested::holes) {
      std::ranges::stable_sort(regions, std::greater{},
                               [](const Region& each) { return area_of(each.outline); });
    }
    std::vector<bool> cuts;
    for (std::size_t i = 0; i < regions.size(); ++i) {
      progress_.check();
      tally_self_crossing(regions[i].outline, label);
      for (const auto& hole : regions[i].holes) tally_self_crossing(hole, label);
      const auto around = loops_around(regions, i);
      if (!around) tallies_.crossing.add(name_of(label));
      const bool nested = around && *around % 2 != 0;
      if (nested) tallies_.nested.add(name_of(label));
      cuts.push_back(nested && nested_ == Nested::holes);
    }
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const auto how = cuts[i] ? Combination::subtract : Combination::add;
      const auto otherwise = cuts[i] ? Combination::add : Combination::subtract;
      add(std::move(regions[i].outline), slice, true, label, how);
      for (auto& hole : regions[i].holes) add(std::move(hole), slice, true, label, otherwise);
    }
  }
}

bool meet_each_other(const std::vector<Polyline>& outlines) {
  for (std::size_t i = 0; i < outlines.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (contours::touch(outlines[i], outlines[k])) return true;
    }
  }
  return false;
}

/// Largest first, so that each is applied after those that contain it; inside an odd number of others it is
/// subtracted.
void Reader::add_exclusive(int label, OnSlices& on_slices) {
  for (auto& [slice, outlines] : on_slices) {
    progress_.check();
    for (const auto& outline : outlines) tally_self_crossing(outline, label);
    if (meet_each_other(outlines)) {
      add_pixels_of(outlines, slice, label);
      continue;
    }
    std::ranges::sort(outlines, std::greater{}, area_of);
    std::vector<bool> cuts;
    for (std::size_t i = 0; i < outlines.size(); ++i) {
      progress_.check();
      const auto around = std::count_if(outlines.begin(), outlines.begin() + static_cast<std::ptrdiff_t>(i),
                                        [&](const Polyline& other) {
                                          return contours::contains(other, middle_of_first_side(outlines[i]));
                                        });
      cuts.push_back(around % 2 != 0);
    }
    for (std::size_t i = 0; i < outlines.size(); ++i) {
      add(std::move(outlines[i]), slice, true, label,
          cuts[i] ? contours::Combination::subtract : contours::Combination::add);
    }
  }
}

/// Adding and subtracting whole outlines cannot express the area covered by an odd number of them if they cross.
void Reader::add_pixels_of(const std::vector<Polyline>& outlines, images::SliceId slice, int label) {
  const auto plane = images::slice_plane(image_.volume.geometry, slice);
  contours::SliceLabels pixels{plane.columns, plane.rows, {}};
  for (const auto& outline : outlines) {
    progress_.check();
    tallies_.crossing_exclusive.add(name_of(label));
    const auto inside = contours::rasterise(contours::contour_from_outline(outline, slice, true, 1),
                                            plane.columns, plane.rows);
    pixels.values.resize(inside.values.size());
    for (std::size_t at = 0; at < inside.values.size(); ++at) {
      pixels.values[at] = static_cast<std::uint16_t>(pixels.values[at] ^ inside.values[at]);
    }
  }
  for (auto& outline : contours::outlines_of(std::move(pixels), progress_)) {
    const bool hole = outline.area_px2 < 0;
    add(std::move(outline.points), slice, true, label,
        hole ? contours::Combination::subtract : contours::Combination::add);
  }
}

void Reader::tell() {
  auto& remarks = result_.remarks;
  const auto tell = [&](RemarkKind kind, const Tally& tally, std::string_view what) {
    if (tally.count() > 0) remarks.add(kind, fmt::format("{} {}.", tally.text(), what), tally.count());
  };
  using enum RemarkKind;
  tell(dropped, tallies_.unreadable, "left out: the coordinates are not numbers, three for each point");
  tell(dropped, tallies_.empty, "left out: without points");
  tell(dropped, tallies_.off_slices, "left out: not within half a spacing of a slice of this image");
  tell(warning, tallies_.miscounted,
       "with another number of points than announced: all points that are there were taken");
  tell(corrected, tallies_.commas, "written with decimal commas, which are read as decimal points");
  tell(converted, tallies_.displaced, "displaced by its Contour Offset Vector");
  tell(dropped, tallies_.not_displaced,
       "not displaced by its Contour Offset Vector, which is no vector or has no valid Contour Slab "
       "Thickness");
  tell(converted, tallies_.beside,
       fmt::format("moved onto the nearest slice, by up to {:.2f} mm", tallies_.beside_mm));
  tallies_.outside.report(remarks);
  tell(assumed, tallies_.untyped, "without a known type, taken as closed");
  tell(converted, tallies_.too_short, "closed with fewer than three points, taken as a line");
  tell(assumed, tallies_.self_crossing,
       "crossing themselves: what lies in an even number of an outline's loops was taken as outside");
  tell(assumed, tallies_.crossing,
       "meeting others of the same region on its slice: what either encloses was taken");
  tell(assumed, tallies_.mixed,
       "on slices with others of type CLOSEDPLANAR_XOR: combined with them by exclusive or");
  tell(converted, tallies_.crossing_exclusive,
       "of type CLOSEDPLANAR_XOR crossing each other: replaced by the outlines of the pixels they enclose");
  const bool holes = nested_ == Nested::holes;
  tell(assumed, tallies_.nested,
       fmt::format(
           "within others of the same region, which programs write for holes and for filled parts alike: {}",
           holes ? "cut out as holes" : "filled"));
  result_.nested = static_cast<int>(tallies_.nested.count());
  std::vector<std::string> without;
  for (const auto& label : result_.set.labels()) {
    if (!drawn_.contains(label.value)) without.push_back(label.name);
  }
  if (!without.empty()) {
    remarks.add(warning, fmt::format("Regions of interest without contours: {}.", first_names(without)),
                without.size());
  }
  contours::remark_on_labels_without_pixels(result_.set, result_.set, image_.volume.geometry,
                                            "Regions of interest", remarks);
  if (result_.set.contours().empty()) remarks.warn(contours::no_contour_remark);
}

}  // namespace

ReadContours read_rtstruct(const std::filesystem::path& path, const images::Document& image,
                           std::optional<Nested> nested, const jobs::Progress& progress) {
  const auto file = load(path, {UID_RTStructureSetStorage}, "RT structure set");
  progress.check();
  try {
    return Reader(image, nested, progress).read(*file->getDataset());
  } catch (const Error& error) {
    throw InputError(path, 0, error.what());
  }
}

}  // namespace isolume::dicom

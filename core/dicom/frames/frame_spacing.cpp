#include "core/dicom/frames/frame_spacing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/dicom/data/dicom_file.h"

namespace isolume::dicom {
namespace {

/// Rows first, i.e. along y (PS3.3 10.7.1.3).
std::optional<Eigen::Vector2d> usable_spacing(const std::vector<double>& numbers) {
  if (numbers.size() != 2 || numbers[0] <= 0 || numbers[1] <= 0) return std::nullopt;
  return Eigen::Vector2d(numbers[1], numbers[0]);
}

bool are_alike(const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  constexpr double rounding = 1e-4;
  return (a - b).norm() <= rounding * a.norm();
}

/// In cm (PS3.3 C.8.5.5.1.15).
images::ScaledRegion region_of(const FrameAttributes& frame, DcmItem& item) {
  constexpr int centimetre = 3;
  constexpr double mm = 10;
  images::ScaledRegion region{.left = whole_number_of(item, DCM_RegionLocationMinX0),
                              .top = whole_number_of(item, DCM_RegionLocationMinY0),
                              .right = whole_number_of(item, DCM_RegionLocationMaxX1),
                              .bottom = whole_number_of(item, DCM_RegionLocationMaxY1),
                              .spacing_mm = {}};
  const Eigen::Vector2d spacing(mm * std::abs(frame.number(item, DCM_PhysicalDeltaX).value_or(0)),
                                mm * std::abs(frame.number(item, DCM_PhysicalDeltaY).value_or(0)));
  const bool are_lengths = whole_number_of(item, DCM_PhysicalUnitsXDirection) == centimetre &&
                           whole_number_of(item, DCM_PhysicalUnitsYDirection) == centimetre;
  if (are_lengths && spacing.minCoeff() > 0) region.spacing_mm = spacing;
  return region;
}

std::vector<images::ScaledRegion> all_regions(const FrameAttributes& frame) {
  std::vector<images::ScaledRegion> regions;
  for (int at = 0; DcmItem* item = item_of(frame.dataset(), DCM_SequenceOfUltrasoundRegions, at); ++at) {
    const images::ScaledRegion region = region_of(frame, *item);
    if (region.left >= 0 && region.top >= 0 && region.right >= region.left && region.bottom >= region.top &&
        item->tagExistsWithValue(DCM_RegionLocationMaxX1) &&
        item->tagExistsWithValue(DCM_RegionLocationMaxY1)) {
      regions.push_back(region);
    } else {
      frame.remarks().dropped(
          "The location of an ultrasound region is not a rectangle of pixels: its scale is not used.");
    }
  }
  return regions;
}

std::optional<Eigen::Vector2d> spacing_of_first_region(const FrameAttributes& frame) {
  for (const images::ScaledRegion& region : all_regions(frame)) {
    if (region.spacing_mm) return region.spacing_mm;
  }
  return std::nullopt;
}

/// For portal images and simulated ones: at the image plane, not in the patient (PS3.3 C.8.8.2).
std::optional<Eigen::Vector2d> spacing_of_rt_image(const FrameAttributes& frame) {
  DcmItem& dataset = frame.dataset();
  const auto spacing = usable_spacing(frame.numbers(dataset, DCM_ImagePlanePixelSpacing));
  if (!spacing) return std::nullopt;
  const double plane = frame.number(dataset, DCM_RTImageSID).value_or(0),
               isocentre = frame.number(dataset, DCM_RadiationMachineSAD).value_or(0);
  std::string where;
  if (plane > 0) where = fmt::format(", {:g} mm from the source", plane);
  if (plane > 0 && isocentre > 0) {
    where += fmt::format(". At the isocentre, {:g} mm from it, lengths are {:.4g} times those shown",
                         isocentre, isocentre / plane);
  }
  frame.remarks().warn(fmt::format("Pixel spacing is that of the image plane{}.", where));
  return spacing;
}

void warn_of_detector_plane(const FrameAttributes& frame) {
  double factor = frame.number(frame.dataset(), DCM_EstimatedRadiographicMagnificationFactor).value_or(0);
  const double detector = frame.number(frame.dataset(), DCM_DistanceSourceToDetector).value_or(0),
               patient = frame.number(frame.dataset(), DCM_DistanceSourceToPatient).value_or(0);
  if (factor <= 0 && patient > 0) factor = detector / patient;
  frame.remarks().warn(
      fmt::format("Pixel spacing is that of the detector: lengths in the patient are smaller{}.",
                  factor > 1 ? fmt::format(", by about {:.3g} times", factor) : ""));
}

/// PS3.3 10.7.1.3: a Pixel Spacing that equals Imager Pixel Spacing is not corrected for magnification; without that
/// attribute it is unknown, unless the kind of calibration is stated.
void warn_of_projection(const FrameAttributes& frame, const Eigen::Vector2d& spacing) {
  static constexpr std::array<std::string_view, 5> projections{"CR", "DX", "MG", "RF", "XA"};
  const auto at_detector = usable_spacing(frame.numbers(frame.dataset(), DCM_ImagerPixelSpacing));
  if (at_detector) {
    if (are_alike(*at_detector, spacing)) warn_of_detector_plane(frame);
    return;
  }
  const std::string modality = text_of(frame.dataset(), DCM_Modality);
  const bool is_projection = std::ranges::find(projections, modality) != projections.end();
  if (!is_projection || !text_of(frame.dataset(), DCM_PixelSpacingCalibrationType).empty()) return;
  frame.remarks().warn(
      "The file does not say whether its pixel spacing is that of the detector or is calibrated: lengths in "
      "the patient may be smaller.");
}

void remark_on_unusable(const FrameAttributes& frame, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  frame.remarks().dropped(
      fmt::format("Its {} ({}) is not two positive numbers, and is not used.", name, value));
}

}  // namespace

Eigen::Vector2d spacing_of(const FrameAttributes& frame) {
  if (const auto spacing = usable_spacing(frame.numbers(DCM_PixelMeasuresSequence, DCM_PixelSpacing))) {
    const auto region = spacing_of_first_region(frame);
    if (region && !are_alike(*region, *spacing)) {
      frame.remarks().warn(
          fmt::format("Its Pixel Spacing ({:.4g} × {:.4g} mm) differs from that of its ultrasound region "
                      "({:.4g} × {:.4g} mm), which is used.",
                      spacing->x(), spacing->y(), region->x(), region->y()));
      return *region;
    }
    warn_of_projection(frame, *spacing);
    return *spacing;
  }
  remark_on_unusable(frame, "Pixel Spacing", frame.text(DCM_PixelMeasuresSequence, DCM_PixelSpacing));
  if (const auto region = spacing_of_first_region(frame)) return *region;
  if (const auto rt_image = spacing_of_rt_image(frame)) return *rt_image;
  if (const auto spacing = usable_spacing(frame.numbers(frame.dataset(), DCM_ImagerPixelSpacing))) {
    warn_of_detector_plane(frame);
    return *spacing;
  }
  if (const auto spacing = usable_spacing(frame.numbers(frame.dataset(), DCM_NominalScannedPixelSpacing))) {
    frame.remarks().warn(
        "Pixel spacing is that of the scanned film or plate: lengths in the patient may be smaller.");
    return *spacing;
  }
  // Vertical and horizontal (PS3.3 C.7.6.3.1.7).
  if (const auto ratio = usable_spacing(frame.numbers(frame.dataset(), DCM_PixelAspectRatio));
      ratio && ratio->x() != ratio->y()) {
    const double height = ratio->y() / ratio->x();
    frame.remarks().assumed(
        fmt::format("The file gives the aspect ratio of a pixel, but not its size: a width of 1 mm and a "
                    "height of {:.4g} mm are assumed.",
                    height));
    return {1, height};
  }
  frame.remarks().assumed("The file does not say how large a pixel is: 1 mm is assumed.");
  return {1, 1};
}

std::vector<images::ScaledRegion> regions_of(const FrameAttributes& frame) {
  std::vector<images::ScaledRegion> regions = all_regions(frame);
  if (regions.empty()) return regions;
  const int columns = whole_number_of(frame.dataset(), DCM_Columns),
            rows = whole_number_of(frame.dataset(), DCM_Rows);
  const bool is_one_scale = std::ranges::all_of(regions, [&](const images::ScaledRegion& region) {
    return region.spacing_mm && are_alike(*region.spacing_mm, *regions.front().spacing_mm);
  });
  const bool is_everywhere = std::ranges::any_of(regions, [&](const images::ScaledRegion& region) {
    return region.left == 0 && region.top == 0 && region.right >= columns - 1 && region.bottom >= rows - 1;
  });
  if (is_one_scale && is_everywhere) return {};
  if (is_one_scale) {
    frame.remarks().warn(
        "Its scale is that of its ultrasound region: a contour is measured where it lies within one, and not "
        "outside.");
    return regions;
  }
  frame.remarks().warn(
      fmt::format("Each of its {} ultrasound regions has its own scale. A contour is measured where it lies "
                  "within one of them "
                  "whose axes are lengths; positions in mm and the scale bar are those of the first.",
                  regions.size()));
  return regions;
}

double step_of(const FrameAttributes& frame) {
  for (const DcmTagKey& tag : {DCM_SpacingBetweenSlices, DCM_SliceThickness}) {
    const std::vector<double> numbers = frame.numbers_if_readable(DCM_PixelMeasuresSequence, tag);
    if (!numbers.empty() && numbers[0] != 0) return std::abs(numbers[0]);
  }
  return 0;
}

}  // namespace isolume::dicom

#include "app/labs/livewire/files/contour_formats.h"

#include <algorithm>
#include <cctype>
#include <ranges>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/suffix.h"
#include "core/contours/label_map.h"
#include "core/contours/measures.h"
#include "core/contours/segments.h"
#include "core/dicom/contours/rtstruct.h"
#include "core/dicom/contours/segmentation.h"
#include "core/dicom/contours/slice_positions.h"

namespace isolume::labs::livewire {
namespace {

namespace fs = std::filesystem;

contours::ContourDocument document_of(const Drawing& drawing) {
  return {drawing.set, reference_of(*drawing.image)};
}

/// Label maps and positions have one spacing.
void tell_of_regions(const Drawing& drawing, const Tell& tell) {
  const images::Geometry& geometry = drawing.image->volume.geometry;
  const std::size_t outside = contours::contours_without_scale(drawing.set, geometry);
  Remarks remarks;
  if (!geometry.has_one_scale()) {
    remarks.warn(
        "The image's ultrasound regions have different scales; the file has the spacing of the first.");
  } else if (outside > 0) {
    remarks.warn(
        fmt::format("{} contour{} not within one ultrasound region: the file's mm do not hold there.",
                    outside, outside == 1 ? " lies" : "s lie"));
  }
  if (!remarks.empty()) tell(remarks);
}

void write_label_map(const Drawing& drawing, const fs::path& path, const Tell& tell,
                     const jobs::Progress& progress) {
  dicom::require_regular_grid(*drawing.image, path);
  tell_of_regions(drawing, tell);
  Remarks remarks;
  const auto map =
      contours::label_map(drawing.set, drawing.image->volume.geometry, progress.part(0, 0.7), &remarks);
  remarks.add(images::write_volume(map, path));
  if (!remarks.empty()) tell(remarks);
}

void write_segments(const Drawing& drawing, const fs::path& path, const Tell& tell,
                    const jobs::Progress& progress) {
  dicom::require_regular_grid(*drawing.image, path);
  tell_of_regions(drawing, tell);
  contours::write_segments(drawing.set, drawing.image->volume.geometry, path, progress);
}

void write_measures(const Drawing& drawing, const fs::path& path, const Tell&, const jobs::Progress&) {
  AtomicFile file(path);
  file.stream() << contours::measures_csv(drawing.set, drawing.image->volume);
  file.commit();
}

void write_points(const Drawing& drawing, const fs::path& path, const Tell& tell, const jobs::Progress&) {
  tell_of_regions(drawing, tell);
  const dicom::SlicePositions positions(*drawing.image);
  contours::write_points_csv(document_of(drawing), path, [&](images::SliceId slice, const auto& place) {
    return positions.position_mm(slice, place);
  });
}

void write_json(const Drawing& drawing, const fs::path& path, const Tell&, const jobs::Progress&) {
  contours::write_contours(document_of(drawing), path);
}

void write_svg(const Drawing& drawing, const fs::path& path, const Tell&, const jobs::Progress&) {
  contours::write_svg(document_of(drawing), drawing.slice, path);
}

void write_segmentation(const Drawing& drawing, const fs::path& path, const Tell&,
                        const jobs::Progress& progress) {
  dicom::write_segmentation(drawing.set, *drawing.image, path, progress);
}

void write_rtstruct(const Drawing& drawing, const fs::path& path, const Tell& tell,
                    const jobs::Progress& progress) {
  const Remarks remarks = dicom::write_rtstruct(drawing.set, *drawing.image, path, progress);
  if (!remarks.empty()) tell(remarks);
}

Remarks left_out(const ContourFormat& format, const Drawing& drawing) {
  Remarks remarks;
  const contours::ContourSet& set = drawing.set;
  const auto& all = set.contours();
  const auto suggestions = static_cast<std::size_t>(
      std::ranges::count_if(all, [](const auto& contour) { return contour->suggestion; }));
  const auto open = static_cast<std::size_t>(std::ranges::count_if(
      all, [](const auto& contour) { return !contour->suggestion && !contour->closed; }));
  const auto plural = [](std::size_t count) { return count == 1 ? "" : "s"; };
  if (const std::size_t rulers = set.rulers().size(); rulers > 0 && !format.holds_rulers) {
    remarks.dropped(
        fmt::format("{} distance{} or angle{} left out of the file: .json and .measures.csv hold them.",
                    rulers, plural(rulers), plural(rulers)),
        rulers);
  }
  if (suggestions > 0 && !format.holds_suggestions) {
    remarks.dropped(fmt::format("{} suggestion{} left out of the file: accept them first to write them.",
                                suggestions, plural(suggestions)),
                    suggestions);
  }
  if (open > 0 && format.areas_alone) {
    remarks.dropped(fmt::format("{} open contour{} left out of the file, which holds closed areas only.",
                                open, plural(open)),
                    open);
  }
  if (format.holds_positions && !drawing.image->volume.geometry.has_sides()) {
    remarks.assumed(
        "The image does not say how it lies in the patient: the file's positions run along the image's own "
        "axes and state no sides.");
  }
  return remarks;
}

}  // namespace

contours::ImageReference reference_of(const images::Document& image) {
  return {.path = image.path.string(),
          .series_uid = image.dicom ? image.dicom->series_key : std::string(),
          .geometry = image.volume.geometry};
}

const std::vector<ContourFormat>& contour_formats() {
  static const std::vector<ContourFormat> all = [] {
    std::vector<ContourFormat> formats{
        {.suffix = ".measures.csv", .holds_rulers = true, .write = write_measures},
        {.suffix = ".nii.gz", .areas_alone = true, .needs_grid = true, .write = write_label_map},
        {.suffix = ".nii", .areas_alone = true, .needs_grid = true, .write = write_label_map},
        {.suffix = ".seg.nrrd", .areas_alone = true, .needs_grid = true, .write = write_segments},
        {.suffix = ".nrrd", .areas_alone = true, .needs_grid = true, .write = write_label_map},
        {.suffix = ".mha", .areas_alone = true, .needs_grid = true, .write = write_label_map},
        {.suffix = ".csv", .holds_positions = true, .write = write_points},
        {.suffix = ".json", .holds_suggestions = true, .holds_rulers = true, .write = write_json},
        {.suffix = ".seg.dcm", .areas_alone = true, .needs_dicom = true, .write = write_segmentation},
        {.suffix = ".dcm", .needs_dicom = true, .write = write_rtstruct},
        {.suffix = ".svg", .write = write_svg}};
    for (const auto& format : surface_formats()) formats.push_back(format);
    return formats;
  }();
  return all;
}

const ContourFormat& contour_format_of(const fs::path& path) {
  const auto& all = contour_formats();
  const auto found =
      std::ranges::find_if(all, [&](const ContourFormat& format) { return has_suffix(path, format.suffix); });
  if (found == all.end()) {
    throw Error(fmt::format("{}: expected an output file that ends in {}.", path.string(),
                            fmt::join(all | std::views::transform(&ContourFormat::suffix), ", ")));
  }
  return *found;
}

void write_drawing(const Drawing& drawing, const fs::path& path, const Tell& tell,
                   const jobs::Progress& progress) {
  const ContourFormat& format = contour_format_of(path);
  if (const Remarks remarks = left_out(format, drawing); !remarks.empty()) tell(remarks);
  format.write(drawing, path, tell, progress);
}

}  // namespace isolume::labs::livewire

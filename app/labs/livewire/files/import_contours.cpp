#include "app/labs/livewire/files/import_contours.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/suffix.h"
#include "core/contours/files.h"
#include "core/contours/segments.h"
#include "core/contours/transfer.h"
#include "core/dicom/contours/slice_positions.h"
#include "core/image_files/read_image.h"

namespace isolume::labs::livewire {
dicom::ReadContours open_contours(const std::filesystem::path& path, const images::Document& image) {
  auto document = contours::read_contours(path);
  dicom::ReadContours read;
  read.remarks = document.remarks;
  read.set = contours::transferred(document.set, document.image.geometry, image.volume.geometry, "contours",
                                   path, read.remarks);
  const std::string series = image.dicom ? image.dicom->series_key : std::string();
  if (!series.empty() && !document.image.series_uid.empty() && document.image.series_uid != series) {
    read.remarks.warn("The contours were drawn on another series than this one.");
  }
  return read;
}

dicom::ReadContours import_contours(const std::filesystem::path& path, const images::Document& image,
                                    std::optional<dicom::Nested> nested, const jobs::Progress& progress) {
  const auto kind = dicom::kind_of(path);
  if (kind == dicom::DicomKind::rtstruct) return dicom::read_rtstruct(path, image, nested, progress);
  if (kind == dicom::DicomKind::segmentation) return dicom::read_segmentation(path, image, progress);
  if (suffix_of(path) == ".json") return open_contours(path, image);
  dicom::ReadContours result;
  contours::SliceAt slice_at;
  if (const dicom::SlicePositions positions(image); !positions.are_equally_spaced())
    slice_at = [positions](const Eigen::Vector3d& at) { return positions.slice_at(positions.height_mm(at)); };
  if (suffix_of(path) == ".nrrd" || suffix_of(path) == ".nhdr") {
    auto segments = contours::read_segments(path, image.volume.geometry, result.remarks, progress, slice_at);
    if (segments) {
      result.set = std::move(*segments);
      return result;
    }
  }
  const auto read = images::read_image(path, {}, progress.part(0, 0.3));
  result.remarks = read.remarks;
  result.set = contours::contours_on(image.volume.geometry, read.volume, path, result.remarks,
                                     progress.part(0.3, 1), slice_at);
  return result;
}

contours::ContourSet joined(contours::ContourSet set, const contours::ContourSet& more, Remarks& remarks) {
  std::map<int, int> values;
  std::vector<std::string> renumbered, recoloured;
  for (contours::Label label : more.labels()) {
    const int before = label.value;
    if (set.label(before) != nullptr) {
      label.value = set.unused_label_value();
      renumbered.push_back(fmt::format("{} ({} became {})", label.name, before, label.value));
    }
    values[before] = label.value;
    // Structures are told apart by their colours, also if a file gives all of them the same.
    if (const auto free = set.unused_colour(); free && set.has_colour(label.colour)) {
      recoloured.push_back(fmt::format("{} ({} became {})", label.name, label.colour, *free));
      label.colour = *free;
    }
    set.put_label(std::move(label));
  }
  for (const auto& each : more.contours()) {
    contours::Contour contour = *each;
    contour.label = values.at(contour.label);
    set.add(std::move(contour));
  }
  for (const auto& ruler : more.rulers()) set.add_ruler(ruler);
  if (!renumbered.empty()) {
    remarks.converted(
        fmt::format("Labels whose numbers were already in use were renumbered: {}.", first_names(renumbered)),
        renumbered.size());
  }
  if (!recoloured.empty()) {
    remarks.converted(
        fmt::format("Labels whose colours were already in use got others: {}.", first_names(recoloured)),
        recoloured.size());
  }
  return set;
}

}  // namespace isolume::labs::livewire

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/remarks.h"
#include "core/contours/contour.h"
#include "core/contours/measures.h"
#include "core/images/volume.h"

namespace isolume::contours {

/// Which image the contours belong to, as written into sessions and exports.
struct ImageReference {
  std::string path;
  std::string series_uid;  ///< empty if the image is not DICOM
  images::Geometry geometry;
};

/// The whole set with every seed and piece, exactly: {"isolume-contours": 1, "image": {...}, "labels": [...],
/// "contours": [...]}. The program's own file format.
nlohmann::ordered_json to_json(const ContourSet& set, const ImageReference& image);
struct ContourDocument {
  ContourSet set;
  ImageReference image;
  Remarks remarks = {};  ///< of reading
};
/// Throws InputError for damaged files, naming the entry ("contours[3].pieces[0]"). Contours get new ids. Remarks name
/// entries that are not of the format.
ContourDocument read_contours(const std::filesystem::path& path);
/// The same from a file's content; `path` is used in messages.
ContourDocument contours_of_text(std::string_view text, const std::filesystem::path& path);
void write_contours(const ContourDocument& document, const std::filesystem::path& path,
                    AtomicFile::Readers readers = AtomicFile::Readers::usual);

/// Position of a point of a slice, in mm.
using PositionOf = std::function<Eigen::Vector3d(images::SliceId, const Eigen::Vector2d&)>;
/// One row per point: contour, label (names), axis, slice, piece, x_px, y_px, x_mm, y_mm, z_mm. Suggestions are left
/// out, as in all exports; hidden contours are included. Without `position_of`, slices lie on the image's grid.
void write_points_csv(const ContourDocument& document, const std::filesystem::path& path,
                      const PositionOf& position_of = {});
/// One row per contour, then one per label with closed contours, which has a volume instead of a contour name, then one
/// per ruler with its value and unit; `kind` distinguishes them. Units are in the headings ("area_mm2", "mean_HU").
/// `axis` is the plane in the patient, or x, y or z where the image has none. Cells that do not apply are empty.
/// Where pixels inside are NaN or infinite, a last column "pixels_not_finite" counts them; the others exclude them, but
/// for sizes.
std::string measures_csv(const ContourSet& set, const images::Volume& volume);
/// The same as `measures_csv`, for scripts: {"contours": [...], "labels": [...]}, keys with units; intensities as
/// {"unit": "HU", "count": ...}, null where there is no pixel; with "not_finite" where pixels are NaN or infinite.
nlohmann::ordered_json measures_json(const ContourSet& set, const images::Volume& volume);
/// One slice in mm, one path per contour; a subtracting contour is a hole in the paths of the earlier contours of its
/// label that contain it, and a mask for those that it intersects.
void write_svg(const ContourDocument& document, images::SliceId slice, const std::filesystem::path& path);

}  // namespace isolume::contours

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/contours/files.h"

namespace isolume::contours {
namespace {

/// After RFC 4180.
std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted_text = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted_text += '"';
    quoted_text += letter;
  }
  return quoted_text + '"';
}

std::string label_name(const ContourSet& set, const Contour& contour) {
  const Label* label = set.label(contour.label);
  return label == nullptr ? fmt::format("Label {}", contour.label) : label->name;
}

/// Whole numbers in full, as pixels have them; of others no more digits than outlines are good for.
std::string digits(double number) {
  return number == std::trunc(number) ? fmt::format("{}", number) : fmt::format("{:.7g}", number);
}

/// Empty where the image has no scale.
std::string cell(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? digits(*number) : "";
}

/// Of the plane in the patient, where the image states its orientation.
std::string_view axis_name(const images::Geometry& geometry, int axis) {
  static constexpr std::array<std::string_view, 3> own{"x", "y", "z"}, planes{"sagittal", "coronal", "axial"};
  if (!geometry.has_sides()) return own[static_cast<std::size_t>(axis)];
  const auto axes = images::axes_nearest_to_patient(geometry);
  return planes[static_cast<std::size_t>(std::ranges::find(axes, axis) - axes.begin())];
}

struct PlacedPoint {
  std::size_t piece;
  Eigen::Vector2d place;
};

/// `Contour::outline()` with the pieces in which the points begin or lie.
std::vector<PlacedPoint> points_of(const Contour& contour) {
  std::vector<PlacedPoint> points;
  const auto add = [&](std::size_t piece, const Eigen::Vector2d& place) {
    if (points.empty() || points.back().place != place) points.push_back({piece, place});
  };
  const auto lines = contour.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const auto& place : lines[i]) add(i, place);
  }
  if (contour.pieces.empty()) {
    for (const auto& place : contour.seeds) add(0, place);
  }
  if (contour.closed && points.size() > 1 && points.front().place == points.back().place) points.pop_back();
  return points;
}

std::string heading(std::string_view quantity, const images::Volume& volume) {
  return volume.unit.empty() ? std::string(quantity) : cell(fmt::format("{}_{}", quantity, volume.unit));
}

/// ",count,mean,sd,min,max"
std::string cells(const Intensity& inside) {
  if (inside.count == 0) return ",0,,,,";
  return fmt::format(",{},{},{},{},{}", inside.count, digits(inside.mean), digits(inside.sd),
                     digits(inside.min), digits(inside.max));
}

nlohmann::ordered_json json_of(const Intensity& intensity, const std::string& unit) {
  if (intensity.not_finite == 0 && intensity.count == 0) return nullptr;
  nlohmann::ordered_json json{{"unit", unit},       {"count", intensity.count}, {"mean", intensity.mean},
                              {"sd", intensity.sd}, {"min", intensity.min},     {"max", intensity.max}};
  if (intensity.count == 0) json["mean"] = json["sd"] = json["min"] = json["max"] = nullptr;
  if (intensity.not_finite > 0) json["not_finite"] = intensity.not_finite;
  return json;
}

}  // namespace

void write_points_csv(const ContourDocument& document, const std::filesystem::path& path,
                      const PositionOf& position_of) {
  AtomicFile file(path);
  file.stream() << "contour,label,axis,slice,piece,x_px,y_px,x_mm,y_mm,z_mm\n";
  for (const auto& contour : document.set.contours()) {
    if (contour->suggestion) continue;
    const auto plane = images::slice_plane(document.image.geometry, contour->slice);
    const std::string begin =
        fmt::format("{},{},{},{}", cell(contour->name), cell(label_name(document.set, *contour)),
                    axis_name(document.image.geometry, contour->slice.axis), contour->slice.index + 1);
    for (const auto& [piece, place] : points_of(*contour)) {
      const Eigen::Vector3d at_mm = position_of ? position_of(contour->slice, place) : plane.position(place);
      file.stream() << fmt::format("{},{},{},{},{},{},{}\n", begin, piece, place.x(), place.y(), at_mm.x(),
                                   at_mm.y(), at_mm.z());
    }
  }
  file.commit();
}

std::string measures_csv(const ContourSet& set, const images::Volume& volume) {
  std::string headings =
      "contour,label,axis,slice,closed,length_mm,area_mm2,volume_ml,feret_max_mm,feret_min_mm,centroid_x_mm,"
      "centroid_y_mm,centroid_z_mm,pixels";
  for (const auto* quantity : {"mean", "sd", "min", "max"}) headings += ',' + heading(quantity, volume);
  headings += ",kind,value,unit";
  std::vector<std::pair<std::string, std::size_t>> rows;  // with the number of pixels that are not finite
  for (const auto& contour : set.contours()) {
    if (contour->suggestion) continue;
    const auto measures = measure(*contour, volume);
    rows.emplace_back(
        fmt::format("{},{},{},{},{},{},{},,{},{},{},{},{}", cell(contour->name),
                    cell(label_name(set, *contour)), axis_name(volume.geometry, contour->slice.axis),
                    contour->slice.index + 1, contour->closed ? "yes" : "no", cell(measures.length_mm),
                    cell(measures.area_mm2), cell(measures.feret_max_mm), cell(measures.feret_min_mm),
                    cell(measures.centroid_mm.x()), cell(measures.centroid_mm.y()),
                    cell(measures.centroid_mm.z())) +
            (measures.intensity ? cells(*measures.intensity) : ",,,,,") + ",contour,,",
        measures.intensity ? measures.intensity->not_finite : 0);
  }
  for (const auto& measures : measure_labels(set, volume)) {
    if (measures.contours == 0) continue;
    constexpr double mm3_per_ml = 1000;
    rows.emplace_back(fmt::format(",{},,,,,,{},,,,,{},label,,", cell(set.label(measures.label)->name),
                                  cell(measures.volume_mm3 / mm3_per_ml), cells(measures.intensity)),
                      measures.intensity.not_finite);
  }
  for (const auto& ruler : set.rulers()) {
    const bool is_distance = ruler.kind == RulerKind::distance;
    rows.emplace_back(fmt::format("{} {},,{},{},,,,,,,,,,,,,,,{},{},{}", is_distance ? "Distance" : "Angle",
                                  ruler.id, axis_name(volume.geometry, ruler.slice.axis),
                                  ruler.slice.index + 1, is_distance ? "distance" : "angle",
                                  cell(measure(ruler, volume.geometry)), is_distance ? "mm" : "degrees"),
                      0);
  }
  const bool has_gaps = std::ranges::any_of(rows, [](const auto& row) { return row.second > 0; });
  std::string text = headings + (has_gaps ? ",pixels_not_finite\n" : "\n");
  for (const auto& [row, not_finite] : rows)
    text += has_gaps ? fmt::format("{},{}\n", row, not_finite) : row + '\n';
  return text;
}

nlohmann::ordered_json measures_json(const ContourSet& set, const images::Volume& volume) {
  auto contours = nlohmann::ordered_json::array(), labels = nlohmann::ordered_json::array();
  for (const auto& contour : set.contours()) {
    if (contour->suggestion) continue;
    const auto measures = measure(*contour, volume);
    const auto& centroid = measures.centroid_mm;
    nlohmann::ordered_json json{{"contour", contour->name},
                                {"label", contour->label},
                                {"label_name", label_name(set, *contour)},
                                {"axis", contour->slice.axis},
                                {"slice", contour->slice.index},
                                {"closed", contour->closed},
                                {"length_mm", measures.length_mm},
                                {"area_mm2", nullptr},
                                {"feret_max_mm", measures.feret_max_mm},
                                {"feret_min_mm", measures.feret_min_mm},
                                {"centroid_mm", {centroid.x(), centroid.y(), centroid.z()}},
                                {"intensity", nullptr}};
    if (measures.area_mm2) json["area_mm2"] = *measures.area_mm2;
    if (measures.intensity) json["intensity"] = json_of(*measures.intensity, volume.unit);
    contours.push_back(std::move(json));
  }
  for (const auto& measures : measure_labels(set, volume)) {
    labels.push_back({{"label", measures.label},
                      {"label_name", set.label(measures.label)->name},
                      {"slices", measures.slices},
                      {"contours", measures.contours},
                      {"volume_mm3", measures.volume_mm3},
                      {"intensity", json_of(measures.intensity, volume.unit)}});
  }
  return {{"contours", std::move(contours)}, {"labels", std::move(labels)}};
}

}  // namespace isolume::contours

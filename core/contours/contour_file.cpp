#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/json_entry.h"
#include "core/base/text_file.h"
#include "core/contours/files.h"

namespace isolume::contours {
namespace {

using Json = nlohmann::json;
using Entry = JsonEntry;

constexpr int version = 1;
constexpr std::size_t largest_file = std::size_t{256} << 20;
constexpr int deepest_entry = 16;
constexpr double farthest_px = 1e6;
/// Of ends of pieces from their seeds and one another. They coincide in written files, but other programs round them.
constexpr double most_apart_px = 1;
constexpr std::string_view remedy = "Open another file, or a copy of this one.";

constexpr JsonNames<PieceKind, 3> piece_kinds{
    {{PieceKind::wire, "wire"}, {PieceKind::freehand, "freehand"}, {PieceKind::straight, "straight"}}};
constexpr JsonNames<RulerKind, 2> ruler_kinds{
    {{RulerKind::distance, "distance"}, {RulerKind::angle, "angle"}}};
constexpr JsonNames<Combination, 2> combinations{
    {{Combination::add, "add"}, {Combination::subtract, "subtract"}}};

constexpr std::array<std::string_view, 5> root_keys{"isolume-contours", "image", "labels", "contours",
                                                    "rulers"};
constexpr std::array<std::string_view, 7> image_keys{"path",       "series_uid", "size",     "origin_mm",
                                                     "spacing_mm", "direction",  "has_sides"};
constexpr std::array<std::string_view, 5> label_keys{"value", "name", "colour", "visible", "locked"};
constexpr std::array<std::string_view, 12> contour_keys{"name",       "label",       "axis",   "slice",
                                                        "closed",     "combination", "locked", "visible",
                                                        "suggestion", "seeds_px",    "pieces", "colour"};
constexpr std::array<std::string_view, 2> piece_keys{"kind", "points_px"};
constexpr std::array<std::string_view, 4> ruler_keys{"kind", "axis", "slice", "points_px"};
using Paths = std::vector<std::string>;

std::string text_of(const Eigen::Vector2d& point) {
  return fmt::format("({}, {})", point.x(), point.y());
}

std::string colour_of(const Entry& entry) {
  const std::string colour = entry.text();
  if (!is_colour(colour)) entry.fail("expected a colour as #rrggbb, found " + isolume::quoted(colour));
  return colour;
}

nlohmann::ordered_json json_of(const Polyline& points) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& point : points) json.push_back({point.x(), point.y()});
  return json;
}

Polyline points_of(const Entry& entry) {
  Polyline points(entry.size());
  for (std::size_t i = 0; i < points.size(); ++i) entry.at(i).numbers(points[i], -farthest_px, farthest_px);
  return points;
}

nlohmann::ordered_json json_of(const Contour& contour) {
  auto pieces = nlohmann::ordered_json::array();
  for (const auto& piece : contour.pieces) {
    pieces.push_back({{"kind", name_of(piece.kind, piece_kinds)}, {"points_px", json_of(piece.points)}});
  }
  nlohmann::ordered_json json{{"name", contour.name},
                              {"label", contour.label},
                              {"axis", contour.slice.axis},
                              {"slice", contour.slice.index},
                              {"closed", contour.closed},
                              {"combination", name_of(contour.combination, combinations)},
                              {"locked", contour.locked},
                              {"visible", contour.visible},
                              {"suggestion", contour.suggestion},
                              {"seeds_px", json_of(contour.seeds)},
                              {"pieces", std::move(pieces)}};
  if (!contour.colour.empty()) json["colour"] = contour.colour;
  return json;
}

/// `seeds` are those at its ends, and `before` the end of the piece before it, if there is one.
void check_ends(const Entry& entry, const Piece& piece, const std::array<Eigen::Vector2d, 2>& seeds,
                const Eigen::Vector2d* before) {
  const auto& [from, to] = seeds;
  if (piece.points.empty()) {
    if ((to - from).norm() > most_apart_px)
      entry.fail(fmt::format("it has no points, though its seeds are {} and {}", text_of(from), text_of(to)));
    return;
  }
  const Eigen::Vector2d &begin = piece.points.front(), &end = piece.points.back();
  // Smoothed wires that are transferred to a finer image become freehand pieces, many of its pixels away from their seeds.
  const bool is_free = piece.kind == PieceKind::freehand;
  if (!is_free && ((begin - from).norm() > most_apart_px || (end - to).norm() > most_apart_px)) {
    entry.fail(fmt::format("it runs from {} to {}, though its seeds are {} and {}", text_of(begin),
                           text_of(end), text_of(from), text_of(to)));
  }
  if (before != nullptr && (begin - *before).norm() > most_apart_px)
    entry.fail(fmt::format("it begins at {}, though the piece before it ends at {}", text_of(begin),
                           text_of(*before)));
}

/// Piece i leads from seed i to seed i + 1, in closed contours back to seed 0.
void check_pieces(const Entry& entry, const Contour& contour) {
  const auto& [pieces, seeds] = std::tie(contour.pieces, contour.seeds);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool follows = i > 0 || contour.closed;
    const auto& before = pieces[i > 0 ? i - 1 : pieces.size() - 1].points;
    check_ends(entry.at(i), pieces[i], {seeds[i], seeds[(i + 1) % seeds.size()]},
               follows && !before.empty() ? &before.back() : nullptr);
  }
}

Contour contour_of(const Entry& entry, const images::Geometry& geometry, Paths& unknown) {
  entry.add_unknown_keys(contour_keys, unknown);
  Contour contour;
  contour.name = entry.at("name").text();
  contour.label = entry.at("label").integer(1, 65535);
  if (entry.has("colour")) contour.colour = colour_of(entry.at("colour"));
  contour.slice.axis = entry.at("axis").integer(0, 2);
  contour.slice.index =
      entry.at("slice").integer(0, geometry.dimensions[static_cast<std::size_t>(contour.slice.axis)] - 1);
  contour.closed = entry.at("closed").boolean();
  contour.combination = entry.at("combination").one_of(combinations);
  contour.locked = entry.at("locked").boolean();
  contour.visible = entry.at("visible").boolean();
  contour.suggestion = entry.at("suggestion").boolean();
  contour.seeds = points_of(entry.at("seeds_px"));
  const Entry pieces = entry.at("pieces");
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Entry piece = pieces.at(i);
    piece.add_unknown_keys(piece_keys, unknown);
    contour.pieces.push_back({piece.at("kind").one_of(piece_kinds), points_of(piece.at("points_px"))});
  }
  const std::size_t least = contour.pieces.size() + (contour.closed ? 0 : 1);
  if (!contour.pieces.empty() && contour.seeds.size() != least) {
    entry.fail(
        fmt::format("{} pieces need {} seeds, found {}", contour.pieces.size(), least, contour.seeds.size()));
  }
  check_pieces(pieces, contour);
  return contour;
}

nlohmann::ordered_json json_of(const Ruler& ruler) {
  return {{"kind", name_of(ruler.kind, ruler_kinds)},
          {"axis", ruler.slice.axis},
          {"slice", ruler.slice.index},
          {"points_px", json_of(ruler.points)}};
}

Ruler ruler_of(const Entry& entry, const images::Geometry& geometry, Paths& unknown) {
  entry.add_unknown_keys(ruler_keys, unknown);
  Ruler ruler;
  ruler.kind = entry.at("kind").one_of(ruler_kinds);
  ruler.slice.axis = entry.at("axis").integer(0, 2);
  ruler.slice.index =
      entry.at("slice").integer(0, geometry.dimensions[static_cast<std::size_t>(ruler.slice.axis)] - 1);
  ruler.points = points_of(entry.at("points_px"));
  if (ruler.points.size() != points_of(ruler.kind))
    entry.fail(fmt::format("expected {} points, found {}", points_of(ruler.kind), ruler.points.size()));
  return ruler;
}

nlohmann::ordered_json json_of(const Label& label) {
  return {{"value", label.value},
          {"name", label.name},
          {"colour", label.colour},
          {"visible", label.visible},
          {"locked", label.locked}};
}

Label label_of(const Entry& entry, Paths& unknown) {
  entry.add_unknown_keys(label_keys, unknown);
  Label label;
  label.value = entry.at("value").integer(1, 65535);
  label.name = entry.at("name").text();
  label.colour = colour_of(entry.at("colour"));
  label.visible = entry.at("visible").boolean();
  label.locked = entry.at("locked").boolean();
  return label;
}

nlohmann::ordered_json json_of(const ImageReference& image) {
  const auto& geometry = image.geometry;
  auto rows = nlohmann::ordered_json::array();
  const Eigen::Matrix3d directions = geometry.directions();
  for (int row = 0; row < 3; ++row) {
    const Eigen::RowVector3d numbers = directions.row(row);
    rows.push_back({numbers[0], numbers[1], numbers[2]});
  }
  const auto vector = [](const Eigen::Vector3d& v) { return nlohmann::ordered_json{v[0], v[1], v[2]}; };
  nlohmann::ordered_json json{{"path", image.path},
                              {"series_uid", image.series_uid},
                              {"size", geometry.dimensions},
                              {"origin_mm", vector(geometry.origin)},
                              {"spacing_mm", vector(geometry.spacing())},
                              {"direction", std::move(rows)}};
  if (!geometry.has_sides()) json["has_sides"] = false;
  return json;
}

ImageReference image_of(const Entry& entry, Paths& unknown) {
  entry.add_unknown_keys(image_keys, unknown);
  ImageReference image{entry.at("path").text(), entry.at("series_uid").text(), {}};
  auto& geometry = image.geometry;
  const Entry size = entry.at("size");
  if (size.size() != 3) size.fail(fmt::format("expected 3 numbers, found {}", size.size()));
  for (std::size_t axis = 0; axis < 3; ++axis)
    geometry.dimensions[axis] = size.at(axis).integer(1, 1'000'000);
  entry.at("origin_mm").numbers(geometry.origin, -1e6, 1e6);
  Eigen::Vector3d spacing;
  entry.at("spacing_mm").numbers(spacing, 1e-12, 1e6);
  const Entry direction = entry.at("direction");
  if (direction.size() != 3) direction.fail(fmt::format("expected 3 rows, found {}", direction.size()));
  Eigen::Matrix3d directions;
  for (std::size_t row = 0; row < 3; ++row) {
    Eigen::RowVector3d numbers;
    direction.at(row).numbers(numbers, -1.001, 1.001);
    directions.row(static_cast<Eigen::Index>(row)) = numbers;
  }
  // With tilted gantries and sheared affines, they are not perpendicular.
  const bool are_units = ((directions.colwise().norm().array() - 1).abs() < 0.01).all();
  if (!are_units || std::abs(directions.determinant()) < 0.01) {
    direction.fail("the columns are not unit vectors that span space");
  }
  geometry.step = directions * spacing.asDiagonal();
  if (entry.has("has_sides") && !entry.at("has_sides").boolean()) geometry.frame = grid::Frame::own;
  return image;
}

}  // namespace

nlohmann::ordered_json to_json(const ContourSet& set, const ImageReference& image) {
  auto labels = nlohmann::ordered_json::array(), contours = nlohmann::ordered_json::array();
  for (const auto& label : set.labels()) labels.push_back(json_of(label));
  for (const auto& contour : set.contours()) contours.push_back(json_of(*contour));
  nlohmann::ordered_json json{{"isolume-contours", version},
                              {"image", json_of(image)},
                              {"labels", std::move(labels)},
                              {"contours", std::move(contours)}};
  for (const auto& ruler : set.rulers()) json["rulers"].push_back(json_of(ruler));
  return json;
}

ContourDocument contours_of_text(std::string_view text, const std::filesystem::path& path) {
  const Json json = parse_json(text, path, deepest_entry, remedy);
  const Entry root(json, path, remedy);
  root.at("isolume-contours").integer(version, version);
  Paths unknown;
  root.add_unknown_keys(root_keys, unknown);
  ContourDocument document{{}, image_of(root.at("image"), unknown)};
  const Entry labels = root.at("labels");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    Label label = label_of(labels.at(i), unknown);
    if (document.set.label(label.value) != nullptr) {
      labels.at(i).fail(fmt::format("there is a label {} already", label.value));
    }
    document.set.put_label(std::move(label));
  }
  const Entry contours = root.at("contours");
  for (std::size_t i = 0; i < contours.size(); ++i) {
    Contour contour = contour_of(contours.at(i), document.image.geometry, unknown);
    if (document.set.label(contour.label) == nullptr) {
      contours.at(i).fail(fmt::format("label {} is not among the labels", contour.label));
    }
    document.set.add(std::move(contour));
  }
  if (root.has("rulers")) {
    const Entry rulers = root.at("rulers");
    for (std::size_t i = 0; i < rulers.size(); ++i)
      document.set.add_ruler(ruler_of(rulers.at(i), document.image.geometry, unknown));
  }
  if (!unknown.empty()) {
    document.remarks.dropped(
        fmt::format("Entries that files of contours do not have are left out: {}.", first_names(unknown)),
        unknown.size());
  }
  return document;
}

ContourDocument read_contours(const std::filesystem::path& path) {
  return contours_of_text(read_text_file(path, largest_file), path);
}

void write_contours(const ContourDocument& document, const std::filesystem::path& path,
                    AtomicFile::Readers readers) {
  AtomicFile file(path, readers);
  file.stream() << to_json(document.set, document.image)
                       .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                << '\n';
  file.commit();
}

}  // namespace isolume::contours

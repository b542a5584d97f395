#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/contours/files.h"

namespace isolume::contours {
namespace {

using Json = nlohmann::json;

constexpr int version = 1;
constexpr std::size_t largest_file = std::size_t{256} << 20;
constexpr int deepest_entry = 16;
constexpr double farthest_px = 1e6;
constexpr std::string_view remedy = "Open another session, or a copy of this one.";

template <class Value, std::size_t count>
using Names = std::array<std::pair<Value, std::string_view>, count>;
constexpr Names<PieceKind, 3> piece_kinds{
    {{PieceKind::wire, "wire"}, {PieceKind::freehand, "freehand"}, {PieceKind::straight, "straight"}}};
constexpr Names<Combination, 2> combinations{
    {{Combination::add, "add"}, {Combination::subtract, "subtract"}}};

template <class Value, std::size_t count>
std::string_view name_of(Value value, const Names<Value, count>& names) {
  for (const auto& [each, name] : names) {
    if (each == value) return name;
  }
  return {};
}

/// A value of the file with the way to it, for messages. Lives no longer than the entry that it is in.
class Entry {
 public:
  Entry(const Json& json, const std::filesystem::path& file) : json_(json), file_(file) {}

  Entry at(std::string_view key) const {
    if (!json_.is_object()) fail_to_be("an object");
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("\"{}\" is missing", key));
    return {*found, *this, key, 0};
  }
  bool has(std::string_view key) const { return json_.is_object() && json_.contains(key); }
  Entry at(std::size_t index) const { return {json_[index], *this, {}, index}; }
  std::size_t size() const {
    if (!json_.is_array()) fail_to_be("a list");
    return json_.size();
  }
  std::string text() const {
    if (!json_.is_string()) fail_to_be("text");
    return json_.get<std::string>();
  }
  std::string colour() const {
    const std::string colour = text();
    if (!is_colour(colour)) fail("expected a colour as #rrggbb, found " + isolume::quoted(colour));
    return colour;
  }
  bool boolean() const {
    if (!json_.is_boolean()) fail_to_be("true or false");
    return json_.get<bool>();
  }
  double number(double low, double high) const {
    const double value = json_.is_number() ? json_.get<double>() : std::nan("");
    if (!(value >= low && value <= high)) fail_to_be(fmt::format("a number from {} to {}", low, high));
    return value;
  }
  int integer(int low, int high) const {
    const double value = json_.is_number_integer() ? json_.get<double>() : std::nan("");
    if (!(value >= low && value <= high)) fail_to_be(fmt::format("a whole number from {} to {}", low, high));
    return json_.get<int>();
  }
  template <class Value, std::size_t count>
  Value one_of(const Names<Value, count>& names) const {
    for (const auto& [value, name] : names) {
      if (json_ == name) return value;
    }
    fail_to_be(fmt::format("\"{}\" or another name of that kind", names[0].second));
  }
  /// As many numbers as `numbers` has.
  template <class Numbers>
  void numbers(Numbers&& numbers, double low, double high) const {
    if (size() != static_cast<std::size_t>(numbers.size())) {
      fail(fmt::format("expected {} numbers, found {}", numbers.size(), json_.size()));
    }
    for (std::size_t i = 0; i < json_.size(); ++i) {
      numbers(static_cast<Eigen::Index>(i)) = at(i).number(low, high);
    }
  }

  [[noreturn]] void fail(std::string_view problem) const {
    const std::string way = this->way();
    throw InputError(file_, 0, way.empty() ? std::string(problem) : fmt::format("{}: {}", way, problem),
                     remedy);
  }

 private:
  Entry(const Json& json, const Entry& parent, std::string_view key, std::size_t index)
      : json_(json), file_(parent.file_), parent_(&parent), key_(key), index_(index) {}

  [[noreturn]] void fail_to_be(std::string_view expected) const {
    const bool is_short = json_.is_number() || json_.is_string();
    fail(fmt::format("expected {}, found {}", expected,
                     is_short ? isolume::quoted(json_.dump()) : json_.type_name()));
  }
  std::string way() const {
    if (parent_ == nullptr) return {};
    const std::string before = parent_->way();
    if (key_.empty()) return fmt::format("{}[{}]", before, index_);
    return before.empty() ? std::string(key_) : fmt::format("{}.{}", before, key_);
  }

  const Json& json_;
  const std::filesystem::path& file_;
  const Entry* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

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

Contour contour_of(const Entry& entry, const images::Geometry& geometry) {
  Contour contour;
  contour.name = entry.at("name").text();
  contour.label = entry.at("label").integer(1, 65535);
  if (entry.has("colour")) contour.colour = entry.at("colour").colour();
  contour.slice.axis = entry.at("axis").integer(0, 2);
  contour.slice.index =
      entry.at("slice").integer(0, geometry.size[static_cast<std::size_t>(contour.slice.axis)] - 1);
  contour.closed = entry.at("closed").boolean();
  contour.combination = entry.at("combination").one_of(combinations);
  contour.locked = entry.at("locked").boolean();
  contour.visible = entry.at("visible").boolean();
  contour.suggestion = entry.at("suggestion").boolean();
  contour.seeds = points_of(entry.at("seeds_px"));
  const Entry pieces = entry.at("pieces");
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Entry piece = pieces.at(i);
    contour.pieces.push_back({piece.at("kind").one_of(piece_kinds), points_of(piece.at("points_px"))});
  }
  const std::size_t least = contour.pieces.size() + (contour.closed ? 0 : 1);
  if (!contour.pieces.empty() && contour.seeds.size() != least) {
    entry.fail(
        fmt::format("{} pieces need {} seeds, found {}", contour.pieces.size(), least, contour.seeds.size()));
  }
  return contour;
}

nlohmann::ordered_json json_of(const Label& label) {
  return {{"value", label.value},
          {"name", label.name},
          {"colour", label.colour},
          {"visible", label.visible},
          {"locked", label.locked}};
}

Label label_of(const Entry& entry) {
  Label label;
  label.value = entry.at("value").integer(1, 65535);
  label.name = entry.at("name").text();
  label.colour = entry.at("colour").colour();
  label.visible = entry.at("visible").boolean();
  label.locked = entry.at("locked").boolean();
  return label;
}

nlohmann::ordered_json json_of(const ImageReference& image) {
  const auto& geometry = image.geometry;
  auto rows = nlohmann::ordered_json::array();
  for (int row = 0; row < 3; ++row) {
    const Eigen::RowVector3d numbers = geometry.direction.row(row);
    rows.push_back({numbers[0], numbers[1], numbers[2]});
  }
  const auto vector = [](const Eigen::Vector3d& v) { return nlohmann::ordered_json{v[0], v[1], v[2]}; };
  return {{"path", image.path},
          {"series_uid", image.series_uid},
          {"size", geometry.size},
          {"origin_mm", vector(geometry.origin_mm)},
          {"spacing_mm", vector(geometry.spacing_mm)},
          {"direction", std::move(rows)}};
}

ImageReference image_of(const Entry& entry) {
  ImageReference image{entry.at("path").text(), entry.at("series_uid").text(), {}};
  auto& geometry = image.geometry;
  const Entry size = entry.at("size");
  if (size.size() != 3) size.fail(fmt::format("expected 3 numbers, found {}", size.size()));
  for (std::size_t axis = 0; axis < 3; ++axis) geometry.size[axis] = size.at(axis).integer(1, 1'000'000);
  entry.at("origin_mm").numbers(geometry.origin_mm, -1e6, 1e6);
  entry.at("spacing_mm").numbers(geometry.spacing_mm, 1e-12, 1e6);
  const Entry direction = entry.at("direction");
  if (direction.size() != 3) direction.fail(fmt::format("expected 3 rows, found {}", direction.size()));
  for (std::size_t row = 0; row < 3; ++row) {
    Eigen::RowVector3d numbers;
    direction.at(row).numbers(numbers, -1.001, 1.001);
    geometry.direction.row(static_cast<Eigen::Index>(row)) = numbers;
  }
  if (std::abs(std::abs(geometry.direction.determinant()) - 1) > 0.01) {
    direction.fail("the columns are no unit vectors at right angles");
  }
  return image;
}

Json parsed(std::string_view text, const std::filesystem::path& path) {
  const auto refuse_depth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest_entry) throw InputError(path, 0, "its entries are nested too deeply", remedy);
    return true;
  };
  try {
    return Json::parse(text, refuse_depth);
  } catch (const Json::exception& error) {
    throw InputError(path, 0, fmt::format("is no JSON: {}", isolume::quoted(error.what(), 160)), remedy);
  }
}

}  // namespace

nlohmann::ordered_json to_json(const ContourSet& set, const ImageReference& image) {
  auto labels = nlohmann::ordered_json::array(), contours = nlohmann::ordered_json::array();
  for (const auto& label : set.labels()) labels.push_back(json_of(label));
  for (const auto& contour : set.contours()) contours.push_back(json_of(*contour));
  return {{"isolume-contours", version},
          {"image", json_of(image)},
          {"labels", std::move(labels)},
          {"contours", std::move(contours)}};
}

Session session_of_text(std::string_view text, const std::filesystem::path& path) {
  const Json json = parsed(text, path);
  const Entry root(json, path);
  root.at("isolume-contours").integer(version, version);
  Session session{{}, image_of(root.at("image"))};
  const Entry labels = root.at("labels");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    Label label = label_of(labels.at(i));
    if (session.set.label(label.value) != nullptr) {
      labels.at(i).fail(fmt::format("there is a label {} already", label.value));
    }
    session.set.put_label(std::move(label));
  }
  const Entry contours = root.at("contours");
  for (std::size_t i = 0; i < contours.size(); ++i) {
    Contour contour = contour_of(contours.at(i), session.image.geometry);
    if (session.set.label(contour.label) == nullptr) {
      contours.at(i).fail(fmt::format("label {} is not among the labels", contour.label));
    }
    session.set.add(std::move(contour));
  }
  return session;
}

Session read_session(const std::filesystem::path& path) {
  return session_of_text(read_text_file(path, largest_file), path);
}

void write_session(const Session& session, const std::filesystem::path& path) {
  AtomicFile file(path);
  file.stream() << to_json(session.set, session.image)
                       .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                << '\n';
  file.commit();
}

}  // namespace isolume::contours

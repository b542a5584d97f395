#include "core/anatomy/landmark_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/anatomy/csv_lines.h"
#include "core/base/atomic_file.h"
#include "core/base/counted.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/json_entry.h"
#include "core/base/number.h"
#include "core/images/file_format.h"

namespace isolume::anatomy {
namespace {

constexpr std::size_t most_landmarks = 10000;
constexpr const char* write_again = "Write it again with the program that made it.";

/// From a coordinate system to LPS.
enum class Axes { lps, ras };
Eigen::Vector3d to_lps(const Eigen::Vector3d& point, Axes axes) {
  return axes == Axes::lps ? point : Eigen::Vector3d(-point.x(), -point.y(), point.z());
}
std::optional<Axes> axes_of(std::string_view name) {
  if (name == "LPS" || name == "1") return Axes::lps;
  if (name == "RAS" || name == "0") return Axes::ras;
  return std::nullopt;
}

/// The value of a comment "# key = value" or "# key: value".
std::optional<std::string_view> value_of(std::string_view comment, std::string_view key) {
  comment.remove_prefix(1);
  comment = trimmed(comment);
  if (!comment.starts_with(key)) return std::nullopt;
  comment = trimmed(comment.substr(key.size()));
  if (!comment.starts_with('=') && !comment.starts_with(':')) return std::nullopt;
  return trimmed(comment.substr(1));
}

/// A table of points.
class Table : public CsvLines {
 public:
  explicit Table(const std::filesystem::path& path) : CsvLines(path, "landmarks") {}

  /// Coordinates within a kilometre.
  double number(std::size_t column) const {
    constexpr double farthest_mm = 1e6;
    const auto number = column < cells().size() ? parse_finite(cells()[column]) : std::nullopt;
    if (!number || !(std::abs(*number) <= farthest_mm))
      fail(fmt::format("expected a coordinate in mm in column {}, found {}", column + 1, found(column)));
    return *number;
  }
  Eigen::Vector3d position(const std::array<std::size_t, 3>& columns) const {
    return {number(columns[0]), number(columns[1]), number(columns[2])};
  }
  [[noreturn]] void fail(std::string_view problem, std::string_view remedy = write_again) const {
    CsvLines::fail(problem, remedy);
  }
  Axes axes(std::string_view name) const {
    if (const auto found = axes_of(name)) return *found;
    fail(fmt::format("the coordinate system {} is not known", isolume::quoted(name)),
         "Write the points in LPS or RAS.");
  }
};

/// Names fit on a line of a table.
std::string name_or_number(std::string name, std::size_t index) {
  std::ranges::replace_if(
      name, [](char each) { return each == '\n' || each == '\r'; }, ' ');
  return name.empty() ? std::to_string(index + 1) : name;
}

void require_some(std::size_t count, const std::filesystem::path& path) {
  if (count == 0) throw InputError(path, 0, "it has no points", "Choose a file with landmarks.");
  if (count > most_landmarks) {
    throw InputError(path, 0, fmt::format("it has more than {} points", most_landmarks),
                     "Choose a file with landmarks.");
  }
}

LandmarkPoints read_fcsv(const std::filesystem::path& path) {
  LandmarkPoints found;
  Table table(path);
  std::optional<Axes> axes;
  std::size_t x = 1, label = 11;
  const auto comment = [&](std::string_view text) {
    if (const auto system = value_of(text, "CoordinateSystem")) axes = table.axes(*system);
    if (const auto columns = value_of(text, "columns")) {
      const std::vector<std::string> names = csv_cells(*columns);
      const auto index = [&](std::string_view name) {
        return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
      };
      x = index("x");
      label = index("label");
      if (index("y") != x + 1 || index("z") != x + 2)
        table.fail("its columns are not x, y and z in this order");
    }
  };
  while (table.next(comment)) {
    const std::size_t number = found.points.size();
    found.points.push_back(
        {table.position({x, x + 1, x + 2}),
         name_or_number(label < table.cells().size() ? table.cells()[label] : std::string(), number)});
  }
  if (!axes) found.remarks.assumed("It names no coordinate system: RAS is assumed, as in 3D Slicer.");
  for (LandmarkPoint& each : found.points) each.position = to_lps(each.position, axes.value_or(Axes::ras));
  return found;
}

LandmarkPoints read_markups(const std::filesystem::path& path) {
  std::ifstream file = open_small(path, "landmarks");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  constexpr int most_depth = 16;
  const nlohmann::json json = parse_json(text, path, most_depth, write_again);
  const JsonEntry root(json, path, write_again), lists = root.at("markups");
  LandmarkPoints found;
  std::size_t without_position = 0;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    const JsonEntry list = lists.at(l);
    Axes axes = Axes::lps;
    if (list.has("coordinateSystem")) {
      const JsonEntry system = list.at("coordinateSystem");
      const auto named = axes_of(system.text());
      if (!named) system.fail("expected LPS or RAS");
      axes = *named;
    } else {
      found.remarks.assumed("It names no coordinate system: LPS is assumed, as in 3D Slicer.");
    }
    if (list.has("coordinateUnits") && list.at("coordinateUnits").text() != "mm")
      list.at("coordinateUnits").fail("expected mm");
    const JsonEntry points = list.at("controlPoints");
    for (std::size_t i = 0; i < points.size(); ++i) {
      const JsonEntry point = points.at(i);
      if (point.has("positionStatus") && point.at("positionStatus").text() != "defined") {
        ++without_position;
        continue;
      }
      Eigen::Vector3d position;
      point.at("position").numbers(position, -1e6, 1e6);
      found.points.push_back({to_lps(position, axes),
                              name_or_number(point.has("label") ? point.at("label").text() : std::string(),
                                             found.points.size())});
    }
  }
  if (without_position > 0) {
    found.remarks.dropped(
        fmt::format("{} without a position {} left out.", counted(without_position, "point"),
                    without_position == 1 ? "was" : "were"),
        without_position);
  }
  return found;
}

}  // namespace

LandmarkPoints read_points(const std::filesystem::path& path) {
  LandmarkPoints found;
  if (images::ends_with_suffix(path, ".fcsv")) {
    found = read_fcsv(path);
  } else if (images::ends_with_suffix(path, ".json")) {
    found = read_markups(path);
  } else {
    throw InputError(path, 0, "this is not the name of a list of points",
                     "Choose a file of 3D Slicer that ends with .mrk.json or .fcsv.");
  }
  require_some(found.points.size(), path);
  return found;
}

LandmarkFile read_landmarks(const std::filesystem::path& path) {
  if (!images::ends_with_suffix(path, ".csv")) {
    throw InputError(
        path, 0, "this is not the name of a table of pairs",
        "Give a .csv file of pairs, or two files of points (.mrk.json or .fcsv): fixed, then moving.");
  }
  constexpr std::array<std::string_view, 6> names{"fixed_x",  "fixed_y",  "fixed_z",
                                                  "moving_x", "moving_y", "moving_z"};
  LandmarkFile found;
  Table table(path);
  std::optional<Axes> axes;
  const auto comment = [&](std::string_view text) {
    if (const auto system = value_of(text, "coordinate system")) axes = table.axes(*system);
  };
  std::array<std::size_t, 6> columns{};
  std::size_t name_column = 0;
  if (table.next(comment)) {
    const auto& cells = table.cells();
    for (std::size_t i = 0; i < names.size(); ++i) {
      columns[i] = static_cast<std::size_t>(std::ranges::find(cells, names[i]) - cells.begin());
      if (columns[i] == cells.size()) {
        table.fail(fmt::format("there is no column {}", names[i]),
                   "Name the columns in the first line: "
                   "name,fixed_x,fixed_y,fixed_z,moving_x,moving_y,moving_z.");
      }
    }
    name_column = static_cast<std::size_t>(std::ranges::find(cells, "name") - cells.begin());
  }
  while (table.next(comment)) {
    const auto& cells = table.cells();
    found.pairs.push_back({table.position({columns[0], columns[1], columns[2]}),
                           table.position({columns[3], columns[4], columns[5]}),
                           name_or_number(name_column < cells.size() ? cells[name_column] : std::string(),
                                          found.pairs.size())});
  }
  require_some(found.pairs.size(), path);
  if (!axes) found.remarks.assumed("It names no coordinate system: LPS is assumed.");
  for (LandmarkPair& each : found.pairs) {
    each.fixed = to_lps(each.fixed, axes.value_or(Axes::lps));
    each.moving = to_lps(each.moving, axes.value_or(Axes::lps));
  }
  return found;
}

LandmarkFile read_landmarks(const std::filesystem::path& fixed, const std::filesystem::path& moving) {
  const LandmarkPoints of_fixed = read_points(fixed), of_moving = read_points(moving);
  LandmarkFile found;
  for (const auto& [path, remarks] :
       {std::pair(&fixed, &of_fixed.remarks), std::pair(&moving, &of_moving.remarks)}) {
    for (const Remark& each : *remarks)
      found.remarks.add(each.kind, fmt::format("{}: {}", path->filename().string(), each.text), each.count);
  }
  const auto times = [](const LandmarkPoints& list, const std::string& name) {
    return std::ranges::count(list.points, name, &LandmarkPoint::name);
  };
  const bool is_same_length = of_fixed.points.size() == of_moving.points.size();
  const bool has_names =
      is_same_length && std::ranges::all_of(of_fixed.points, [&](const LandmarkPoint& each) {
        return times(of_fixed, each.name) == 1 && times(of_moving, each.name) == 1;
      });
  if (!is_same_length) {
    throw InputError(moving, 0,
                     fmt::format("it has {}, but {} has {}", counted(of_moving.points.size(), "point"),
                                 fixed.filename().string(), of_fixed.points.size()),
                     "Mark the same points in both images.");
  }
  for (std::size_t i = 0; i < of_fixed.points.size(); ++i) {
    const LandmarkPoint& point = of_fixed.points[i];
    const auto other = has_names ? std::ranges::find(of_moving.points, point.name, &LandmarkPoint::name)
                                 : of_moving.points.begin() + static_cast<std::ptrdiff_t>(i);
    found.pairs.push_back({point.position, other->position, point.name});
  }
  if (!has_names) {
    found.remarks.assumed(
        "The names of the points in both files differ or are not unique: points are paired by their order.",
        found.pairs.size());
  }
  return found;
}

void write_landmarks(const LandmarkPairs& pairs, const std::filesystem::path& path) {
  if (!images::ends_with_suffix(path, ".csv"))
    throw Error(
        fmt::format("{}: pairs of landmarks are written as .csv. Choose such a name.", path.string()));
  AtomicFile file(path);
  std::ostream& out = file.stream();
  out << "# coordinate system: LPS\nname,fixed_x,fixed_y,fixed_z,moving_x,moving_y,moving_z\n";
  for (const LandmarkPair& each : pairs) {
    out << fmt::format("{},{},{},{},{},{},{}\n", csv_cell(each.name), each.fixed.x(), each.fixed.y(),
                       each.fixed.z(), each.moving.x(), each.moving.y(), each.moving.z());
  }
  file.commit();
}

void write_points(const std::vector<LandmarkPoint>& points, const std::filesystem::path& path) {
  const bool is_table = images::ends_with_suffix(path, ".fcsv");
  if (!is_table && !images::ends_with_suffix(path, ".mrk.json")) {
    throw Error(
        fmt::format("{}: points are written as .mrk.json or .fcsv. Choose such a name.", path.string()));
  }
  AtomicFile file(path);
  std::ostream& out = file.stream();
  if (is_table) {
    out << "# Markups fiducial file version = 4.11\n# CoordinateSystem = LPS\n"
           "# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n";
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Eigen::Vector3d& at = points[i].position;
      out << fmt::format("{},{},{},{},0,0,0,1,1,1,0,{},,\n", i + 1, at.x(), at.y(), at.z(),
                         csv_cell(points[i].name));
    }
  } else {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Eigen::Vector3d& at = points[i].position;
      list.push_back({{"id", std::to_string(i + 1)},
                      {"label", points[i].name},
                      {"position", {at.x(), at.y(), at.z()}},
                      {"positionStatus", "defined"}});
    }
    nlohmann::ordered_json json;
    json["@schema"] =
        "https://raw.githubusercontent.com/slicer/slicer/master/Modules/Loadable/Markups/Resources/Schema/"
        "markups-schema-v1.0.3.json#";
    json["markups"].push_back({{"type", "Fiducial"},
                               {"coordinateSystem", "LPS"},
                               {"coordinateUnits", "mm"},
                               {"controlPoints", std::move(list)}});
    out << json.dump(2) << '\n';
  }
  file.commit();
}

std::vector<LandmarkPoint> points_of(const LandmarkPairs& pairs, bool is_moving) {
  std::vector<LandmarkPoint> points;
  points.reserve(pairs.size());
  for (const LandmarkPair& each : pairs) points.push_back({is_moving ? each.moving : each.fixed, each.name});
  return points;
}

}  // namespace isolume::anatomy

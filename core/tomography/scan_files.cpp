#include "core/tomography/scan_files.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/json_entry.h"
#include "core/base/number.h"
#include "core/base/text_file.h"
#include "core/image_files/read_image.h"
#include "core/images/readers.h"
#include "core/images/volume.h"
#include "core/tomography/detector.h"

namespace isolume::tomography {
namespace {

namespace fs = std::filesystem;
constexpr double largest_mm = 1e7;
constexpr std::string_view geometry_remedy = "Correct the geometry; the manual describes its entries.";

/// The text after 'KEY': of a NumPy header, up to a comma outside brackets.
std::string numpy_entry(const fs::path& path, const std::string& header, const std::string& key) {
  std::smatch found;
  const std::regex pattern("['\"]" + key + "['\"]\\s*:\\s*(\\([^)]*\\)|[^,}]*)");
  if (!std::regex_search(header, found, pattern))
    throw InputError(path, 0, fmt::format("its NumPy header has no {}", key),
                     "Save the array again by numpy.save.");
  return found[1];
}

template <class Number>
void numpy_numbers(const std::string& bytes, FieldValues& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Number number;
    std::memcpy(&number, bytes.data() + i * sizeof(Number), sizeof(Number));
    values[i] = static_cast<float>(number);
  }
}

Stack read_numpy(const fs::path& path) {
  constexpr const char* remedy = "Save the array again by numpy.save, as float32 in C order.";
  std::ifstream file = open_input(path);
  const auto size = fs::file_size(path);
  std::array<unsigned char, 12> start{};
  file.read(reinterpret_cast<char*>(start.data()), 12);
  if (!file || std::memcmp(start.data(), "\x93NUMPY", 6) != 0)
    throw InputError(path, 0, "it does not begin as a NumPy file", remedy);
  const bool is_first = start[6] == 1;
  const std::size_t begin = is_first ? 10 : 12;
  const std::size_t length = is_first
                                 ? start[8] + 256U * start[9]
                                 : start[8] + 256U * start[9] + 65536U * start[10] + 16777216U * start[11];
  if (begin + length > size) throw InputError(path, 0, "its NumPy header is cut off", remedy);
  // One array of numbers needs a hundred characters, and expressions recurse for each.
  if (length > 2048) throw InputError(path, 0, "its NumPy header is longer than that of one array", remedy);
  std::string header(length, ' ');
  file.seekg(static_cast<std::streamoff>(begin));
  file.read(header.data(), static_cast<std::streamsize>(length));
  std::string type = numpy_entry(path, header, "descr");
  std::erase_if(type, [](char each) { return each == '\'' || each == '"' || each == ' '; });
  if (numpy_entry(path, header, "fortran_order").find("False") == std::string::npos)
    throw InputError(path, 0, "its array is in Fortran order", remedy);
  std::vector<std::uint64_t> shape;
  const std::string shape_text = numpy_entry(path, header, "shape");
  const std::regex digits("[0-9]+");
  for (std::sregex_iterator each(shape_text.begin(), shape_text.end(), digits), end; each != end; ++each)
    shape.push_back(std::min<std::uint64_t>(std::stoull(each->str().substr(0, 15)), 1ULL << 40));
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  if (shape.size() != 3)
    throw InputError(path, 0, fmt::format("its array has {} dimensions", shape.size()),
                     "Projections have three: views, rows and columns.");
  static const std::map<std::string, std::pair<std::size_t, void (*)(const std::string&, FieldValues&)>>
      types{{"<f4", {4, numpy_numbers<float>}},         {"<f8", {8, numpy_numbers<double>}},
            {"|u1", {1, numpy_numbers<std::uint8_t>}},  {"|i1", {1, numpy_numbers<std::int8_t>}},
            {"<u2", {2, numpy_numbers<std::uint16_t>}}, {"<i2", {2, numpy_numbers<std::int16_t>}},
            {"<u4", {4, numpy_numbers<std::uint32_t>}}, {"<i4", {4, numpy_numbers<std::int32_t>}}};
  const auto known = types.find(type);
  if (known == types.end())
    throw InputError(path, 0, fmt::format("its numbers are {}", isolume::quoted(type)), remedy);
  // Each dimension is checked against the size of the file before they are multiplied.
  const std::uint64_t available = (size - begin - length) / known->second.first;
  std::uint64_t count = 1;
  for (const std::uint64_t each : shape) {
    if (each == 0 || each > 65'535 || count > available / each)
      throw InputError(path, 0,
                       fmt::format("it has {} numbers, and an array of {} x {} x {} is stated", available,
                                   shape[0], shape[1], shape[2]),
                       remedy);
    count *= each;
  }
  std::string bytes(count * known->second.first, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw InputError(path, 0, "it is cut off", remedy);
  Stack stack{.columns = static_cast<int>(shape[2]),
              .rows = static_cast<int>(shape[1]),
              .count = static_cast<int>(shape[0]),
              .has_spacing = false,
              .values = FieldValues(count),
              .remarks = {}};
  known->second.second(bytes, stack.values);
  return stack;
}

Eigen::Vector3d vector_of(const JsonEntry& entry) {
  Eigen::Vector3d vector;
  entry.numbers(vector, -largest_mm, largest_mm);
  return vector;
}

Geometry read_json(const fs::path& path, const Stack& stack) {
  const nlohmann::json json = parse_json(read_text_file(path, 256 << 20), path, 8, geometry_remedy);
  const JsonEntry whole(json, path, geometry_remedy);
  static constexpr JsonNames<Beam, 2> beams{{{Beam::cone, "cone"}, {Beam::parallel, "parallel"}}};
  Geometry geometry{.columns = stack.columns, .rows = stack.rows, .views = {}};
  if (whole.has("beam")) geometry.beam = whole.at("beam").one_of(beams);
  std::vector<std::string> unknown;
  static constexpr std::string_view known[] = {
      "beam", "views", "angles_deg", "source_to_axis_mm", "pixel_mm", "offset_mm", "source_to_detector_mm"};
  whole.add_unknown_keys(known, unknown);
  if (!unknown.empty())
    throw InputError(path, 0, fmt::format("{} is not an entry of a geometry", unknown.front()),
                     geometry_remedy);
  if (whole.has("views")) {
    const JsonEntry views = whole.at("views");
    for (std::size_t i = 0; i < views.size(); ++i) {
      const JsonEntry view = views.at(i);
      geometry.views.push_back({.source = vector_of(view.at("source")),
                                .origin = vector_of(view.at("origin")),
                                .along = vector_of(view.at("along")),
                                .up = vector_of(view.at("up"))});
    }
    return geometry;
  }
  CircularScan scan{.beam = geometry.beam, .columns = stack.columns, .rows = stack.rows, .views = 1};
  Eigen::Vector2d pixel;
  whole.at("pixel_mm").numbers(pixel, 1e-9, largest_mm);
  scan.column_mm = pixel.x();
  scan.row_mm = pixel.y();
  if (whole.has("offset_mm")) scan.offset_mm = whole.at("offset_mm").number(-largest_mm, largest_mm);
  if (scan.beam == Beam::cone) {
    scan.source_to_axis_mm = whole.at("source_to_axis_mm").number(0, largest_mm);
    scan.source_to_detector_mm = whole.at("source_to_detector_mm").number(0, largest_mm);
  }
  const JsonEntry angles = whole.at("angles_deg");
  for (std::size_t i = 0; i < angles.size(); ++i) {
    scan.first_deg = angles.at(i).number(-1e6, 1e6);
    try {
      geometry.views.push_back(circular(scan).views.front());
    } catch (const Error& error) {
      throw InputError(path, 0, error.what());
    }
  }
  return geometry;
}

/// RTK's x, y, z to ours: its axis of rotation is y.
Eigen::Vector3d from_rtk(double x, double y, double z) {
  return {x, -z, y};
}

Geometry read_rtk(const fs::path& path, const Stack& stack) {
  constexpr std::string_view remedy = "Write the geometry again by RTK.";
  const std::string text = read_text_file(path, 256 << 20);
  pugi::xml_document document;
  const auto parsed = document.load_buffer(text.data(), text.size());
  if (!parsed)
    throw InputError(
        path, static_cast<std::size_t>(1 + std::count(text.begin(), text.begin() + parsed.offset, '\n')),
        parsed.description(), remedy);
  const pugi::xml_node root = document.child("RTKThreeDCircularGeometry");
  if (!root) throw InputError(path, 0, "it has no RTKThreeDCircularGeometry", remedy);
  const auto number = [&](const pugi::xml_node& node, const char* name) -> std::optional<double> {
    const pugi::xml_node child = node.child(name);
    if (!child) return std::nullopt;
    std::string_view words = child.child_value();
    while (!words.empty() && std::isspace(static_cast<unsigned char>(words.front()))) words.remove_prefix(1);
    while (!words.empty() && std::isspace(static_cast<unsigned char>(words.back()))) words.remove_suffix(1);
    const auto value = parse_finite(words);
    if (!value || !(std::abs(*value) <= largest_mm)) {
      throw InputError(
          path,
          static_cast<std::size_t>(1 + std::count(text.begin(), text.begin() + child.offset_debug(), '\n')),
          fmt::format("{} of {} is not a number of a scan", isolume::quoted(words), name), remedy);
    }
    return value;
  };
  if (!stack.has_spacing)
    throw InputError(path, 0,
                     "RTK's geometry needs the spacing and origin of the projections, which their file lacks",
                     "Save the projections as .mha, or give the geometry as JSON.");
  if (const pugi::xml_attribute version = root.attribute("version"); version.as_int(3) != 3)
    throw InputError(path, 0, fmt::format("it is of version {}, and version 3 is read", version.value()),
                     remedy);
  Geometry geometry{.columns = stack.columns, .rows = stack.rows, .views = {}};
  std::optional<bool> is_parallel;
  for (const pugi::xml_node& node : root.children("Projection")) {
    const auto line =
        static_cast<std::size_t>(1 + std::count(text.begin(), text.begin() + node.offset_debug(), '\n'));
    // What all projections share is stated once, before them.
    const auto value = [&](const char* name) {
      const auto own = number(node, name);
      return own ? *own : number(root, name).value_or(0);
    };
    if (std::abs(value("RadiusCylindricalDetector")) > 1e-9)
      throw InputError(path, line, "its detector is curved, and flat ones are read",
                       "Resample the projections first.");
    for (const char* tilt : {"OutOfPlaneAngle", "InPlaneAngle"}) {
      if (std::abs(value(tilt)) > 1e-9)
        throw InputError(path, line, fmt::format("it has an {}, which is not read", tilt),
                         "Write the views as JSON with the vectors of the detector.");
    }
    if (!node.child("GantryAngle") && !root.child("GantryAngle"))
      throw InputError(path, line, "a projection has no GantryAngle", remedy);
    const double angle = value("GantryAngle") * std::numbers::pi / 180, cosine = std::cos(angle),
                 sine = std::sin(angle);
    const double to_axis = value("SourceToIsocenterDistance"),
                 to_detector = value("SourceToDetectorDistance");
    const bool is_parallel_view = to_detector == 0;
    if (is_parallel.value_or(is_parallel_view) != is_parallel_view)
      throw InputError(path, line, "some views are parallel, and some are not", remedy);
    is_parallel = is_parallel_view;
    // From RTK's rotating axes: R_y(angle).
    const auto turned = [&](double x, double y, double z) {
      return from_rtk(cosine * x + sine * z, y, -sine * x + cosine * z);
    };
    View view;
    view.source =
        is_parallel_view ? turned(0, 0, -1) : turned(value("SourceOffsetX"), value("SourceOffsetY"), to_axis);
    view.origin =
        turned(stack.origin.x() + value("ProjectionOffsetX"), stack.origin.y() + value("ProjectionOffsetY"),
               is_parallel_view ? 0 : to_axis - to_detector);
    view.along = turned(stack.spacing.x(), 0, 0);
    view.up = turned(0, stack.spacing.y(), 0);
    geometry.views.push_back(view);
  }
  geometry.beam = is_parallel.value_or(false) ? Beam::parallel : Beam::cone;
  return geometry;
}

/// Column by column, as Projections.
void put_picture(const Stack& stack, int index, float* to, std::size_t stride) {
  const auto columns = static_cast<std::size_t>(stack.columns), rows = static_cast<std::size_t>(stack.rows);
  const float* from = stack.values.data() + static_cast<std::size_t>(index) * columns * rows;
  for (std::size_t v = 0; v < rows; ++v) {
    for (std::size_t u = 0; u < columns; ++u) to[u * stride + v] = from[v * columns + u];
  }
}

/// The mean picture of a flat or dark field.
std::vector<float> read_field(const fs::path& path, const Projections& like, Remarks& remarks,
                              const jobs::Progress& progress) {
  const Stack stack = read_stack(path, progress);
  if (stack.columns != like.geometry.columns || stack.rows != like.geometry.rows) {
    throw InputError(path, 0,
                     fmt::format("it has {} x {} pixels, and the projections have {} x {}", stack.columns,
                                 stack.rows, like.geometry.columns, like.geometry.rows),
                     "Choose the field of this scan.");
  }
  remarks.add(stack.remarks);
  std::vector<float> sum(like.column_index(1, 0), 0.F), each(sum.size(), 0.F);
  for (int i = 0; i < stack.count; ++i) {
    put_picture(stack, i, each.data(), like.stride);
    for (std::size_t at = 0; at < sum.size(); ++at) sum[at] += each[at] / static_cast<float>(stack.count);
  }
  return sum;
}

}  // namespace

Stack read_stack(const fs::path& path, const jobs::Progress& progress) {
  if (path.extension() == ".npy") return read_numpy(path);
  const images::Document document = images::read_image(
      path, {.series_uid = {}, .mentions_others = false, .mentions_not_finite = false}, progress);
  Remarks remarks;
  for (const Remark& each : document.remarks) {
    if (each.text != images::sides_remark) remarks.add(each.kind, each.text, each.count);
  }
  grid::ScalarField field = images::field_of(document.volume);
  // A picture's pixels have no place. Axes may be flipped, as those of NIfTI are.
  const std::string suffix = path.extension().string();
  const auto pitch = [&](int axis) {
    const double length = field.grid.spacing(axis);
    return field.grid.step(axis, axis) < -0.99 * length ? -length : length;
  };
  return {.columns = field.grid.dimensions[0],
          .rows = field.grid.dimensions[1],
          .count = field.grid.dimensions[2],
          .origin = field.grid.origin,
          .spacing = {pitch(0), pitch(1), pitch(2)},
          .has_spacing = suffix != ".tif" && suffix != ".tiff",
          .values = std::move(field.values),
          .remarks = std::move(remarks)};
}

Geometry read_geometry(const fs::path& path, const Stack& stack) {
  Geometry geometry = path.extension() == ".xml" ? read_rtk(path, stack) : read_json(path, stack);
  if (static_cast<int>(geometry.views.size()) != stack.count) {
    throw InputError(
        path, 0,
        fmt::format("it has {} views, and there are {} projections", geometry.views.size(), stack.count),
        "Choose the geometry of this scan.");
  }
  try {
    require_valid(geometry);
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    throw InputError(path, 0, error.what());
  }
  return geometry;
}

void write_geometry(const Geometry& geometry, const fs::path& path) {
  const auto list = [](const Eigen::Vector3d& of) { return nlohmann::ordered_json{of.x(), of.y(), of.z()}; };
  nlohmann::ordered_json json{{"beam", geometry.beam == Beam::cone ? "cone" : "parallel"},
                              {"views", nlohmann::ordered_json::array()}};
  for (const View& view : geometry.views) {
    json["views"].push_back({{"source", list(view.source)},
                             {"origin", list(view.origin)},
                             {"along", list(view.along)},
                             {"up", list(view.up)}});
  }
  AtomicFile file(path);
  file.stream() << json.dump(1) << '\n';
  file.commit();
}

fs::path geometry_of(const fs::path& projections) {
  fs::path stem = projections;
  while (stem.has_extension() && (stem.extension() == ".gz" || stem.extension() == ".nii" ||
                                  stem.extension() == projections.extension()))
    stem.replace_extension();
  for (const char* suffix : {".json", ".xml"}) {
    fs::path candidate = stem;
    candidate += suffix;
    std::error_code none;
    if (fs::is_regular_file(candidate, none)) return candidate;
  }
  throw InputError(
      projections, 0, "its geometry is missing",
      fmt::format("Put it next to the projections as {}.json (or RTK's .xml).", stem.filename().string()));
}

Scan read_scan(const ScanFiles& files, const jobs::Progress& progress) {
  Stack stack = read_stack(files.projections, progress.part(0, 0.6));
  Scan scan{.projections = Projections(read_geometry(
                files.geometry.empty() ? geometry_of(files.projections) : files.geometry, stack)),
            .remarks = std::move(stack.remarks)};
  for (int i = 0; i < stack.count; ++i) {
    progress.check();
    put_picture(stack, i, scan.projections.column(i, 0), scan.projections.stride);
  }
  if (files.flat.empty()) {
    if (!files.dark.empty() || files.are_intensities)
      throw InputError(files.projections, 0, "its intensities need a flat field",
                       "Give the picture without an object, too.");
    scan.remarks.add(replace_not_finite(scan.projections));
    return scan;
  }
  const auto flat = read_field(files.flat, scan.projections, scan.remarks, progress.part(0.6, 0.7));
  const auto dark = files.dark.empty()
                        ? std::vector<float>()
                        : read_field(files.dark, scan.projections, scan.remarks, progress.part(0.7, 0.8));
  try {
    scan.remarks.add(take_logarithm(scan.projections, flat, dark));
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    throw InputError(files.flat, 0, error.what());
  }
  return scan;
}

FieldValues stacked(const Projections& projections) {
  const Geometry& geometry = projections.geometry;
  const auto columns = static_cast<std::size_t>(geometry.columns),
             rows = static_cast<std::size_t>(geometry.rows);
  FieldValues values(columns * rows * geometry.views.size());
  for (std::size_t i = 0; i < geometry.views.size(); ++i) {
    for (std::size_t u = 0; u < columns; ++u) {
      const float* column = projections.column(static_cast<int>(i), static_cast<int>(u));
      for (std::size_t v = 0; v < rows; ++v) values[(i * rows + v) * columns + u] = column[v];
    }
  }
  return values;
}

Remarks write_projections(const Projections& projections, const fs::path& path) {
  const Geometry& geometry = projections.geometry;
  const View& first = geometry.views.front();
  const auto field = std::make_shared<grid::ScalarField>();
  field->grid.dimensions = {geometry.columns, geometry.rows, static_cast<int>(geometry.views.size())};
  field->grid.unit = grid::LengthUnit::millimetre;
  field->grid.step = Eigen::Vector3d(first.along.norm(), first.up.norm(), 1).asDiagonal();
  field->grid.origin = {-(geometry.columns - 1) / 2.0 * first.along.norm(),
                        -(geometry.rows - 1) / 2.0 * first.up.norm(), 0};
  field->values = stacked(projections);
  return images::write_volume(images::volume_of(field), path);
}

}  // namespace isolume::tomography

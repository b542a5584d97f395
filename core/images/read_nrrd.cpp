#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/images/pixel_size.h"
#include "core/images/readers.h"
#include "core/images/stored_volume.h"
#include "core/images/text_header.h"

// https://teem.sourceforge.net/nrrd/format.html
namespace isolume::images {
namespace {

namespace fs = std::filesystem;
constexpr double not_said = std::numeric_limits<double>::quiet_NaN();

std::string without_spaces(std::string_view text) {
  std::string result = lower_case(text);
  std::erase(result, ' ');
  return result;
}

/// In key values, backslashes and line ends are escaped by a backslash.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_escape =
        text[at] == '\\' && at + 1 < text.size() && (text[at + 1] == 'n' || text[at + 1] == '\\');
    result += !is_escape ? text[at] : text[at + 1] == 'n' ? '\n' : '\\';
    at += is_escape ? 1 : 0;
  }
  return result;
}

class NrrdHeader {
 public:
  explicit NrrdHeader(const fs::path& file) : lines(file), file_(file) {
    if (!lines.next() || lines.line.size() != 8 || !lines.line.starts_with("NRRD000") ||
        lines.line[7] < '1' || lines.line[7] > '5') {
      throw InputError(file, 1,
                       fmt::format("expected NRRD0001 to NRRD0005, found {}", isolume::quoted(lines.line)),
                       "Copy or export it again.");
    }
    while (lines.next() && !lines.line.empty()) {
      if (lines.line.starts_with('#')) continue;
      if (!take_line()) return;
    }
  }

  /// An empty field with line 0 if there is none.
  HeaderField field(std::string_view key) const {
    const auto found = fields_.find(key);
    return found == fields_.end() ? HeaderField{} : found->second;
  }
  HeaderField needed(std::string_view key) const {
    HeaderField found = field(key);
    if (found.line == 0) {
      throw InputError(file_, 0, fmt::format("its header has no field {:?}", key), "Export it again.");
    }
    return found;
  }

  /// The writer's own key/value pairs.
  const std::map<std::string, std::string>& keys() const { return keys_; }

  HeaderLines lines;

 private:
  /// Returns false after a list of data files, which ends a header.
  bool take_line() {
    const std::string_view line = lines.line;
    const std::size_t split = line.find(':');
    if (split == std::string_view::npos) {
      throw InputError(file_, lines.number(),
                       fmt::format("expected field: value, found {}", isolume::quoted(line)),
                       "Export it again.");
    }
    if (line.substr(split + 1).starts_with('=')) {
      keys_[std::string(line.substr(0, split))] = unescaped(line.substr(split + 2));
      return true;
    }
    std::string key = without_spaces(line.substr(0, split));
    if (key == "centerings") key = "centers";
    const HeaderField value{std::string(trimmed(line.substr(split + 1))), lines.number()};
    if (!fields_.emplace(key, value).second) {
      throw InputError(file_, lines.number(), fmt::format("the field {} appears twice", isolume::quoted(key)),
                       "Export it again.");
    }
    return key != "datafile" || !lower_case(value.value).starts_with("list");
  }

  fs::path file_;
  std::map<std::string, HeaderField, std::less<>> fields_;
  std::map<std::string, std::string> keys_;
};

NumberType nrrd_type(const fs::path& file, const HeaderField& field) {
  static const std::map<std::string_view, NumberType> types{
      {"signedchar", NumberType::int8},
      {"int8", NumberType::int8},
      {"int8_t", NumberType::int8},
      {"uchar", NumberType::uint8},
      {"unsignedchar", NumberType::uint8},
      {"uint8", NumberType::uint8},
      {"uint8_t", NumberType::uint8},
      {"short", NumberType::int16},
      {"shortint", NumberType::int16},
      {"signedshort", NumberType::int16},
      {"signedshortint", NumberType::int16},
      {"int16", NumberType::int16},
      {"int16_t", NumberType::int16},
      {"ushort", NumberType::uint16},
      {"unsignedshort", NumberType::uint16},
      {"unsignedshortint", NumberType::uint16},
      {"uint16", NumberType::uint16},
      {"uint16_t", NumberType::uint16},
      {"int", NumberType::int32},
      {"signedint", NumberType::int32},
      {"int32", NumberType::int32},
      {"int32_t", NumberType::int32},
      {"uint", NumberType::uint32},
      {"unsignedint", NumberType::uint32},
      {"uint32", NumberType::uint32},
      {"uint32_t", NumberType::uint32},
      {"longlong", NumberType::int64},
      {"longlongint", NumberType::int64},
      {"signedlonglong", NumberType::int64},
      {"signedlonglongint", NumberType::int64},
      {"int64", NumberType::int64},
      {"int64_t", NumberType::int64},
      {"ulonglong", NumberType::uint64},
      {"unsignedlonglong", NumberType::uint64},
      {"unsignedlonglongint", NumberType::uint64},
      {"uint64", NumberType::uint64},
      {"uint64_t", NumberType::uint64},
      {"float", NumberType::float32},
      {"double", NumberType::float64},
  };
  if (const auto found = types.find(without_spaces(field.value)); found != types.end()) return found->second;
  throw InputError(file, field.line,
                   fmt::format("its numbers are of type {}, which is not read", isolume::quoted(field.value)),
                   "Convert it to short or float.");
}

/// What is known of an axis of the array.
struct NrrdAxis {
  std::uint64_t size = 1, stride = 1;
  std::string kind;
  bool is_spatial = true;
  Eigen::Vector3d step = Eigen::Vector3d::Constant(not_said);  ///< in the header's space
  double spacing = not_said, low = not_said, high = not_said;
  std::string unit;  ///< of these three
  bool is_node_centred = false;
};

/// "(1,0,0) none (0,1,0)": a vector for each axis, empty for "none".
std::vector<std::vector<double>> vectors_of(const fs::path& file, std::string_view key,
                                            const HeaderField& field, std::size_t count, std::size_t length) {
  std::vector<std::vector<double>> vectors;
  const auto refuse = [&] {
    throw InputError(file, field.line,
                     fmt::format("{}: expected {} vectors of {} numbers, found {}", key, count, length,
                                 isolume::quoted(field.value)),
                     "Export it again.");
  };
  std::string_view text = field.value;
  while (!(text = trimmed(text)).empty()) {
    std::vector<double> vector;
    if (lower_case(text.substr(0, 4)) == "none") {
      text.remove_prefix(4);
    } else {
      const std::size_t end = text.find(')');
      if (text[0] != '(' || end == std::string_view::npos) refuse();
      std::string_view inside = text.substr(1, end - 1);
      text.remove_prefix(end + 1);
      for (bool more = true; more;) {
        const std::size_t comma = inside.find(',');
        more = comma != std::string_view::npos;
        const auto number = parse_number<double>(trimmed(inside.substr(0, comma)));
        if (!number || vector.size() == length) refuse();
        vector.push_back(*number);
        if (more) inside.remove_prefix(comma + 1);
      }
      if (vector.size() != length) refuse();
    }
    vectors.push_back(std::move(vector));
    if (vectors.size() > count) refuse();
  }
  if (vectors.size() != count) refuse();
  return vectors;
}

/// Words in quotes.
std::vector<std::string> quoted_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at)) {
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string_view::npos) break;
    words.emplace_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return words;
}

double mm_of_named_unit(const std::string& name, Remarks& remarks) {
  if (name.empty()) return 1;
  if (const auto unit_mm = mm_of_unit(name)) return *unit_mm;
  remarks.assumed(fmt::format("Its unit of length, {}, is not known: mm is assumed.", isolume::quoted(name)));
  return 1;
}

/// The space in which the header gives directions and the origin.
struct Space {
  std::size_t dimension = 0;  ///< 0: none
  Eigen::Vector3d to_lps = Eigen::Vector3d::Ones();
  double unit_mm = 1;
  bool is_the_patients = true;
};

Space space_of(const fs::path& file, const NrrdHeader& header, Remarks& remarks) {
  Space space;
  if (const HeaderField field = header.field("spacedimension"); field.line > 0) {
    const std::int64_t dimension = whole_number_of(file, "space dimension", field);
    if (dimension < 1 || dimension > 4) {
      throw InputError(file, field.line, fmt::format("a space of {} dimensions is not read", dimension),
                       "Export it with 3.");
    }
    space.dimension = static_cast<std::size_t>(dimension);
    space.is_the_patients = false;
  }
  if (const HeaderField field = header.field("space"); field.line > 0) {
    std::string name = lower_case(field.value);
    std::ranges::replace(name, '_', '-');
    space.dimension = 3;
    space.is_the_patients = true;
    if (name.ends_with("-time")) {
      name.resize(name.size() - 5);
      space.dimension = 4;
    } else if (name == "rast" || name == "last" || name == "lpst") {
      name.pop_back();
      space.dimension = 4;
    }
    if (name == "right-anterior-superior" || name == "ras") {
      space.to_lps = {-1, -1, 1};
    } else if (name == "left-anterior-superior" || name == "las") {
      space.to_lps = {1, -1, 1};
    } else if (name == "left-posterior-superior" || name == "lps") {
      space.to_lps = {1, 1, 1};
    } else if (name == "scanner-xyz" || name == "3d-right-handed" || name == "3d-left-handed") {
      space.is_the_patients = false;
    } else {
      throw InputError(file, field.line,
                       fmt::format("its space {} is not known", isolume::quoted(field.value)),
                       "Export it in left-posterior-superior.");
    }
  }
  if (const HeaderField field = header.field("spaceunits"); field.line > 0) {
    const std::vector<std::string> units = quoted_words(field.value);
    for (std::size_t at = 1; at < std::min<std::size_t>(units.size(), 3); ++at) {
      if (units[at] == units[0]) continue;
      throw InputError(file, field.line, "its axes have different units", "Export it in mm.");
    }
    if (!units.empty()) space.unit_mm = mm_of_named_unit(units[0], remarks);
  }
  return space;
}

/// One word for each axis, or none at all.
std::vector<std::string> axis_words(const fs::path& file, const NrrdHeader& header, std::string_view key,
                                    std::size_t axes) {
  const HeaderField field = header.field(key);
  std::vector<std::string> words;
  for (const std::string_view word : words_of(field.value)) words.push_back(lower_case(word));
  if (field.line > 0 && words.size() != axes) {
    throw InputError(file, field.line,
                     fmt::format("{}: expected {} words, found {}", key, axes, isolume::quoted(field.value)),
                     "Export it again.");
  }
  words.resize(axes);
  return words;
}

bool is_spatial_kind(std::string_view kind) {
  return kind.empty() || kind == "domain" || kind == "space" || kind == "none" || kind == "???";
}

std::vector<NrrdAxis> axes_of(const fs::path& file, const NrrdHeader& header, const Space& space) {
  const HeaderField dimension = header.needed("dimension");
  const std::int64_t count = whole_number_of(file, "dimension", dimension);
  if (count < 1 || count > 16) {
    throw InputError(file, dimension.line, fmt::format("it has {} axes, where NRRD has 1 to 16", count),
                     "The file is damaged: copy or export it again.");
  }
  std::vector<NrrdAxis> axes(static_cast<std::size_t>(count));
  const std::vector<std::uint64_t> sizes = sizes_of(file, "sizes", header.needed("sizes"), axes.size());
  require_sizes(file, sizes);
  const std::vector<std::string> kinds = axis_words(file, header, "kinds", axes.size());
  const std::vector<std::string> centres = axis_words(file, header, "centers", axes.size());
  std::uint64_t stride = 1;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    axes[axis].size = sizes[axis];
    axes[axis].stride = stride;
    stride *= sizes[axis];
    axes[axis].kind = kinds[axis];
    axes[axis].is_spatial = is_spatial_kind(kinds[axis]);
    axes[axis].is_node_centred = centres[axis] == "node";
  }
  const auto take = [&](std::string_view key, double NrrdAxis::*member) {
    const HeaderField field = header.field(key);
    if (field.line == 0) return;
    const std::vector<double> numbers = numbers_of(file, key, field, axes.size());
    for (std::size_t axis = 0; axis < axes.size(); ++axis) axes[axis].*member = numbers[axis];
  };
  take("spacings", &NrrdAxis::spacing);
  take("axismins", &NrrdAxis::low);
  take("axismaxs", &NrrdAxis::high);
  const std::vector<std::string> units = quoted_words(header.field("units").value);
  for (std::size_t axis = 0; axis < std::min(axes.size(), units.size()); ++axis)
    axes[axis].unit = units[axis];
  if (const HeaderField field = header.field("spacedirections"); field.line > 0) {
    if (space.dimension == 0) {
      throw InputError(file, field.line, "it has space directions, but no space", "Export it again.");
    }
    const auto vectors = vectors_of(file, "space directions", field, axes.size(), space.dimension);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      axes[axis].is_spatial = !vectors[axis].empty();
      if (!axes[axis].is_spatial) continue;
      axes[axis].step.setZero();
      for (std::size_t row = 0; row < std::min<std::size_t>(space.dimension, 3); ++row) {
        axes[axis].step[static_cast<int>(row)] = vectors[axis][row];
      }
      // The time axis in a space with time.
      if (space.dimension == 4 && axes[axis].step.isZero()) axes[axis].is_spatial = false;
    }
  }
  return axes;
}

/// At most three spatial axes, in the array's order.
std::vector<NrrdAxis> shown_axes(const fs::path& file, const std::vector<NrrdAxis>& axes) {
  std::vector<NrrdAxis> shown;
  for (const NrrdAxis& axis : axes) {
    if (axis.is_spatial && shown.size() < 3) shown.push_back(axis);
  }
  if (!shown.empty()) return shown;
  throw InputError(file, 0, "none of its axes is spatial", "Export it as an image.");
}

void take_geometry_of_space(StoredVolume& stored, const NrrdHeader& header, const Space& space,
                            const std::vector<NrrdAxis>& shown) {
  Geometry& geometry = stored.geometry;
  for (std::size_t at = 0; at < shown.size(); ++at) {
    const int axis = static_cast<int>(at);
    geometry.step.col(axis) = space.unit_mm * space.to_lps.cwiseProduct(shown[at].step);
  }
  if (shown.size() == 1) geometry.step.col(1) = geometry.direction(0).unitOrthogonal();
  if (shown.size() < 3)
    geometry.step.col(2) = geometry.direction(0).cross(geometry.direction(1)).normalized();
  if (const HeaderField field = header.field("spaceorigin"); field.line > 0) {
    const auto origin = vectors_of(stored.file, "space origin", field, 1, space.dimension)[0];
    for (std::size_t row = 0; row < std::min<std::size_t>(origin.size(), 3); ++row) {
      geometry.origin[static_cast<int>(row)] =
          space.unit_mm * space.to_lps[static_cast<int>(row)] * origin[row];
    }
  }
  if (!space.is_the_patients) {
    geometry.frame = grid::Frame::own;
    stored.remarks.assumed(
        "Its space is not a patient's: x to the left, y to the back and z to the head are assumed.");
  }
}

/// Spacings, or lowest and highest positions, along each axis.
void take_geometry_of_axes(StoredVolume& stored, const std::vector<NrrdAxis>& shown) {
  stored.geometry.frame = grid::Frame::own;
  stored.remarks.assumed(sides_remark);
  bool is_said = true;
  for (std::size_t at = 0; at < shown.size(); ++at) {
    const NrrdAxis& axis = shown[at];
    double spacing = axis.spacing;
    if (!std::isfinite(spacing) && std::isfinite(axis.low) && std::isfinite(axis.high)) {
      const std::uint64_t steps = axis.is_node_centred ? axis.size - 1 : axis.size;
      if (steps > 0) spacing = (axis.high - axis.low) / static_cast<double>(steps);
    }
    if (!std::isfinite(spacing)) {
      is_said = false;
      spacing = 1;
    }
    const double unit_mm = std::isfinite(axis.spacing) || std::isfinite(axis.low)
                               ? mm_of_named_unit(axis.unit, stored.remarks)
                               : 1;
    stored.geometry.set_spacing(static_cast<int>(at), positive_spacing(stored.file, unit_mm * spacing));
    if (std::isfinite(axis.low)) {
      stored.geometry.origin[static_cast<int>(at)] =
          unit_mm * (axis.low + (axis.is_node_centred ? 0 : 0.5 * spacing));
    }
  }
  if (!is_said) stored.remarks.assumed(voxel_size_remark);
}

/// The axis whose numbers belong to one voxel, if there is one.
void take_components(StoredVolume& stored, const std::vector<NrrdAxis>& axes) {
  using Meaning = StoredVolume::Meaning;
  for (const NrrdAxis& axis : axes) {
    if (axis.is_spatial || axis.kind == "time" || axis.size == 1) continue;
    stored.components = axis.size;
    stored.component_stride = axis.stride;
    stored.meaning = Meaning::vector;
    if (axis.kind == "complex" && axis.size == 2) stored.meaning = Meaning::complex;
    if ((axis.kind == "rgb-color" && axis.size == 3) || (axis.kind == "rgba-color" && axis.size == 4)) {
      stored.meaning = Meaning::colour;
    }
    return;
  }
}

void take_body(StoredVolume& stored, NrrdHeader& header, const std::vector<NrrdAxis>& axes) {
  VoxelBody& body = stored.body;
  using Packing = VoxelBody::Packing;
  static const std::map<std::string_view, Packing> packings{
      {"raw", Packing::none},     {"txt", Packing::text},  {"text", Packing::text},
      {"ascii", Packing::text},   {"hex", Packing::hex},   {"gz", Packing::deflate},
      {"gzip", Packing::deflate}, {"bz2", Packing::bzip2}, {"bzip2", Packing::bzip2},
  };
  const HeaderField encoding = header.needed("encoding");
  const auto packing = packings.find(lower_case(encoding.value));
  if (packing == packings.end()) {
    throw InputError(stored.file, encoding.line,
                     fmt::format("its encoding {} is not read", isolume::quoted(encoding.value)),
                     "Export it as raw or gzip.");
  }
  body.packing = packing->second;
  if (body.packing != Packing::text && bytes_of(stored.type) > 1) {
    const HeaderField endian = header.needed("endian");
    const std::string order = lower_case(endian.value);
    if (order != "little" && order != "big") {
      throw InputError(stored.file, endian.line,
                       fmt::format("endian: expected little or big, found {}", isolume::quoted(endian.value)),
                       "Export it again.");
    }
    body.swapped = (order == "little") != (std::endian::native == std::endian::little);
  }
  std::vector<std::uint64_t> sizes;
  for (const NrrdAxis& axis : axes) sizes.push_back(axis.size);
  if (const HeaderField data = header.field("datafile"); data.line == 0) {
    body.files = {stored.file};
    body.offset = header.lines.offset();
  } else if (const auto words = words_of(data.value); !words.empty() && lower_case(words[0]) == "list") {
    std::optional<std::int64_t> axes_per_file;
    if (words.size() > 1)
      axes_per_file = whole_number_of(stored.file, "data file", {std::string(words[1]), data.line});
    body.files = listed_files(header.lines, stored.file, axes_per_file, sizes);
  } else if (data.value.find('%') != std::string::npos) {
    body.files = files_by_pattern(stored.file, data, sizes);
  } else {
    body.files = {stored.file.parent_path() / data.value};
  }
  if (const HeaderField field = header.field("lineskip"); field.line > 0) {
    const std::int64_t lines = whole_number_of(stored.file, "line skip", field);
    if (lines < 0) throw InputError(stored.file, field.line, "line skip is negative", "Export it again.");
    body.lines_before = static_cast<std::uint64_t>(lines);
  }
  if (const HeaderField field = header.field("byteskip"); field.line > 0) {
    const std::int64_t bytes = whole_number_of(stored.file, "byte skip", field);
    const bool is_binary = body.packing != Packing::text && body.packing != Packing::hex;
    if (bytes < -1 || (bytes == -1 && !is_binary)) {
      throw InputError(stored.file, field.line, fmt::format("byte skip {} has no meaning here", bytes),
                       "Export it again.");
    }
    body.at_end = bytes == -1;
    body.bytes_before = bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
  }
}

}  // namespace

std::map<std::string, std::string> nrrd_keys(const fs::path& file) {
  return NrrdHeader(file).keys();
}

std::uint64_t nrrd_components(const fs::path& file) {
  const NrrdHeader header(file);
  StoredVolume stored;
  take_components(stored, axes_of(file, header, space_of(file, header, stored.remarks)));
  return stored.components;
}

StoredVolume stored_nrrd(const fs::path& file, std::optional<std::uint64_t> component) {
  NrrdHeader header(file);
  StoredVolume stored;
  stored.file = file;
  stored.component = component;
  stored.type = nrrd_type(file, header.needed("type"));
  const Space space = space_of(file, header, stored.remarks);
  const std::vector<NrrdAxis> axes = axes_of(file, header, space);
  stored.promised = 1;
  for (const NrrdAxis& axis : axes) stored.promised *= axis.size;
  const std::vector<NrrdAxis> shown = shown_axes(file, axes);
  for (std::size_t at = 0; at < shown.size(); ++at) {
    stored.geometry.dimensions[at] = static_cast<int>(shown[at].size);
    stored.strides[at] = shown[at].stride;
  }
  for (std::size_t at = shown.size(); at < 3; ++at) {
    stored.strides[at] =
        stored.strides[at - 1] * static_cast<std::uint64_t>(stored.geometry.dimensions[at - 1]);
  }
  take_components(stored, axes);
  if (component.value_or(0) >= stored.components) {
    throw InputError(
        file, 0, fmt::format("it has {} layers, and layer {} is asked for", stored.components, *component),
        "Export it again.");
  }
  if (shown[0].step.allFinite()) {
    take_geometry_of_space(stored, header, space, shown);
  } else {
    take_geometry_of_axes(stored, shown);
  }
  stored.geometry.has_thickness = shown.size() == 3;
  take_body(stored, header, axes);
  if (const auto units = quoted_words(header.field("sampleunits").value); !units.empty())
    stored.unit = units[0];
  return stored;
}

Document read_nrrd(const fs::path& file, const ReadOptions& options, const jobs::Progress& progress,
                   std::optional<std::uint64_t> component) {
  return read_stored(stored_nrrd(file, component), options, progress);
}

}  // namespace isolume::images

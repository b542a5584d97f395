#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/images/readers.h"
#include "core/images/stored_volume.h"
#include "core/images/text_header.h"

// https://itk.org/Wiki/ITK/MetaIO/Documentation
namespace isolume::images {
namespace {

namespace fs = std::filesystem;

class MetaImageHeader {
 public:
  explicit MetaImageHeader(const fs::path& file) : lines(file), file_(file) {
    while (lines.next()) {
      const std::string_view line = lines.line;
      const std::size_t split = line.find_first_of("=:");
      if (split == std::string_view::npos) {
        if (trimmed(line).empty()) continue;
        throw InputError(file, lines.number(),
                         fmt::format("expected key = value, found {}", isolume::quoted(line)),
                         "Export it again.");
      }
      const std::string key = lower_case(trimmed(line.substr(0, split)));
      fields_[key] = {std::string(trimmed(line.substr(split + 1))), lines.number()};
      if (key == "elementdatafile") return;
    }
    throw InputError(file, 0, "its header has no ElementDataFile",
                     "It was cut off: copy or export it again.");
  }

  /// The first of these keys that exists; otherwise an empty field with line 0.
  HeaderField field(std::initializer_list<std::string_view> keys) const {
    for (const std::string_view key : keys) {
      if (const auto found = fields_.find(key); found != fields_.end()) return found->second;
    }
    return {};
  }
  HeaderField needed(std::string_view key, std::string_view as_written) const {
    HeaderField found = field({key});
    if (found.line == 0) {
      throw InputError(file_, 0, fmt::format("its header has no {}", as_written), "Export it again.");
    }
    return found;
  }
  bool is_true(std::initializer_list<std::string_view> keys, bool unless_said) const {
    const HeaderField found = field(keys);
    if (found.value.empty()) return unless_said;
    return found.value[0] == 'T' || found.value[0] == 't' || found.value[0] == '1';
  }

  HeaderLines lines;

 private:
  fs::path file_;
  std::map<std::string, HeaderField, std::less<>> fields_;
};

NumberType type_of(const fs::path& file, const HeaderField& field) {
  std::string name = lower_case(field.value);
  if (name.ends_with("_array")) name.resize(name.size() - 6);
  // MET_LONG has 4 bytes, whatever the size of a compiler's long.
  static const std::map<std::string_view, NumberType> types{
      {"met_char", NumberType::int8},       {"met_uchar", NumberType::uint8},
      {"met_short", NumberType::int16},     {"met_ushort", NumberType::uint16},
      {"met_int", NumberType::int32},       {"met_uint", NumberType::uint32},
      {"met_long", NumberType::int32},      {"met_ulong", NumberType::uint32},
      {"met_long_long", NumberType::int64}, {"met_ulong_long", NumberType::uint64},
      {"met_float", NumberType::float32},   {"met_double", NumberType::float64},
  };
  if (const auto found = types.find(name); found != types.end()) return found->second;
  throw InputError(file, field.line, fmt::format("ElementType {} is not read", isolume::quoted(field.value)),
                   "Convert it to MET_SHORT or MET_FLOAT.");
}

/// The unit of lengths in the header.
double mm_of_units(const fs::path& file, const HeaderField& field, Remarks& remarks) {
  const std::string unit = lower_case(field.value);
  if (unit == "?") remarks.assumed("Its unit of length is not given: mm is assumed.");
  if (field.line == 0 || unit == "mm" || unit == "?") return 1;
  if (unit == "um") return 0.001;
  if (unit == "cm") return 10;
  throw InputError(file, field.line,
                   fmt::format("DistanceUnits {} is not known", isolume::quoted(field.value)),
                   "Write um, mm or cm there.");
}

void take_geometry(StoredVolume& stored, const MetaImageHeader& header, std::size_t axes) {
  Geometry& geometry = stored.geometry;
  const std::size_t shown = std::min<std::size_t>(axes, 3);
  geometry.has_thickness = shown == 3;
  const double unit_mm = mm_of_units(stored.file, header.field({"distanceunits"}), stored.remarks);
  if (const HeaderField field = header.field({"elementspacing", "elementsize"}); field.line > 0) {
    const std::vector<double> spacing = numbers_of(stored.file, "ElementSpacing", field, axes);
    for (std::size_t axis = 0; axis < shown; ++axis) {
      geometry.set_spacing(static_cast<int>(axis), positive_spacing(stored.file, unit_mm * spacing[axis]));
    }
  } else {
    stored.remarks.assumed(voxel_size_remark);
  }
  if (const HeaderField field = header.field({"offset", "position", "origin"}); field.line > 0) {
    const std::vector<double> origin = numbers_of(stored.file, "Offset", field, axes);
    for (std::size_t axis = 0; axis < shown; ++axis) {
      geometry.origin[static_cast<int>(axis)] = unit_mm * origin[axis];
    }
  }
  const HeaderField field = header.field({"transformmatrix", "orientation", "rotation"});
  if (field.line == 0) {
    geometry.frame = grid::Frame::own;
    stored.remarks.assumed(sides_remark);
    return;
  }
  const std::vector<double> matrix = numbers_of(stored.file, "TransformMatrix", field, axes * axes);
  for (std::size_t axis = 0; axis < shown; ++axis) {
    Eigen::Vector3d direction = Eigen::Vector3d::Zero();
    for (std::size_t row = 0; row < shown; ++row)
      direction[static_cast<int>(row)] = matrix[axis * axes + row];
    // Directions whose length is not 1 scale the spacing.
    geometry.step.col(static_cast<int>(axis)) = geometry.spacing(static_cast<int>(axis)) * direction;
  }
}

void take_body(StoredVolume& stored, MetaImageHeader& header, const std::vector<std::uint64_t>& sizes) {
  VoxelBody& body = stored.body;
  const bool is_packed = header.is_true({"compresseddata"}, false);
  if (!header.is_true({"binarydata"}, true)) {
    body.packing = VoxelBody::Packing::text;
  } else if (is_packed) {
    body.packing = VoxelBody::Packing::deflate;
  }
  const bool is_big = header.is_true({"binarydatabyteordermsb", "elementbyteordermsb"},
                                     std::endian::native == std::endian::big);
  body.swapped = is_big != (std::endian::native == std::endian::big);
  const HeaderField data = header.needed("elementdatafile", "ElementDataFile");
  const std::string name = lower_case(data.value);
  if (name == "local") {
    body.files = {stored.file};
    body.offset = header.lines.offset();
  } else if (const auto words = words_of(name); !words.empty() && words[0] == "list") {
    std::optional<std::int64_t> axes_per_file;
    if (words.size() > 1) {
      axes_per_file = parse_number<std::int64_t>(words[1].substr(0, words[1].find('d')));
      if (!axes_per_file || words.size() > 2) {
        throw InputError(stored.file, data.line,
                         fmt::format("expected LIST, found {}", isolume::quoted(data.value)),
                         "Export it again.");
      }
    }
    body.files = listed_files(header.lines, stored.file, axes_per_file, sizes);
  } else if (name.find('%') != std::string::npos) {
    body.files = files_by_pattern(stored.file, data, sizes);
  } else {
    body.files = {stored.file.parent_path() / data.value};
  }
  if (const HeaderField field = header.field({"headersize"}); field.line > 0) {
    const std::int64_t size = whole_number_of(stored.file, "HeaderSize", field);
    if (size < -1 || (size == -1 && body.packing != VoxelBody::Packing::none)) {
      throw InputError(stored.file, field.line, fmt::format("HeaderSize {} has no meaning here", size),
                       "Export it again.");
    }
    if (size == -1) body.at_end = true;
    if (size > 0) body.offset = static_cast<std::uint64_t>(size);
  }
  if (const HeaderField field = header.field({"compresseddatasize"}); is_packed && field.line > 0) {
    const std::int64_t size = whole_number_of(stored.file, "CompressedDataSize", field);
    // For several files it is the sum, or the size of the first.
    if (size > 0 && body.files.size() == 1) body.packed_bytes = static_cast<std::uint64_t>(size);
  }
}

}  // namespace

StoredVolume stored_metaimage(const fs::path& file) {
  MetaImageHeader header(file);
  StoredVolume stored;
  stored.file = file;
  if (const HeaderField kind = header.field({"objecttype"});
      kind.line > 0 && lower_case(kind.value) != "image") {
    throw InputError(file, kind.line,
                     fmt::format("this is not an image: its ObjectType is {}", isolume::quoted(kind.value)),
                     "Choose another file.");
  }
  const HeaderField dimensions = header.needed("ndims", "NDims");
  const std::int64_t axes = whole_number_of(file, "NDims", dimensions);
  if (axes < 1 || axes > 10) {
    throw InputError(file, dimensions.line, fmt::format("it has {} axes, where MetaImage has 1 to 10", axes),
                     "The file is damaged: copy or export it again.");
  }
  const std::vector<std::uint64_t> sizes =
      sizes_of(file, "DimSize", header.needed("dimsize", "DimSize"), static_cast<std::size_t>(axes));
  stored.type = type_of(file, header.needed("elementtype", "ElementType"));
  if (const HeaderField field = header.field({"elementnumberofchannels"}); field.line > 0) {
    const std::int64_t channels = whole_number_of(file, "ElementNumberOfChannels", field);
    if (channels < 1) {
      throw InputError(file, field.line, fmt::format("{} numbers in each voxel", channels),
                       "Export it again.");
    }
    stored.components = static_cast<std::uint64_t>(channels);
  }
  std::vector<std::uint64_t> all = sizes;
  all.push_back(stored.components);
  require_sizes(file, all);
  using Meaning = StoredVolume::Meaning;
  // Three floats are a displacement rather than a colour.
  const bool may_be_colour = stored.type == NumberType::uint8 || stored.type == NumberType::uint16;
  const bool is_colour = may_be_colour && (stored.components == 3 || stored.components == 4);
  if (stored.components > 1) stored.meaning = is_colour ? Meaning::colour : Meaning::vector;
  stored.promised = stored.components;
  std::uint64_t stride = stored.components;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    stored.promised *= sizes[axis];
    if (axis > 2) continue;
    stored.geometry.dimensions[axis] = static_cast<int>(sizes[axis]);
    stored.strides[axis] = stride;
    stride *= sizes[axis];
  }
  for (std::size_t axis = sizes.size(); axis < 3; ++axis) stored.strides[axis] = stride;
  if (const HeaderField field = header.field({"elementtointensityfunctionslope"}); field.line > 0) {
    stored.slope = numbers_of(file, "ElementToIntensityFunctionSlope", field, 1)[0];
  }
  if (const HeaderField field = header.field({"elementtointensityfunctionoffset"}); field.line > 0) {
    stored.intercept = numbers_of(file, "ElementToIntensityFunctionOffset", field, 1)[0];
  }
  if (stored.slope == 0 || !std::isfinite(stored.slope) || !std::isfinite(stored.intercept)) {
    throw InputError(file, 0,
                     fmt::format("its slope {} and offset {} give no values", stored.slope, stored.intercept),
                     "Export it again.");
  }
  take_geometry(stored, header, sizes.size());
  take_body(stored, header, sizes);
  return stored;
}

Document read_metaimage(const fs::path& file, const ReadOptions& options, const jobs::Progress& progress) {
  return read_stored(stored_metaimage(file), options, progress);
}

}  // namespace isolume::images

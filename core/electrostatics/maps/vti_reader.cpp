// https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/packer.h"
#include "core/base/text_file.h"
#include "core/base/xml_tags.h"
#include "core/dispatch/dispatch.h"
#include "core/electrostatics/maps/vti.h"
#include "core/electrostatics/sums/units.h"
#include "core/molecules/line_reader.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {
namespace {

constexpr long most_points_a_line = 1 << 20;
constexpr std::string_view write_again = "Write it again with VTK or ParaView.";

/// Value of a base64 digit; -1 for other characters.
int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/// Reads bytes as they are in a file, or from base64, in which several encoded pieces may follow each other: a
/// separately encoded header, and the data.
class ByteReader {
 public:
  ByteReader(std::string_view text, bool base64) : text_(text), base64_(base64) {}

  /// Upper limit of the remaining bytes.
  std::size_t remaining() const { return text_.size() - at_ + spare_.size(); }
  /// Fills `bytes`; false where there are fewer.
  bool take(std::span<char> bytes) {
    if (bytes.size() > remaining()) return false;
    if (!base64_) {
      std::ranges::copy(text_.substr(at_, bytes.size()), bytes.begin());
      at_ += bytes.size();
      return true;
    }
    for (std::size_t done = 0; done < bytes.size();) {
      if (spare_.empty() && !decode_quad()) return false;
      const std::size_t count = std::min(spare_.size(), bytes.size() - done);
      std::ranges::copy(spare_.substr(0, count), bytes.begin() + static_cast<std::ptrdiff_t>(done));
      spare_.remove_prefix(count);
      done += count;
    }
    return true;
  }

 private:
  bool decode_quad() {
    std::array<int, 4> digits{};
    std::size_t count = 0, padding = 0;
    while (count + padding < 4) {
      if (at_ == text_.size()) return false;
      const char c = text_[at_++];
      if (static_cast<unsigned char>(c) <= ' ') continue;
      if (c == '=') {
        ++padding;
      } else if (const int digit = base64_digit(c); digit >= 0 && padding == 0) {
        digits[count++] = digit;
      } else {
        return false;
      }
    }
    if (count < 2) return false;
    const auto bits = static_cast<unsigned>(digits[0] << 18 | digits[1] << 12 | digits[2] << 6 | digits[3]);
    for (unsigned i = 0; i < 3; ++i) decoded_[i] = static_cast<char>(bits >> (16 - 8 * i) & 0xFFU);
    spare_ = std::string_view(decoded_.data(), count - 1);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool base64_;
  std::array<char, 3> decoded_{};
  std::string_view spare_;  ///< of the last group of four digits
};

template <class Number>
Number number_at(const char* bytes, bool swapped) {
  std::array<char, sizeof(Number)> own{};
  std::memcpy(own.data(), bytes, sizeof(Number));
  if (swapped) std::ranges::reverse(own);
  return std::bit_cast<Number>(own);
}

/// An XML element that holds numbers.
struct DataArray {
  std::string_view type, format, offset, text;
  std::string name;
  std::size_t line = 0;
};

class VtiReading {
 public:
  VtiReading(const std::filesystem::path& path, const jobs::Progress& progress)
      : path_(path), progress_(progress), text_(read_text_file(path)) {
    read_tags();
  }

  const grid::Grid& grid() const { return grid_; }
  /// Arrays of points or cells other than the one read.
  const std::vector<std::string>& others() const { return others_; }

  const std::string& name() const { return chosen_->name; }

  grid::ScalarField read() {
    if (!chosen_) {
      fail(0, "it has no scalar point data (PointData with one component)",
           "Write the potential as point data with one component.");
    }
    const std::size_t count = grid_.point_count();
    const bool is_text = chosen_->format == "ascii";
    if (chosen_->type != "Float32" && chosen_->type != "Float64") {
      fail(chosen_->line, fmt::format("its numbers are of the type {}", quoted(chosen_->type)),
           "Write Float32 or Float64.");
    }
    // A number and its separator take at least two characters; zlib compresses by a factor of at most 1032.
    const double least_bytes = is_text ? 2 : static_cast<double>(value_size()) / (packed_ ? 1040 : 1);
    const double most = static_cast<double>(text_.size()) / least_bytes + 1;
    if (static_cast<double>(count) > most)
      fail(chosen_->line, fmt::format("{} numbers do not fit into the file", count), "Copy the file again.");
    dispatch::require_memory("The map", count * sizeof(float), "Use a coarser map.");
    values_ = FieldValues(count);
    is_text ? read_text() : read_binary();
    grid::ScalarField field{.grid = grid_, .values = {}, .name = "map", .unit = {}};
    field.values = std::move(values_);
    if (const auto unit = unit_in_brackets(chosen_->name)) field.unit = to_text(*unit);
    return field;
  }

 private:
  [[noreturn]] void fail(std::size_t line, std::string_view problem,
                         std::string_view remedy = write_again) const {
    throw InputError(path_, line, problem, remedy);
  }

  /// Up to the appended data, which are not XML.
  void read_tags() {
    XmlTags tags(text_);
    bool is_image = false, in_points = false, in_cells = false;
    std::string_view wanted;
    bool has_wanted = true;
    while (const auto tag = tags.next()) {
      progress_.check();
      if (tag->name == "VTKFile") take_file(*tag);
      if (tag->name == "ImageData") {
        take_grid(*tag);
        is_image = true;
      } else if (tag->name == "Piece") {
        if (extent(*tag, "Extent") != whole_)
          fail(tag->line, "it is in several pieces", "Write the map in one piece.");
      } else if (tag->name == "PointData") {
        in_points = !tag->is_empty_element();
        wanted = tag->attribute("Scalars");
        has_wanted = wanted.empty();
      } else if (tag->name == "/PointData") {
        in_points = false;
      } else if (tag->name == "DataArray" && in_points) {
        const bool is_wanted = !wanted.empty() && tag->attribute("Name") == wanted;
        has_wanted = has_wanted || is_wanted;
        take_array(*tag, tags, is_wanted);
      } else if (tag->name == "CellData" || tag->name == "/CellData") {
        in_cells = tag->name == "CellData" && !tag->is_empty_element();
      } else if (tag->name == "DataArray" && in_cells) {
        others_.push_back(xml_text(tag->attribute("Name")));
      } else if (tag->name == "AppendedData") {
        take_appended(*tag);
        break;
      }
    }
    if (!has_wanted)
      fail(0, fmt::format("its scalars {} are not in it", quoted(wanted)), "Copy the file again.");
    if (!is_image) fail(0, "there is no image data in it", "Give a file of the type ImageData.");
  }

  void take_file(const XmlTag& tag) {
    if (const auto type = tag.attribute("type"); type != "ImageData")
      fail(tag.line, fmt::format("it holds {}, not image data", quoted(type)), "Resample it to image data.");
    const auto order = tag.attribute("byte_order"), header = tag.attribute("header_type"),
               packing = tag.attribute("compressor");
    const bool big = order == "BigEndian";
    swapped_ = big != (std::endian::native == std::endian::big);
    word_size_ = header == "UInt64" ? 8 : 4;
    packed_ = !packing.empty();
    if (packed_ && packing != "vtkZLibDataCompressor")
      fail(tag.line, fmt::format("it is packed by {}", quoted(packing)), "Pack it with zlib, or not at all.");
  }

  template <std::size_t Count>
  std::array<double, Count> reals(const XmlTag& tag, std::string_view name) const {
    std::vector<std::string_view> words;
    molecules::split_words(tag.attribute(name), words);
    std::array<double, Count> numbers{};
    bool good = words.size() == Count;
    for (std::size_t i = 0; good && i < Count; ++i) {
      const auto number = molecules::parse_real(words[i]);
      good = number && std::abs(*number) <= structures::most_magnitude;
      if (good) numbers[i] = *number;
    }
    if (!good)
      fail(tag.line, fmt::format("{} is {}, not {} numbers", name, quoted(tag.attribute(name)), Count));
    return numbers;
  }

  std::array<long, 6> extent(const XmlTag& tag, std::string_view name) const {
    std::array<long, 6> ends{};
    const auto numbers = reals<6>(tag, name);
    std::ranges::transform(numbers, ends.begin(), [](double number) { return std::lround(number); });
    return ends;
  }

  void take_grid(const XmlTag& tag) {
    whole_ = extent(tag, "WholeExtent");
    const auto origin = reals<3>(tag, "Origin"), spacing = reals<3>(tag, "Spacing");
    std::array<double, 9> rows{1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (!tag.attribute("Direction").empty()) rows = reals<9>(tag, "Direction");
    const Eigen::Matrix3d direction = Eigen::Map<const Eigen::Matrix3d>(rows.data()).transpose();
    grid_.step = direction * Eigen::Vector3d(spacing[0], spacing[1], spacing[2]).asDiagonal();
    Eigen::Vector3d first;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const long low = whole_[2 * axis], count = whole_[2 * axis + 1] - low + 1;
      if (count < 1 || count > most_points_a_line)
        fail(tag.line, fmt::format("it has {} points along an axis", count));
      grid_.dimensions[axis] = static_cast<int>(count);
      first[static_cast<Eigen::Index>(axis)] = static_cast<double>(low);
    }
    if (!(grid_.cell_volume() > 0)) fail(tag.line, "the steps of its grid span no volume");
    grid_.origin = Eigen::Vector3d(origin[0], origin[1], origin[2]) + grid_.step * first;
  }

  /// Reads up to its end: its attributes, and its text if the numbers are inline.
  void take_array(const XmlTag& tag, XmlTags& tags, bool is_wanted) {
    DataArray array{.type = tag.attribute("type"),
                    .format = tag.attribute("format"),
                    .offset = tag.attribute("offset"),
                    .text = {},
                    .name = xml_text(tag.attribute("Name")),
                    .line = tag.line};
    if (!tag.is_empty_element()) {
      // Text in nested elements (InformationKey) is not part of the numbers.
      int depth = 0;
      for (auto inner = tags.next();; inner = tags.next()) {
        if (!inner) fail(tag.line, "it ends within its numbers", "Copy the file again.");
        if (depth == 0 && trimmed(array.text).empty()) array.text = inner->text;
        if (inner->name == "/DataArray") break;
        if (!inner->is_empty_element()) depth += inner->name.starts_with('/') ? -1 : 1;
      }
    }
    const auto components = tag.attribute("NumberOfComponents");
    const bool is_scalar = components.empty() || components == "1";
    if (!is_scalar || (chosen_ && !is_wanted)) {
      others_.push_back(std::move(array.name));
      return;
    }
    if (chosen_) others_.push_back(std::move(chosen_->name));
    chosen_ = std::move(array);
  }

  void take_appended(const XmlTag& tag) {
    const auto encoding = tag.attribute("encoding");
    if (encoding != "raw" && encoding != "base64")
      fail(tag.line, fmt::format("its data are in the encoding {}", quoted(encoding)));
    appended_is_base64_ = encoding == "base64";
    const std::string_view rest = std::string_view(text_).substr(tag.end);
    const std::size_t mark = rest.find_first_not_of(" \t\r\n");
    if (mark == std::string_view::npos || rest[mark] != '_')
      fail(tag.line, "its data do not begin with an underscore");
    appended_ = rest.substr(mark + 1);
    if (appended_is_base64_) appended_ = appended_.substr(0, appended_.find('<'));
  }

  std::size_t value_size() const { return chosen_->type == "Float64" ? sizeof(double) : sizeof(float); }

  void put(std::size_t at, double value) {
    if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max())))
      fail(chosen_->line, fmt::format("number {} is {}", at + 1, value), "Write the map anew.");
    values_[at] = static_cast<float>(value);
  }

  void read_text() {
    std::string_view rest = chosen_->text;
    const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
    std::size_t at = 0;
    for (auto word = std::ranges::find_if_not(rest, is_blank); word != rest.end(); ++at) {
      const auto end = std::find_if(word, rest.end(), is_blank);
      if (at == values_.size()) fail(chosen_->line, "there are more numbers than its grid has points");
      const auto number = molecules::parse_real({word, end});
      if (!number) fail(chosen_->line, fmt::format("{} is not a number of the map", quoted({word, end})));
      put(at, *number);
      if (at % 65536 == 0) report(at);
      word = std::find_if_not(end, rest.end(), is_blank);
    }
    if (at != values_.size())
      fail(chosen_->line, fmt::format("it has {} numbers for a grid of {} points", at, values_.size()));
  }

  ByteReader bytes_of_array() const {
    if (chosen_->format == "binary") return {chosen_->text, true};
    if (chosen_->format != "appended")
      fail(chosen_->line, fmt::format("its numbers are in the format {}", quoted(chosen_->format)));
    const auto offset = molecules::parse_integer(chosen_->offset);
    if (!offset || *offset < 0 || static_cast<std::size_t>(*offset) > appended_.size())
      fail(chosen_->line, fmt::format("its numbers would begin at {}", quoted(chosen_->offset)),
           "Copy the file again.");
    return {appended_.substr(static_cast<std::size_t>(*offset)), appended_is_base64_};
  }

  std::uint64_t word(ByteReader& bytes) const {
    std::array<char, 8> own{};
    if (!bytes.take(std::span(own).first(word_size_))) ended();
    return word_size_ == 8 ? number_at<std::uint64_t>(own.data(), swapped_)
                           : number_at<std::uint32_t>(own.data(), swapped_);
  }
  [[noreturn]] void ended() const {
    fail(chosen_->line, "it ends within its numbers, or they are not encoded as it says",
         "Copy the file again.");
  }

  void read_binary() {
    ByteReader bytes = bytes_of_array();
    const std::uint64_t expected = values_.size() * value_size();
    const std::uint64_t first = word(bytes);
    const std::uint64_t length = packed_ ? word(bytes) : first, last = packed_ ? word(bytes) : 0;
    // Uncompressed sizes of the blocks and of the last one; if it is the only one, `length` is limited by the data.
    const std::uint64_t blocks = packed_ ? first : 1, tail = last == 0 ? length : last;
    const bool fits = blocks >= 1 && tail <= expected && (blocks == 1 || length <= expected) &&
                      blocks - 1 <= (expected - tail) / std::max<std::uint64_t>(length, 1) &&
                      (blocks - 1) * length + tail == expected;
    if (!fits) {
      fail(chosen_->line, fmt::format("its data are not the {} of its grid's {} points",
                                      format_bytes(expected), values_.size()));
    }
    if (!packed_) return take_plain(bytes);
    if ((blocks > 1 && length % value_size() != 0) || blocks > bytes.remaining() / word_size_) ended();
    std::vector<std::uint64_t> sizes(blocks);
    for (auto& size : sizes) size = word(bytes);
    std::string packed, block;
    std::size_t at = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      if (sizes[i] > bytes.remaining()) ended();
      packed.resize(sizes[i]);
      block.resize(i + 1 == blocks ? tail : length);
      if (!bytes.take(packed) || !unpack_zlib(packed, block)) ended();
      put_all(block, at);
    }
  }

  void take_plain(ByteReader& bytes) {
    constexpr std::size_t values_a_block = 65536;
    std::string block;
    for (std::size_t at = 0; at < values_.size();) {
      block.resize(std::min(values_a_block, values_.size() - at) * value_size());
      if (!bytes.take(block)) ended();
      put_all(block, at);
    }
  }

  /// Advances `at` past them.
  void put_all(std::string_view block, std::size_t& at) {
    report(at);
    for (std::size_t i = 0; i < block.size(); i += value_size(), ++at) {
      put(at, value_size() == sizeof(double) ? number_at<double>(&block[i], swapped_)
                                             : static_cast<double>(number_at<float>(&block[i], swapped_)));
    }
  }

  void report(std::size_t at) const {
    progress_.check();
    progress_.report(static_cast<double>(at) / static_cast<double>(values_.size()), "reading the map");
  }

  std::filesystem::path path_;
  jobs::Progress progress_;
  std::string text_;
  std::string_view appended_;
  bool appended_is_base64_ = false, swapped_ = false, packed_ = false;
  std::size_t word_size_ = 4;
  std::array<long, 6> whole_{};
  std::optional<DataArray> chosen_;
  std::vector<std::string> others_;
  FieldValues values_;
  grid::Grid grid_{.unit = grid::LengthUnit::angstrom};
};

}  // namespace

grid::ScalarField read_vti(const std::filesystem::path& path, const jobs::Progress& progress,
                           Remarks* remarks) {
  VtiReading reading(path, progress);
  auto field = reading.read();
  if (const auto& others = reading.others(); remarks != nullptr && !others.empty()) {
    remarks->dropped(fmt::format("Arrays other than {} were left out: {}.", isolume::quoted(reading.name()),
                                 first_names(others)),
                     others.size());
  }
  return field;
}

grid::Grid read_vti_grid(const std::filesystem::path& path, const jobs::Progress& progress) {
  return VtiReading(path, progress).grid();
}

}  // namespace isolume::electrostatics

#include "core/images/text_header.h"

#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/input_file.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t longest_line = std::size_t{1} << 20;
constexpr std::uint64_t longest_header = std::uint64_t{16} << 20;

/// Expected number of files, each with `axes_per_file` axes; one axis less than all if the header does not state it.
std::uint64_t count_of_files(const fs::path& file, std::size_t line,
                             std::optional<std::int64_t> axes_per_file,
                             const std::vector<std::uint64_t>& sizes) {
  const auto axes = static_cast<std::int64_t>(sizes.size());
  const std::int64_t per_file = axes_per_file.value_or(axes - 1);
  if (per_file < 1 || per_file > axes) {
    throw InputError(file, line, fmt::format("{} axes in each data file, of {} in all", per_file, axes),
                     "Export it again.");
  }
  std::uint64_t count = 1;
  for (std::int64_t axis = per_file; axis < axes; ++axis) count *= sizes[static_cast<std::size_t>(axis)];
  return count;
}

/// A printf pattern with one number, parsed.
struct NamePattern {
  std::string before, after;
  bool zeros = false;
  std::size_t width = 0;

  std::string name_of(std::int64_t number) const {
    std::string digits = std::to_string(number);
    while (digits.size() < width) digits.insert(zeros && digits[0] == '-' ? 1 : 0, 1, zeros ? '0' : ' ');
    return before + digits + after;
  }
};

std::optional<NamePattern> pattern_of(std::string_view text) {
  NamePattern pattern;
  bool has_number = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string& part = has_number ? pattern.after : pattern.before;
    if (text[at] != '%') {
      part += text[at];
    } else if (text.substr(at + 1).starts_with('%')) {
      part += '%';
      ++at;
    } else {
      if (has_number) return std::nullopt;
      has_number = true;
      for (++at; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])); ++at) {
        if (text[at] == '0' && pattern.width == 0) {
          pattern.zeros = true;
        } else {
          pattern.width = 10 * pattern.width + static_cast<std::size_t>(text[at] - '0');
        }
        if (pattern.width > 20) return std::nullopt;
      }
      if (at >= text.size() || (text[at] != 'd' && text[at] != 'i' && text[at] != 'u')) return std::nullopt;
    }
  }
  if (!has_number) return std::nullopt;
  return pattern;
}

}  // namespace

HeaderLines::HeaderLines(const fs::path& path) : path_(path), stream_(open_input(path)) {}

bool HeaderLines::next() {
  line.clear();
  std::streambuf& bytes = *stream_.rdbuf();
  int c = bytes.sbumpc();
  if (c == std::char_traits<char>::eof()) return false;
  ++number_;
  for (; c != std::char_traits<char>::eof(); c = bytes.sbumpc()) {
    ++offset_;
    if (c == '\n') break;
    line += static_cast<char>(c);
    if (line.size() > longest_line || offset_ > longest_header) {
      throw InputError(path_, number_, "the header does not end",
                       "The file is damaged: copy or export it again.");
    }
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!(text = trimmed(text)).empty()) {
    std::size_t length = 0;
    while (length < text.size() && !std::isspace(static_cast<unsigned char>(text[length]))) ++length;
    words.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return words;
}

std::vector<double> numbers_of(const fs::path& file, std::string_view key, const HeaderField& field,
                               std::size_t count) {
  std::vector<double> numbers;
  for (const std::string_view word : words_of(field.value)) {
    const auto number = parse_number<double>(word);
    if (!number || numbers.size() == count) break;
    numbers.push_back(*number);
  }
  if (numbers.size() != count || words_of(field.value).size() != count) {
    throw InputError(
        file, field.line,
        fmt::format("{}: expected {} numbers, found {}", key, count, isolume::quoted(field.value)),
        "Export it again.");
  }
  return numbers;
}

std::vector<std::uint64_t> sizes_of(const fs::path& file, std::string_view key, const HeaderField& field,
                                    std::size_t count) {
  std::vector<std::uint64_t> sizes;
  for (const std::string_view word : words_of(field.value)) {
    const auto size = parse_number<std::uint64_t>(word);
    if (!size || *size < 1 || sizes.size() == count) break;
    sizes.push_back(*size);
  }
  if (sizes.size() != count || words_of(field.value).size() != count) {
    throw InputError(file, field.line,
                     fmt::format("{}: expected {} sizes, found {}", key, count, isolume::quoted(field.value)),
                     "Export it again.");
  }
  return sizes;
}

std::int64_t whole_number_of(const fs::path& file, std::string_view key, const HeaderField& field) {
  const auto number = parse_number<std::int64_t>(trimmed(field.value));
  if (!number || std::abs(*number) > std::int64_t{1} << 48) {
    throw InputError(file, field.line,
                     fmt::format("{}: expected a whole number, found {}", key, isolume::quoted(field.value)),
                     "Export it again.");
  }
  return *number;
}

std::string nrrd_placement(const Geometry& geometry, std::string_view before) {
  // A negative zero is written as 0.
  const Eigen::Matrix3d steps = geometry.step.array() + 0.0;
  const Eigen::Vector3d origin = geometry.origin.array() + 0.0;
  std::string lines = geometry.has_sides() ? "space: left-posterior-superior\n" : "space dimension: 3\n";
  if (geometry.unit != grid::LengthUnit::millimetre) {
    const std::string_view unit = to_text(geometry.unit);
    lines += fmt::format("space units: \"{0}\" \"{0}\" \"{0}\"\n", unit);
  }
  lines += fmt::format("space directions: {}", before);
  for (int axis = 0; axis < 3; ++axis) {
    lines +=
        fmt::format("{}({},{},{})", axis == 0 ? "" : " ", steps(0, axis), steps(1, axis), steps(2, axis));
  }
  return lines + fmt::format("\nspace origin: ({},{},{})\n", origin.x(), origin.y(), origin.z());
}

std::vector<fs::path> files_by_pattern(const fs::path& file, const HeaderField& field,
                                       const std::vector<std::uint64_t>& sizes) {
  const std::vector<std::string_view> words = words_of(field.value);
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 1; at < words.size(); ++at) {
    const auto number = parse_number<std::int64_t>(words[at]);
    if (number && std::abs(*number) < 1'000'000'000) numbers.push_back(*number);
  }
  const auto pattern = words.empty() ? std::nullopt : pattern_of(words[0]);
  const bool is_complete = numbers.size() + 1 == words.size() && (numbers.size() == 3 || numbers.size() == 4);
  if (!pattern || !is_complete || numbers[2] == 0 || (numbers[1] - numbers[0]) / numbers[2] < 0) {
    throw InputError(file, field.line,
                     fmt::format("expected a name with one number and its first, last and step, such as "
                                 "slice%03d.raw 1 20 1, found {}",
                                 isolume::quoted(field.value)),
                     "Export it again.");
  }
  const std::uint64_t found = static_cast<std::uint64_t>((numbers[1] - numbers[0]) / numbers[2]) + 1;
  const std::uint64_t wanted =
      count_of_files(file, field.line, numbers.size() == 4 ? std::optional(numbers[3]) : std::nullopt, sizes);
  if (found != wanted) {
    throw InputError(file, field.line,
                     fmt::format("{} data files are named, but {} are needed", found, wanted),
                     "Export it again.");
  }
  std::vector<fs::path> files;
  for (std::uint64_t at = 0; at < found; ++at) {
    files.push_back(file.parent_path() /
                    pattern->name_of(numbers[0] + static_cast<std::int64_t>(at) * numbers[2]));
    // The first missing file ends the search, which limits millions of names.
    std::error_code failed;
    if (!fs::exists(files.back(), failed)) {
      throw InputError(files.back(), 0, "the voxels cannot be read (no such file)",
                       "Copy the data files next to their header.");
    }
  }
  return files;
}

std::vector<fs::path> listed_files(HeaderLines& lines, const fs::path& file,
                                   std::optional<std::int64_t> axes_per_file,
                                   const std::vector<std::uint64_t>& sizes) {
  const std::size_t line = lines.number();
  const std::uint64_t wanted = count_of_files(file, line, axes_per_file, sizes);
  std::vector<fs::path> files;
  while (lines.next()) {
    if (const std::string_view name = trimmed(lines.line); !name.empty()) {
      files.push_back(file.parent_path() / name);
    }
  }
  if (files.size() != wanted) {
    throw InputError(file, line,
                     fmt::format("{} data files are listed, but {} are needed", files.size(), wanted),
                     "Export it again.");
  }
  return files;
}

}  // namespace isolume::images

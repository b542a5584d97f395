#include "core/molecules/xyz_frames.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/molecules/atom_rows.h"
#include "core/molecules/element.h"

namespace isolume::molecules {

bool XyzFrames::next() {
  do {
    if (!file_.next()) return false;
  } while (file_.words().empty());
  constexpr std::size_t shortest_line = 7;
  constexpr std::size_t words_of_an_atom = 4;
  if (file_.words().size() >= words_of_an_atom)
    file_.fail(fmt::format("expected the number of {} of the next frame, found another {}: the frame has "
                           "more than announced",
                           subject_.many, subject_.one),
               "Correct that number, or copy the file again.");
  count_ = file_.count(file_.words().front(), fmt::format("number of {}", subject_.many), shortest_line);
  if (count_ == 0) file_.fail(fmt::format("the number of {} is zero", subject_.many));
  file_.require("the line of comment");
  comment_ = trimmed(file_.line());
  atom_ = 0;
  read_columns();
  return true;
}

std::string_view XyzFrames::value_of(std::string_view key) const {
  const std::string lower = lower_case(comment_);
  const std::string start = std::string(key) + "=";
  std::size_t at = lower.find(start);
  // Not within another key, as Time= is in start_time=.
  while (at != lower.npos && at > 0 && lower[at - 1] != ' ' && lower[at - 1] != '\t')
    at = lower.find(start, at + 1);
  if (at == lower.npos) return {};
  auto value = std::string_view(comment_).substr(at + key.size() + 1);
  const bool quoted = value.starts_with('"');
  if (quoted) value.remove_prefix(1);
  return value.substr(0, value.find_first_of(quoted ? "\"" : " \t"));
}

void XyzFrames::read_columns() {
  std::string list = lower_case(value_of("properties"));
  has_properties_ = !list.empty();
  if (!has_properties_) list = "species:s:1:pos:r:3";
  std::ranges::replace(list, ':', ' ');
  std::vector<std::string_view> words;
  split_words(list, words);
  columns_.clear();
  std::size_t first = 0;
  for (std::size_t i = 0; i + 2 < words.size(); i += 3) {
    const auto width =
        static_cast<std::size_t>(file_.integer(words[i + 2], "the number of columns in Properties", 1, 100));
    columns_.push_back({std::string(words[i]), first, width, words[i + 1].front()});
    first += width;
  }
  const auto* species = find({"species", "element", "z"});
  const auto* position = find({"pos", "positions"});
  if ((species == nullptr && subject_.needs_elements) || position == nullptr || position->width != 3)
    file_.fail("Properties= lacks species or pos", "Give species:S:1:pos:R:3 in Properties.");
  if (species != nullptr) species_ = species->first;
  position_ = position->first;
}

std::size_t XyzFrames::width() const {
  return columns_.back().first + columns_.back().width;
}

const XyzColumn* XyzFrames::find(std::initializer_list<std::string_view> names) const {
  const auto found = std::ranges::find_if(
      columns_, [&](const auto& column) { return std::ranges::find(names, column.name) != names.end(); });
  return found == columns_.end() ? nullptr : &*found;
}

std::optional<Eigen::Matrix3d> XyzFrames::cell() const {
  const auto value = value_of("lattice");
  if (value.empty()) return std::nullopt;
  std::vector<std::string_view> words;
  split_words(value, words);
  if (words.size() != 9) file_.fail(fmt::format("expected nine numbers in Lattice=, found {}", words.size()));
  Eigen::Matrix3d cell;
  for (int i = 0; i < 9; ++i)
    cell(i % 3, i / 3) = coordinate(words[static_cast<std::size_t>(i)], "Lattice", file_);
  return std::abs(cell.determinant()) > 1e-6 ? std::optional(cell) : std::nullopt;
}

const std::vector<std::string_view>& XyzFrames::next_atom() {
  ++atom_;
  file_.require(fmt::format("{} {} of {}", subject_.one, atom_, count_));
  const auto& words = file_.words();
  if (words.size() < std::max(species_ + 1, position_ + 3))
    file_.fail(fmt::format("expected {}3 coordinates, found {}",
                           subject_.needs_elements ? "an element and " : "", quoted(trimmed(file_.line()))));
  return words;
}

int XyzFrames::element() const {
  const auto word = file_.words()[species_];
  const auto number = parse_integer(word).value_or(atomic_number(word));
  if (number < 0 || number > 118) file_.fail(fmt::format("expected an element, found {}", quoted(word)));
  return static_cast<int>(number);
}

Eigen::Vector3d XyzFrames::place() const {
  constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
  Eigen::Vector3d place;
  for (std::size_t axis = 0; axis < 3; ++axis)
    place[static_cast<Eigen::Index>(axis)] = coordinate(file_.words()[position_ + axis], axes[axis], file_);
  return place;
}

}  // namespace isolume::molecules

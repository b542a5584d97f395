// XYZ with charges: https://github.com/libAtoms/extxyz
#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/text_file.h"
#include "core/molecules/atom_rows.h"
#include "core/molecules/element.h"
#include "core/structures/charge_readers.h"

namespace isolume::structures {
namespace {

using molecules::LineReader;

constexpr std::string_view xyz_wanted =
    "Give extended XYZ with a column of charges (Properties=species:S:1:pos:R:3:charge:R:1), or the charge "
    "as the fifth "
    "word of each line.";
constexpr std::array<std::string_view, 5> charge_names{"charge", "charges", "initial_charges",
                                                       "partial_charges", "q"};

struct XyzColumns {
  std::size_t species = 0, place = 1, charge = 4, count = 5;
};

/// The value behind KEY= in a comment, with or without quotes; empty where there is none.
std::string_view value_of(std::string_view comment, std::string_view lower, std::string_view key) {
  const std::size_t at = lower.find(key);
  if (at == std::string_view::npos || (at > 0 && lower[at - 1] != ' ' && lower[at - 1] != '\t')) return {};
  auto value = comment.substr(at + key.size());
  const bool quoted = value.starts_with('"');
  if (quoted) value.remove_prefix(1);
  return value.substr(0, value.find_first_of(quoted ? "\"" : " \t"));
}

/// Of Properties=name:type:count:...; without it an element, a place and a charge.
XyzColumns xyz_columns(const LineReader& file) {
  const std::string lower = molecules::lower_case(file.line());
  std::string list(value_of(lower, lower, "properties="));
  if (list.empty()) return {};
  std::ranges::replace(list, ':', ' ');
  std::vector<std::string_view> words;
  molecules::split_words(list, words);
  constexpr std::size_t none = 1000;
  XyzColumns columns{none, none, none, 0};
  for (std::size_t i = 0; i + 2 < words.size(); i += 3) {
    if (words[i] == "species" || words[i] == "element" || words[i] == "z") columns.species = columns.count;
    if (words[i] == "pos") columns.place = columns.count;
    if (std::ranges::find(charge_names, words[i]) != charge_names.end() && columns.charge == none)
      columns.charge = columns.count;
    columns.count +=
        static_cast<std::size_t>(file.integer(words[i + 2], "the number of columns in Properties", 1, 100));
  }
  if (columns.species == none || columns.place == none)
    file.fail("Properties= lacks species or pos", xyz_wanted);
  if (columns.charge == none) file.fail("Properties= has no column of charges", xyz_wanted);
  return columns;
}

/// Of Lattice="ax ay az bx by bz cx cy cz".
std::optional<Eigen::Matrix3d> xyz_cell(const LineReader& file) {
  const auto value = value_of(file.line(), molecules::lower_case(file.line()), "lattice=");
  if (value.empty()) return std::nullopt;
  std::vector<std::string_view> words;
  molecules::split_words(value, words);
  if (words.size() != 9) file.fail(fmt::format("expected nine numbers in Lattice=, found {}", words.size()));
  Eigen::Matrix3d cell;
  for (int i = 0; i < 9; ++i)
    cell(i % 3, i / 3) = molecules::coordinate(words[static_cast<std::size_t>(i)], "Lattice", file);
  return std::abs(cell.determinant()) > 1e-6 ? std::optional(cell) : std::nullopt;
}

int xyz_element(std::string_view word, const LineReader& file) {
  const auto number = molecules::parse_integer(word).value_or(molecules::atomic_number(word));
  if (number < 0 || number > 118)
    file.fail(fmt::format("expected an element, found {}", quoted(word)), xyz_wanted);
  return static_cast<int>(number);
}

void take_xyz_atom(LineReader& file, const XyzColumns& columns, int number, Charges& charges) {
  const auto& words = file.words();
  if (words.size() == 4 && columns.count == 5) file.fail("there is no charge behind the place", xyz_wanted);
  if (words.size() != columns.count)
    file.fail(fmt::format("expected {} words for an atom, found {}", columns.count, words.size()),
              xyz_wanted);
  Eigen::Vector3d place;
  constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
  for (std::size_t axis = 0; axis < 3; ++axis)
    place[static_cast<Eigen::Index>(axis)] =
        molecules::coordinate(words[columns.place + axis], axes[axis], file);
  const double charge = file.real(words[columns.charge], "the charge");
  if (std::abs(charge) > most_magnitude)
    file.fail(fmt::format("{} e is too large for a charge", charge), xyz_wanted);
  const int element = xyz_element(words[columns.species], file);
  add_atom(charges, place, charge,
           element > 0 ? molecules::element(element).van_der_waals_radius_angstrom : 0,
           {.atom = std::string(molecules::element(element).symbol),
            .residue = "MOL",
            .chain = {},
            .number = number,
            .is_hetero = true,
            .atomic_number = element});
}

}  // namespace

std::optional<Charges> next_xyz_frame(LineReader& file) {
  do {
    if (!file.next()) return std::nullopt;
  } while (file.words().empty());
  const std::size_t count = file.count(file.words().front(), "number of atoms", 9);
  if (count == 0) file.fail("the number of atoms is zero", xyz_wanted);
  file.require("the line of comment");
  const auto columns = xyz_columns(file);
  Charges charges;
  charges.cell = xyz_cell(file);
  for (std::size_t i = 0; i < count; ++i) {
    file.require(fmt::format("atom {} of {}", i + 1, count));
    take_xyz_atom(file, columns, 1, charges);
  }
  return charges;
}

Charges read_xyz_charges(const std::filesystem::path& path, const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  auto charges = next_xyz_frame(file);
  if (!charges) file.fail_at(1, "expected the number of atoms, found none", xyz_wanted);
  // What follows is another frame, or belongs to this one, and its count is wrong.
  while (file.next() && file.words().empty()) {
  }
  if (!file.words().empty()) file.count(file.words().front(), "number of atoms of the next frame", 9);
  remark_on_uncharged_residues(*charges);
  return std::move(*charges);
}

bool xyz_has_charges(const std::filesystem::path& path) {
  std::istringstream file(start_of_file(path, std::size_t{1} << 16));
  std::string count, comment, atom;
  if (!std::getline(file, count) || !std::getline(file, comment) || !std::getline(file, atom)) return false;
  const std::string text = "1\n" + comment + "\n" + atom + "\n";
  try {
    LineReader reader(path, text, {});
    return next_xyz_frame(reader).has_value();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace isolume::structures

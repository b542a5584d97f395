// XYZ files, one or many geometries, plain or extended (Properties=species:S:1:pos:R:3:...).
#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/molecules/element.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

struct Columns {
  std::size_t species = 0;
  std::size_t position = 1;
};

/// Where extended XYZ says the species and the positions stand.
Columns columns_of(std::string_view comment) {
  Columns columns;
  const std::string lower = lower_case(comment);
  const std::size_t start = lower.find("properties=");
  if (start == std::string::npos) return columns;
  std::string list = lower.substr(start + 11);
  list = list.substr(0, list.find_first_of(" \t\""));
  std::replace(list.begin(), list.end(), ':', ' ');
  std::vector<std::string_view> words;
  split_words(list, words);
  std::size_t column = 0;
  for (std::size_t i = 0; i + 2 < words.size(); i += 3) {
    if (words[i] == "species" || words[i] == "z" || words[i] == "element") columns.species = column;
    if (words[i] == "pos") columns.position = column;
    column += static_cast<std::size_t>(std::clamp(parse_integer(words[i + 2]).value_or(1), 1L, 1000L));
  }
  return columns;
}

int element_of(std::string_view word, const LineReader& reader) {
  if (const auto number = parse_integer(word)) {
    if (*number < 0 || *number > 118)
      reader.fail(fmt::format("the atomic number {} does not lie between 0 and 118", *number));
    return static_cast<int>(*number);
  }
  const int number = atomic_number(word);
  if (number < 0) reader.fail(fmt::format("expected an element, found {}", quoted(word)));
  return number;
}

Molecule read_frame(LineReader& reader, std::size_t count) {
  Molecule molecule;
  reader.require("the line of comment");
  molecule.title = trimmed(reader.line());
  const Columns columns = columns_of(reader.line());
  const std::size_t needed = std::max(columns.species + 1, columns.position + 3);
  molecule.atoms.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    reader.require(fmt::format("atom {} of {}", i + 1, count));
    const auto& words = reader.words();
    if (words.size() < needed) {
      reader.fail(
          fmt::format("expected an element and 3 coordinates, found {}", quoted(trimmed(reader.line()))));
    }
    Atom atom;
    atom.atomic_number = element_of(words[columns.species], reader);
    atom.nuclear_charge = atom.atomic_number;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      atom.position_bohr[static_cast<Eigen::Index>(axis)] =
          reader.real(words[columns.position + axis], "coordinate") * units::bohr_per_angstrom;
    }
    molecule.atoms.push_back(atom);
  }
  return molecule;
}

/// The number of atoms that opens the next frame; nothing at the end of the file.
std::optional<std::size_t> next_count(LineReader& reader) {
  while (reader.next()) {
    if (reader.words().empty()) continue;
    const std::size_t count = reader.count(reader.words()[0], "number of atoms", 7);
    if (count == 0) reader.fail("the number of atoms is zero");
    return count;
  }
  return std::nullopt;
}

}  // namespace

bool looks_like_xyz(std::string_view text) {
  static const std::filesystem::path nowhere;
  const jobs::Progress progress;
  LineReader reader(nowhere, text.substr(0, 1000), progress);
  if (!reader.next()) return false;
  return reader.words().size() == 1 && parse_integer(reader.words()[0]).has_value();
}

FileContents read_xyz(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  FileContents contents;
  bool first = true;
  while (const auto count = next_count(reader)) {
    Molecule molecule = read_frame(reader, *count);
    if (first) {
      contents.document.molecule = std::move(molecule);
    } else {
      contents.document.frames.push_back(std::move(molecule));
    }
    first = false;
  }
  if (first) reader.fail_at(1, "expected the number of atoms, found none");
  return contents;
}

}  // namespace isolume::molecules

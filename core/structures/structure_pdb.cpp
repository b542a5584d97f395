// The PDB format: https://www.wwpdb.org/documentation/file-format
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/molecules/element.h"
#include "core/structures/structure_rows.h"

namespace isolume::structures {
namespace {

using molecules::LineReader;

constexpr std::string_view copy_again = "Copy the file again, or correct that line.";

/// Columns from 1, both inclusive; shorter where the line is.
std::string_view pdb_columns(std::string_view line, std::size_t first, std::size_t last) {
  return first > line.size() ? std::string_view() : line.substr(first - 1, last - first + 1);
}

/// Hybrid-36: behind 9999 come A000 to ZZZZ, then a000 to zzzz. Grosse-Kunstleve et al., IUCr Computing Commission
/// Newsletter 8 (2007).
std::optional<long> hybrid36(std::string_view word) {
  if (word.size() != 4 || std::isalpha(static_cast<unsigned char>(word.front())) == 0)
    return molecules::parse_integer(word);
  const bool lower = std::islower(static_cast<unsigned char>(word.front())) != 0;
  long value = 0;
  for (const char c : word) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = lower ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z';
    if (!digit && !letter) return std::nullopt;
    value = 36 * value + (digit ? c - '0' : c - (lower ? 'a' : 'A') + 10);
  }
  constexpr long first = 10 * 36 * 36 * 36, letters = 26 * 36 * 36 * 36;
  return value - first + 10000 + (lower ? letters : 0);
}

/// Columns 77 and 78; older files leave it to the atom's name, whose first two columns are the symbol: "CA  " is calcium,
/// " CA " a carbon. Names of four letters that begin with H are hydrogens.
int pdb_element(std::string_view line) {
  const auto told = trimmed(pdb_columns(line, 77, 78));
  if (told == "D") return 1;
  if (const int number = molecules::atomic_number(told); number > 0) return number;
  const auto name = pdb_columns(line, 13, 16);
  if (trimmed(name).size() == 4 && name.front() == 'H') return 1;
  if (const int number = molecules::atomic_number(trimmed(name.substr(0, 2)));
      number > 0 && std::isalpha(static_cast<unsigned char>(name.front())) != 0)
    return number;
  const auto letter = name.find_first_not_of(" 0123456789");
  if (letter == std::string_view::npos) return 0;
  if (name[letter] == 'D') return 1;
  return std::max(0, molecules::atomic_number(name.substr(letter, 1)));
}

StructureRow pdb_row(const LineReader& file) {
  const auto line = file.line();
  if (line.size() < 54)
    file.fail(
        fmt::format("the line of an atom ends in column {}, but coordinates reach to column 54", line.size()),
        copy_again);
  StructureRow row;
  row.label = {.atom = std::string(trimmed(pdb_columns(line, 13, 16))),
               .residue = std::string(trimmed(pdb_columns(line, 18, 20))),
               .chain = std::string(trimmed(pdb_columns(line, 22, 22)))};
  row.label.is_hetero = line.starts_with("HETATM");
  const auto number = hybrid36(trimmed(pdb_columns(line, 23, 26)));
  if (!number)
    file.fail(fmt::format("{} is not the number of a residue (columns 23 to 26)",
                          quoted(pdb_columns(line, 23, 26))),
              copy_again);
  row.label.number = static_cast<int>(*number);
  row.label.insertion = line[26];
  if (row.label.atom.empty() || row.label.residue.empty())
    file.fail("the atom or its residue has no name (columns 13 to 20)", copy_again);
  row.atom.name = row.label.atom;
  row.atom.atomic_number = pdb_element(line);
  constexpr std::string_view axes = "xyz";
  for (std::size_t axis = 0; axis < 3; ++axis) {
    row.atom.place[static_cast<Eigen::Index>(axis)] =
        coordinate(trimmed(pdb_columns(line, 31 + 8 * axis, 38 + 8 * axis)), axes.substr(axis, 1), file);
  }
  row.alternative = line[16];
  const auto occupancy = trimmed(pdb_columns(line, 55, 60));
  if (!occupancy.empty()) row.occupancy = file.real(occupancy, "the occupancy");
  return row;
}

/// Where a helix or strand begins or ends: the number of a residue, with its insertion code in the column behind it.
/// Nothing where that is no number.
std::optional<SecondaryRange::End> pdb_end(std::string_view line, std::size_t column) {
  const auto number = hybrid36(trimmed(pdb_columns(line, column, column + 3)));
  if (!number) return std::nullopt;
  const auto insertion = pdb_columns(line, column + 4, column + 4);
  return SecondaryRange::End{static_cast<int>(*number), insertion.empty() ? ' ' : insertion.front()};
}

/// Of a HELIX or SHEET record; nothing where it does not say from where to where.
std::optional<SecondaryRange> pdb_secondary(std::string_view line) {
  const bool helix = line.starts_with("HELIX ");
  const auto first = pdb_end(line, helix ? 22 : 23), last = pdb_end(line, 34);
  if (!first || !last) return std::nullopt;
  const std::size_t chain = helix ? 20 : 22;
  SecondaryRange range{helix ? Secondary::alpha_helix : Secondary::strand,
                       std::string(trimmed(pdb_columns(line, chain, chain))), *first, *last};
  const auto form = trimmed(pdb_columns(line, 39, 40));
  if (helix && form == "3") range.kind = Secondary::pi_helix;
  if (helix && form == "5") range.kind = Secondary::three_ten_helix;
  return range;
}

}  // namespace

std::optional<Eigen::Matrix3d> crystal_cell(const Eigen::Vector3d& lengths, const Eigen::Vector3d& angles) {
  constexpr double least_edge = 1.5;  // entries without a crystal have a cube of 1 angstrom
  return lengths.minCoeff() < least_edge ? std::nullopt : cell_of(lengths, angles);
}

std::optional<Eigen::Matrix3d> pdb_cell(const LineReader& file) {
  constexpr std::array<std::pair<std::size_t, std::size_t>, 6> columns{
      {{7, 15}, {16, 24}, {25, 33}, {34, 40}, {41, 47}, {48, 54}}};
  std::array<double, 6> numbers{};
  for (std::size_t i = 0; i < 6; ++i) {
    const auto value =
        molecules::parse_real(trimmed(pdb_columns(file.line(), columns[i].first, columns[i].second)));
    if (!value) file.fail("expected three lengths and three angles of a cell in columns 7 to 54", copy_again);
    numbers[i] = *value;
  }
  return crystal_cell({numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]});
}

StructureRows read_pdb_rows(LineReader& file) {
  StructureRows found;
  auto& rows = found.atoms;
  int model = 1, part = 0;
  bool all_ranges_read = true;
  while (file.next()) {
    const auto line = file.line();
    if (line.starts_with("MODEL ")) {
      model = static_cast<int>(
          file.integer(trimmed(pdb_columns(line, 7, 80)), "the number of the model", 0, 99999999));
      part = 0;
    } else if (line.starts_with("TER")) {
      ++part;
    } else if (line.starts_with("CRYST1")) {
      found.cell = pdb_cell(file);
    } else if (line.starts_with("HELIX ") || line.starts_with("SHEET ")) {
      const auto range = pdb_secondary(line);
      if (range) found.secondary.push_back(*range);
      all_ranges_read &= range.has_value();
    } else if (line.starts_with("ATOM  ") || line.starts_with("HETATM")) {
      rows.push_back(pdb_row(file));
      rows.back().model = model;
      rows.back().part = std::to_string(part);
    }
  }
  // Half of them would make loops of the others, and all can be found from the atoms.
  if (!all_ranges_read) found.secondary.clear();
  return found;
}

}  // namespace isolume::structures

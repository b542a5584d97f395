#include "core/structures/residue_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/text_file.h"
#include "core/molecules/cif_category.h"
#include "core/molecules/line_reader.h"
#include "core/structures/charges.h"
#include "core/structures/mol2.h"

namespace isolume::structures {
namespace {

using molecules::LineReader;
using molecules::text_of;
using Cells = std::vector<std::string>;

constexpr std::string_view table_layout =
    "Give a heading residue,atom,charge,radius and a line of these for each atom, in e and angstrom.";
constexpr std::string_view mol2_layout = "Give a mol2 file with a charge for each atom.";

constexpr std::string_view component_layout =
    "Give a component with _chem_comp_atom.comp_id, atom_id and partial_charge.";

/// Takes a quoted cell (RFC 4180) from the beginning of `rest`.
std::string take_quoted(std::string_view& rest, const LineReader& file) {
  std::string cell;
  for (rest.remove_prefix(1);; rest.remove_prefix(1)) {
    if (rest.empty()) file.fail("a quoted cell does not end in its line", table_layout);
    if (rest.front() == '"') {
      rest.remove_prefix(1);
      if (!rest.starts_with('"')) return cell;
    }
    cell += rest.front();
  }
}

Cells cells_of(std::string_view rest, char separator, const LineReader& file) {
  Cells cells;
  while (true) {
    const bool is_quoted = trimmed(rest.substr(0, rest.find(separator))).starts_with('"');
    if (is_quoted) {
      rest.remove_prefix(rest.find('"'));
      cells.push_back(take_quoted(rest, file));
    }
    const std::size_t end = rest.find(separator);
    const auto text = trimmed(rest.substr(0, end));
    if (!is_quoted) {
      cells.emplace_back(text);
    } else if (!text.empty()) {
      file.fail(fmt::format("{} follows a quoted cell", quoted(text)), table_layout);
    }
    if (end == std::string_view::npos) return cells;
    rest.remove_prefix(end + 1);
  }
}

/// Reads the heading of a table, and the lines after it, whose cells are separated as those of the heading.
template <class TakeHeading, class Take>
void for_each_row(LineReader& file, const TakeHeading& take_heading, const Take& take) {
  std::size_t columns = 0;
  char separator = ',';
  while (file.next()) {
    const auto line = trimmed(file.line());
    if (line.empty() || line.starts_with('#')) continue;
    if (columns > 0) {
      const Cells cells = cells_of(line, separator, file);
      if (cells.size() > columns)
        file.fail(fmt::format("expected {} cells, as in the heading, found {}", columns, cells.size()),
                  table_layout);
      take(cells);
      continue;
    }
    if (line.find(';') != std::string_view::npos) separator = ';';
    const Cells heading = cells_of(line, separator, file);
    columns = heading.size();
    take_heading(heading);
  }
}

/// The columns of a table of parameters.
struct Columns {
  static constexpr std::array<std::string_view, 4> names{"residue", "atom", "charge", "radius"};
  std::array<std::optional<std::size_t>, names.size()> at;
  bool radius_in_nm = false;

  std::string_view cell(std::size_t column, const Cells& cells) const {
    return at[column] && *at[column] < cells.size() ? std::string_view(cells[*at[column]]) : "";
  }
  /// Number of cells that a line has at least: all but the radius.
  std::size_t least() const { return std::max({*at[0], *at[1], *at[2]}) + 1; }
};

/// "radius (nm)", "Radius_nm" and "radius [nm]" are the radius in nm; the second part is empty where there is none.
std::pair<std::string, std::string> name_and_unit(std::string_view cell) {
  const std::string text = lower_case(cell);
  const std::size_t end = std::min(text.find_first_of(" _([/"), text.size());
  std::string unit = text.substr(end);
  std::erase_if(unit,
                [](char each) { return std::string_view(" _()[]/").find(each) != std::string_view::npos; });
  return {text.substr(0, end), unit};
}

Columns columns_of(const Cells& heading, const std::string& file_name, Remarks& remarks,
                   const LineReader& file) {
  Columns columns;
  std::vector<std::string> unused;
  for (std::size_t i = 0; i < heading.size(); ++i) {
    const auto [name, unit] = name_and_unit(heading[i]);
    const auto found = std::ranges::find(Columns::names, name);
    const bool is_label = found < Columns::names.begin() + 2;
    if (found == Columns::names.end() || (is_label && !unit.empty() && unit != "name")) {
      unused.push_back(heading[i].empty() ? fmt::format("number {}", i + 1) : heading[i]);
      continue;
    }
    auto& at = columns.at[static_cast<std::size_t>(found - Columns::names.begin())];
    if (at) file.fail(fmt::format("two columns are called {}", name), table_layout);
    at = i;
    if (is_label || unit.empty()) continue;
    columns.radius_in_nm = columns.radius_in_nm || (name == "radius" && unit == "nm");
    const bool is_known = name == "charge" ? unit == "e"
                                           : unit == "angstrom" || unit == "a" || unit == "å" ||
                                                 unit == "Å" || unit == "ångström" || unit == "nm";
    if (!is_known)
      file.fail(fmt::format("the unit of the column {} is not known", isolume::quoted(heading[i])),
                "Give charges in e, and radii in angstrom or nm.");
  }
  if (std::ranges::none_of(columns.at, [](const auto& each) { return each.has_value(); }))
    file.fail("there is no heading", table_layout);
  for (std::size_t i = 0; i < 3; ++i)
    if (!columns.at[i])
      file.fail(fmt::format("the heading has no column {}", Columns::names[i]), table_layout);
  if (!unused.empty())
    remarks.dropped(fmt::format("{}: columns that are not used: {}.", file_name, first_names(unused)),
                    unused.size());
  if (columns.radius_in_nm)
    remarks.converted(fmt::format("{}: radii were converted from nm to angstrom.", file_name));
  return columns;
}

double limited(std::string_view word, std::string_view what, std::string_view wanted,
               const LineReader& file) {
  const auto value = molecules::parse_real(word);
  if (!value || !(std::abs(*value) <= most_magnitude))
    file.fail(fmt::format("{} is no {}", quoted(word), what), wanted);
  return *value;
}

void add_parameters(ParameterTable& table, std::string_view residue, std::string_view atom,
                    AtomParameters parameters, std::string_view wanted, const LineReader& file) {
  if (residue.empty() || atom.empty()) file.fail("a residue or an atom has no name", wanted);
  if (!table[std::string(residue)].emplace(atom, parameters).second)
    file.fail(fmt::format("atom {} of residue {} is there twice", quoted(atom), quoted(residue)), wanted);
}

ParameterTable read_table(LineReader& file, const std::filesystem::path& path, Remarks& remarks) {
  constexpr double angstrom_per_nm = 10;
  ParameterTable table;
  Columns columns;
  const auto take_heading = [&](const Cells& heading) {
    columns = columns_of(heading, path.filename().string(), remarks, file);
  };
  for_each_row(file, take_heading, [&](const Cells& cells) {
    if (cells.size() < columns.least())
      file.fail(fmt::format("expected {} cells, found {}", columns.least(), cells.size()), table_layout);
    AtomParameters parameters{limited(columns.cell(2, cells), "charge", table_layout, file), -1};
    if (const auto radius = columns.cell(3, cells); !radius.empty()) {
      parameters.radius = limited(radius, "radius", table_layout, file);
      if (parameters.radius < 0) file.fail(fmt::format("the radius is {}", parameters.radius), table_layout);
      if (columns.radius_in_nm) parameters.radius *= angstrom_per_nm;
    }
    add_parameters(table, columns.cell(0, cells), columns.cell(1, cells), parameters, table_layout, file);
  });
  if (table.empty()) file.fail("there is no atom in it", table_layout);
  return table;
}

ParameterTable read_mol2_table(LineReader& file) {
  ParameterTable table;
  for_each_mol2_atom(file, [&](const Mol2Atom& atom) {
    add_parameters(table, atom.residue, atom.name, {atom.charge, -1}, mol2_layout, file);
  });
  if (table.empty()) file.fail("there is no atom in it", mol2_layout);
  return table;
}

/// Chemical components with partial charges, as written by AceDRG and CCP4's monomer library. Formal charges, as in
/// wwPDB's components, belong to whole groups of atoms and are not used.
ParameterTable read_component_table(LineReader& file) {
  molecules::CifTokens tokens(file);
  molecules::CifCategory atoms("_chem_comp_atom_");
  while (const auto token = tokens.next()) {
    if (token->is_tag()) {
      atoms.take(*token, tokens);
    } else if (!token->quoted && lower_case(token->text) == "loop_") {
      std::vector<std::string> tags;
      auto tag = tokens.next();
      for (; tag && tag->is_tag(); tag = tokens.next()) tags.push_back(molecules::cif_name(tag->text));
      if (tag) tokens.push_back(*tag);
      atoms.take_loop(tags, tokens);
    }
  }
  ParameterTable table;
  std::map<std::string, double> formal;
  for (const auto& row : atoms.rows()) {
    const auto residue = text_of(row, "comp_id"), atom = text_of(row, "atom_id"),
               charge = text_of(row, "partial_charge");
    if (const auto value = molecules::parse_real(text_of(row, "charge")))
      formal[std::string(residue)] += *value;
    if (charge.empty()) continue;
    add_parameters(table, residue, atom, {limited(charge, "charge", component_layout, file), -1},
                   component_layout, file);
  }
  if (!table.empty()) return table;
  std::vector<std::string> totals;
  for (const auto& [residue, charge] : formal) totals.push_back(fmt::format("{}={:g}", residue, charge));
  file.fail_at(0, "its components (_chem_comp_atom) have no partial charges",
               totals.empty() ? std::string(component_layout)
                              : fmt::format("Equalise charges with the totals of its formal charges: {}.",
                                            fmt::join(totals, " ")));
}

HydrogenShape shape_of(std::string_view word, const LineReader& file) {
  constexpr std::array<std::string_view, 4> names{"tetrahedral", "planar", "hydroxyl", "phenol"};
  const auto found = std::ranges::find(names, word);
  if (found == names.end()) file.fail(fmt::format("{} is not a shape", quoted(word)));
  return static_cast<HydrogenShape>(found - names.begin());
}

std::vector<std::string> names_in(std::string_view cell) {
  std::vector<std::string_view> words;
  molecules::split_words(cell, words);
  return {words.begin(), words.end()};
}

}  // namespace

ParameterTable read_parameters(const std::filesystem::path& path, Remarks& remarks,
                               const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  return read_table(file, path, remarks);
}

ParameterTable read_parameters(const std::filesystem::path& path) {
  Remarks none;
  return read_parameters(path, none);
}

HydrogenTable read_hydrogen_rules(const std::filesystem::path& path) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, {});
  HydrogenTable table;
  const auto take_heading = [&file](const Cells& heading) {
    if (heading.front() != "residue") file.fail("there is no heading");
  };
  for_each_row(file, take_heading, [&](const Cells& cells) {
    if (cells.size() != 6) file.fail(fmt::format("expected 6 cells, found {}", cells.size()));
    table[cells[0]].push_back(
        {cells[1], shape_of(cells[2], file), names_in(cells[3]), cells[4], names_in(cells[5])});
  });
  return table;
}

ParameterTable read_given_charges(const std::filesystem::path& path, Remarks& remarks,
                                  const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  if (text.find("_chem_comp_atom") != std::string::npos) return read_component_table(file);
  return text.find("@<TRIPOS>") == std::string::npos ? read_table(file, path, remarks)
                                                     : read_mol2_table(file);
}

}  // namespace isolume::structures

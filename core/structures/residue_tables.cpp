#include "core/structures/residue_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/molecules/cif_category.h"
#include "core/molecules/line_reader.h"
#include "core/structures/charges.h"
#include "core/structures/mol2.h"

namespace isolume::structures {
namespace {

using molecules::LineReader;
using molecules::text_of;
using Cells = std::vector<std::string_view>;

constexpr std::string_view table_layout =
    "Give a heading residue,atom,charge,radius and a line of these for each atom.";
constexpr std::string_view mol2_layout = "Give a mol2 file with a charge for each atom.";

constexpr std::string_view component_layout =
    "Give a component with _chem_comp_atom.comp_id, atom_id and partial_charge.";

Cells cells_of(std::string_view line, char separator) {
  Cells cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    cells.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

/// Reads the lines of a table after its heading.
template <class Take>
void for_each_row(LineReader& file, Take take) {
  bool heading = true;
  while (file.next()) {
    const auto line = trimmed(file.line());
    if (line.empty() || line.starts_with('#')) continue;
    const auto cells = cells_of(line, line.find(';') == std::string_view::npos ? ',' : ';');
    if (heading && (cells.empty() || molecules::lower_case(cells.front()) != "residue"))
      file.fail("there is no heading", table_layout);
    if (!heading) take(cells);
    heading = false;
  }
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

ParameterTable read_table(LineReader& file) {
  ParameterTable table;
  for_each_row(file, [&](const Cells& cells) {
    if (cells.size() < 3)
      file.fail(fmt::format("expected 3 or 4 cells, found {}", cells.size()), table_layout);
    AtomParameters parameters{limited(cells[2], "charge", table_layout, file), -1};
    if (cells.size() > 3 && !cells[3].empty()) {
      parameters.radius = limited(cells[3], "radius", table_layout, file);
      if (parameters.radius < 0) file.fail(fmt::format("the radius is {}", parameters.radius), table_layout);
    }
    add_parameters(table, cells[0], cells[1], parameters, table_layout, file);
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
    } else if (!token->quoted && molecules::lower_case(token->text) == "loop_") {
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
  Cells words;
  molecules::split_words(cell, words);
  return {words.begin(), words.end()};
}

}  // namespace

ParameterTable read_parameters(const std::filesystem::path& path, const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  return read_table(file);
}

HydrogenTable read_hydrogen_rules(const std::filesystem::path& path) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, {});
  HydrogenTable table;
  for_each_row(file, [&](const Cells& cells) {
    if (cells.size() != 6) file.fail(fmt::format("expected 6 cells, found {}", cells.size()));
    table[std::string(cells[0])].push_back({std::string(cells[1]), shape_of(cells[2], file),
                                            names_in(cells[3]), std::string(cells[4]), names_in(cells[5])});
  });
  return table;
}

ParameterTable read_given_charges(const std::filesystem::path& path, const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  if (text.find("_chem_comp_atom") != std::string::npos) return read_component_table(file);
  return text.find("@<TRIPOS>") == std::string::npos ? read_table(file) : read_mol2_table(file);
}

}  // namespace isolume::structures

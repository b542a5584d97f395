// mmCIF: https://mmcif.wwpdb.org/dictionaries/mmcif_pdbx_v50.dic/Categories/atom_site.html
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/molecules/cif_tokens.h"
#include "core/molecules/element.h"
#include "core/structures/mmcif_secondary.h"
#include "core/structures/structure_rows.h"

namespace isolume::structures {
namespace {

using molecules::CifToken;
using molecules::CifTokens;
using molecules::LineReader;
using Values = std::vector<std::string_view>;

constexpr std::string_view truncated = "The file is cut off or damaged: copy it again.";

/// Where the loop of atoms has what, -1 for what it lacks.
struct AtomColumns {
  int group, symbol, atom, residue, chain, molecule, number, insertion, alternative, occupancy, model;
  std::array<int, 3> place;
};

AtomColumns columns_of(const std::vector<std::string>& tags, const LineReader& file) {
  const auto find = [&](std::initializer_list<std::string_view> names) {
    for (const auto name : names) {
      const auto found = std::ranges::find(tags, fmt::format("_atom_site_{}", name));
      if (found != tags.end()) return static_cast<int>(found - tags.begin());
    }
    return -1;
  };
  // Names that authors gave, as PDB files have them; numbers of the entry's own count where there are none.
  AtomColumns columns{find({"group_pdb"}),
                      find({"type_symbol"}),
                      find({"auth_atom_id", "label_atom_id"}),
                      find({"auth_comp_id", "label_comp_id"}),
                      find({"auth_asym_id", "label_asym_id"}),
                      find({"label_asym_id"}),
                      find({"auth_seq_id", "label_seq_id"}),
                      find({"pdbx_pdb_ins_code"}),
                      find({"label_alt_id"}),
                      find({"occupancy"}),
                      find({"pdbx_pdb_model_num"}),
                      {find({"cartn_x"}), find({"cartn_y"}), find({"cartn_z"})}};
  const auto& [x, y, z] = columns.place;
  if (x < 0 || y < 0 || z < 0 || columns.atom < 0 || columns.residue < 0 || columns.number < 0)
    file.fail("the atoms lack Cartn_x, Cartn_y, Cartn_z, or the names of atoms and residues",
              "Give a structure of residues in mmCIF; crystals of small molecules have none.");
  return columns;
}

StructureRow mmcif_row(const Values& values, const AtomColumns& columns, const LineReader& file) {
  const auto value = [&](int column) {
    const auto text = column < 0 ? std::string_view() : values[static_cast<std::size_t>(column)];
    return molecules::cif_missing(text) ? std::string_view() : text;
  };
  StructureRow row;
  row.label = {.atom = std::string(value(columns.atom)),
               .residue = std::string(value(columns.residue)),
               .chain = std::string(value(columns.chain))};
  row.label.is_hetero = value(columns.group) == "HETATM";
  if (row.label.atom.empty() || row.label.residue.empty())
    file.fail("an atom or its residue has no name", truncated);
  if (const auto number = value(columns.number); !number.empty())
    row.label.number =
        static_cast<int>(file.integer(number, "the number of the residue", -99999999, 99999999));
  if (const auto code = value(columns.insertion); !code.empty()) row.label.insertion = code.front();
  row.atom.name = row.label.atom;
  const auto symbol = value(columns.symbol);
  row.atom.atomic_number = symbol == "D" ? 1 : std::max(0, molecules::atomic_number(symbol));
  constexpr std::array<std::string_view, 3> names{"Cartn_x", "Cartn_y", "Cartn_z"};
  for (std::size_t axis = 0; axis < 3; ++axis)
    row.atom.place[static_cast<Eigen::Index>(axis)] =
        coordinate(value(columns.place[axis]), names[axis], file);
  if (const auto alternative = value(columns.alternative); !alternative.empty())
    row.alternative = alternative.front();
  if (const auto occupancy = value(columns.occupancy); !occupancy.empty())
    row.occupancy = file.real(occupancy, "the occupancy");
  if (const auto model = value(columns.model); !model.empty())
    row.model = static_cast<int>(file.integer(model, "the number of the model", 0, 99999999));
  row.part = value(columns.molecule);
  return row;
}

void read_atom_loop(CifTokens& tokens, const std::vector<std::string>& tags, const LineReader& file,
                    std::vector<StructureRow>& rows) {
  const auto columns = columns_of(tags, file);
  Values values(tags.size());
  for (;;) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto token = tokens.next();
      const bool ends = !token || token->ends_values();
      if (ends && i > 0)
        file.fail(fmt::format("the last atom has {} of {} values", i, values.size()), truncated);
      if (ends && token) tokens.push_back(*token);
      if (ends) return;
      values[i] = token->text;
    }
    rows.push_back(mmcif_row(values, columns, file));
  }
}

/// Lengths and angles as single values: _cell.length_a 60.1.
class CellValues {
 public:
  /// Looks at the value behind a tag of the cell.
  void take(const CifToken& tag, CifTokens& tokens) {
    constexpr std::array<std::string_view, 6> names{"_cell_length_a",   "_cell_length_b",
                                                    "_cell_length_c",   "_cell_angle_alpha",
                                                    "_cell_angle_beta", "_cell_angle_gamma"};
    const auto found = std::ranges::find(names, molecules::cif_name(tag.text));
    if (found == names.end()) return;
    const auto value = tokens.next();
    if (!value) return;
    if (value->ends_values()) return tokens.push_back(*value);
    // Crystallographers put the uncertainty of the last digits in brackets.
    numbers_[static_cast<std::size_t>(found - names.begin())] =
        molecules::parse_real(value->text.substr(0, value->text.find('('))).value_or(0);
  }
  std::optional<Eigen::Matrix3d> cell() const {
    return crystal_cell({numbers_[0], numbers_[1], numbers_[2]}, {numbers_[3], numbers_[4], numbers_[5]});
  }

 private:
  std::array<double, 6> numbers_{};
};

}  // namespace

StructureRows read_mmcif_rows(LineReader& file) {
  StructureRows found;
  auto& rows = found.atoms;
  CellValues cell;
  MmcifSecondary secondary;
  CifTokens tokens(file);
  while (const auto token = tokens.next()) {
    if (token->is_tag()) {
      if (!secondary.take(*token, tokens)) cell.take(*token, tokens);
      continue;
    }
    if (token->quoted || molecules::lower_case(token->text) != "loop_") continue;
    std::vector<std::string> tags;
    auto tag = tokens.next();
    for (; tag && tag->is_tag(); tag = tokens.next()) tags.push_back(molecules::cif_name(tag->text));
    if (tag) tokens.push_back(*tag);
    // "_atom_site_anisotrop" is another category.
    const bool atoms = std::ranges::find(tags, "_atom_site_cartn_x") != tags.end();
    if (atoms && rows.empty()) read_atom_loop(tokens, tags, file, rows);
    if (!atoms) secondary.take_loop(tags, tokens);
  }
  found.secondary = secondary.ranges();
  found.cell = cell.cell();
  return found;
}

}  // namespace isolume::structures

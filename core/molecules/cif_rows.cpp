// mmCIF: https://mmcif.wwpdb.org/dictionaries/mmcif_pdbx_v50.dic/Categories/atom_site.html, and crystals with fractional
// coordinates (International Tables for Crystallography, volume G).
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/molecules/atom_rows.h"
#include "core/molecules/cif_tokens.h"
#include "core/molecules/crystal_cell.h"
#include "core/molecules/element.h"
#include "core/molecules/mmcif_secondary.h"
#include "core/molecules/residue_numbers.h"

namespace isolume::molecules {
namespace {

constexpr std::string_view cut_off = "The file is cut off or damaged: copy it again.";
constexpr std::string_view atom_category = "_atom_site_";

using Tags = std::vector<std::string>;
using CifValues = std::vector<std::string_view>;

/// Columns of atom data, -1 for missing ones. Where there are several, the first one with a value counts.
struct AtomColumns {
  std::vector<int> atom, residue, chain, number;
  int group, symbol, molecule, insertion, alternative, occupancy, model, disorder_assembly, disorder_group,
      formal_charge;
  std::array<int, 3> cartesian, fractional;

  static bool complete(const std::array<int, 3>& places) {
    return std::ranges::find(places, -1) == places.end();
  }
  bool has_places() const { return complete(cartesian) || complete(fractional); }
};

AtomColumns columns_of(const Tags& tags) {
  const auto find = [&](std::string_view name) {
    const auto found = std::ranges::find(tags, fmt::format("{}{}", atom_category, name));
    return found == tags.end() ? -1 : static_cast<int>(found - tags.begin());
  };
  const auto all = [&](std::initializer_list<std::string_view> names) {
    std::vector<int> columns;
    for (const auto name : names)
      if (const int column = find(name); column >= 0) columns.push_back(column);
    return columns;
  };
  // Author-assigned names, as in PDB files; the entry's own numbering if there are none.
  return {all({"auth_atom_id", "label_atom_id", "label"}),
          all({"auth_comp_id", "label_comp_id"}),
          all({"auth_asym_id", "label_asym_id"}),
          all({"auth_seq_id", "label_seq_id"}),
          find("group_pdb"),
          find("type_symbol"),
          find("label_asym_id"),
          find("pdbx_pdb_ins_code"),
          find("label_alt_id"),
          find("occupancy"),
          find("pdbx_pdb_model_num"),
          find("disorder_assembly"),
          find("disorder_group"),
          find("pdbx_formal_charge"),
          {find("cartn_x"), find("cartn_y"), find("cartn_z")},
          {find("fract_x"), find("fract_y"), find("fract_z")}};
}

/// "1.234(5)" without the uncertainty of its last digits.
std::string_view without_uncertainty(std::string_view value) {
  return value.substr(0, value.find('('));
}

/// "Fe2+", "C", "D"; a label "C12A" where there is no symbol.
int element_of_symbol(std::string_view word, const LineReader& file) {
  std::string letters;
  for (const char c : word) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter || letters.size() == 2) break;
    letters += c;
  }
  int found = atomic_number(letters);
  if (found < 0 && letters.size() == 2) found = atomic_number(letters.substr(0, 1));
  if (letters.empty() || found < 0) file.fail(fmt::format("expected an element, found {}", quoted(word)));
  return found;
}

/// Lengths and angles as single values: _cell.length_a 60.1.
struct CellValues {
  static constexpr std::array<std::string_view, 6> names{"_cell_length_a",   "_cell_length_b",
                                                         "_cell_length_c",   "_cell_angle_alpha",
                                                         "_cell_angle_beta", "_cell_angle_gamma"};
  std::array<std::optional<double>, 6> numbers{};

  std::optional<Eigen::Matrix3d> cell() const {
    const auto at = [&](std::size_t i) { return numbers[i].value_or(0); };
    return crystal_cell({at(0), at(1), at(2)}, {at(3), at(4), at(5)});
  }
};

class CifRows {
 public:
  explicit CifRows(LineReader& file) : file_(file), tokens_(file) {}

  AtomRows read() {
    while (const auto token = tokens_.next()) {
      if (token->is_tag()) {
        take_value(*token);
      } else if (!token->quoted && lower_case(token->text) == "loop_") {
        take_loop();
      }
    }
    take_single_atom();
    choose_disorder_groups();
    letter_all_alternatives(found_.atoms);
    found_.secondary = secondary_.ranges();
    found_.assemblies = assemblies_.found(found_.remarks);
    found_.cell = cell_.cell();
    if (found_.is_fractional) place_in_cell();
    add_remarks();
    return std::move(found_);
  }

 private:
  void take_value(const CifToken& tag) {
    if (secondary_.take(tag, tokens_) || assemblies_.take(tag, tokens_)) return;
    const std::string name = cif_name(tag.text);
    const auto value = tokens_.next();
    if (!value) return;
    if (value->ends_values()) return tokens_.push_back(*value);
    const auto edge = std::ranges::find(CellValues::names, name);
    if (edge != CellValues::names.end()) take_cell(edge - CellValues::names.begin(), value->text);
    if (name.starts_with(atom_category)) {
      single_tags_.push_back(name);
      single_values_.emplace_back(value->text);
    }
    // The first of these that exists is the title.
    constexpr std::array<std::string_view, 3> titles{"_struct_title", "_chemical_name_common",
                                                     "_chemical_name_systematic"};
    const auto title = static_cast<std::size_t>(std::ranges::find(titles, name) - titles.begin());
    if (title < best_title_ && !cif_missing(value->text)) {
      best_title_ = title;
      found_.title = value->text;
      std::erase_if(found_.title, [](char c) { return c == '\n' || c == '\r'; });
    }
  }
  void take_cell(std::ptrdiff_t which, std::string_view value) {
    auto& number = cell_.numbers[static_cast<std::size_t>(which)];
    number = parse_real(without_uncertainty(value));
    if (!number && !cif_missing(value))
      found_.remarks.dropped(fmt::format(
          "Line {}: {} is {}, which is not a number; the structure has no cell.", file_.line_number(),
          CellValues::names[static_cast<std::size_t>(which)], quoted(value)));
  }

  void take_loop() {
    Tags tags;
    auto tag = tokens_.next();
    for (; tag && tag->is_tag(); tag = tokens_.next()) tags.push_back(cif_name(tag->text));
    if (tag) tokens_.push_back(*tag);
    const bool is_atoms = !tags.empty() && tags.front().starts_with(atom_category);
    // Rows of displacements (_atom_site_aniso) have no positions.
    if (!is_atoms || !columns_of(tags).has_places()) {
      if (is_atoms && std::ranges::any_of(tags, is_place)) check_columns(columns_of(tags));
      if (!secondary_.take_loop(tags, tokens_)) assemblies_.take_loop(tags, tokens_);
      return;
    }
    take_atoms(tags);
  }
  static bool is_place(const std::string& tag) {
    return tag.find("_cartn_x") != tag.npos || tag.find("_fract_x") != tag.npos;
  }
  void check_columns(const AtomColumns& columns) const {
    if (!columns.has_places() || (columns.atom.empty() && columns.symbol < 0))
      file_.fail("the atoms lack some of their coordinates, or names and elements",
                 "Give all of Cartn_x, Cartn_y and Cartn_z, and type_symbol or a name.");
  }

  /// Takes all rows of a loop; those of further data blocks are left out.
  void take_atoms(const Tags& tags) {
    const auto columns = columns_of(tags);
    check_columns(columns);
    const bool is_first = found_.atoms.empty();
    CifValues values(tags.size());
    for (;;) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto token = tokens_.next();
        const bool ends = !token || token->ends_values();
        if (ends && i > 0)
          file_.fail(fmt::format("the last atom has {} of {} values", i, values.size()), cut_off);
        if (ends && token) tokens_.push_back(*token);
        if (ends) return;
        values[i] = token->text;
      }
      is_first ? take_atom(values, columns) : static_cast<void>(++of_other_blocks_);
    }
  }
  /// A category of one row may be written without loop_.
  void take_single_atom() {
    if (!found_.atoms.empty()) return;
    const auto columns = columns_of(single_tags_);
    if (!columns.has_places()) return;
    check_columns(columns);
    take_atom(CifValues(single_values_.begin(), single_values_.end()), columns);
  }

  void take_atom(const CifValues& values, const AtomColumns& columns) {
    const auto value = [&](int column) {
      const auto text = column < 0 ? std::string_view() : values[static_cast<std::size_t>(column)];
      return cif_missing(text) ? std::string_view() : text;
    };
    const auto first_value = [&](const std::vector<int>& alternatives) {
      const auto found =
          std::ranges::find_if(alternatives, [&](int column) { return !value(column).empty(); });
      return found == alternatives.end() ? std::string_view() : value(*found);
    };
    const bool is_cartesian = AtomColumns::complete(columns.cartesian);
    const auto& places = is_cartesian ? columns.cartesian : columns.fractional;
    if (std::ranges::all_of(places, [&](int column) { return value(column).empty(); })) {
      ++without_place_;
      return;
    }
    found_.is_fractional = !is_cartesian;
    found_.has_residues = !columns.residue.empty();
    AtomRow row;
    row.name = first_value(columns.atom);
    row.residue = first_value(columns.residue);
    row.chain = first_value(columns.chain);
    row.part = value(columns.molecule);
    row.is_hetero = value(columns.group) == "HETATM";
    if (found_.has_residues && (row.name.empty() || row.residue.empty()))
      file_.fail("an atom or its residue has no name", cut_off);
    const auto symbol = value(columns.symbol);
    row.element = element_of_symbol(symbol.empty() ? row.name : symbol, file_);
    take_formal_charge(value(columns.formal_charge), symbol, row);
    // For residues, a name determines the element better than its first letters.
    if (symbol.empty() && found_.has_residues) row.element = 0;
    if (row.name.empty()) row.name = symbol;
    const auto number = first_value(columns.number);
    row.is_numbered = !is_number_missing(number) || !found_.has_residues;
    if (!is_number_missing(number))
      row.number = static_cast<int>(file_.integer(number, "the number of the residue", -99999999, 99999999));
    if (const auto code = value(columns.insertion); !code.empty()) row.insertion = code.front();
    constexpr std::array<std::array<std::string_view, 3>, 2> names{
        {{"fract_x", "fract_y", "fract_z"}, {"Cartn_x", "Cartn_y", "Cartn_z"}}};
    for (std::size_t axis = 0; axis < 3; ++axis)
      row.place[static_cast<Eigen::Index>(axis)] =
          coordinate(without_uncertainty(value(places[axis])), names[is_cartesian ? 1 : 0][axis], file_);
    if (const auto alternative = value(columns.alternative); !alternative.empty())
      row.alternative = alternative.front();
    const auto group = value(columns.disorder_group);
    const auto occupancy = value(columns.occupancy);
    if ((row.alternative != ' ' || !group.empty()) && !occupancy.empty()) {
      row.occupancy = file_.real(without_uncertainty(occupancy), "the occupancy");
    } else {
      row.occupancy = parse_real(without_uncertainty(occupancy)).value_or(1);
    }
    row.is_unoccupied = parse_real(without_uncertainty(occupancy)) == 0.0;
    if (!group.empty())
      disordered_.push_back(
          {found_.atoms.size(), std::string(value(columns.disorder_assembly)), std::string(group)});
    row.model = model_at(value(columns.model));
    found_.atoms.push_back(std::move(row));
  }
  /// Programs that write the column for all atoms give most of them a 0; symbols of ions may end in a charge, "Fe2+".
  void take_formal_charge(std::string_view stated, std::string_view symbol, AtomRow& row) {
    if (!stated.empty()) {
      const auto charge = parse_integer(stated);
      const bool is_read = charge && *charge >= -9 && *charge <= 9;
      row.formal_charge = is_read ? static_cast<int>(*charge) : 0;
      unread_charges_ += is_read ? 0 : 1;
    } else if (symbol.size() > 2) {
      row.formal_charge = formal_charge_of(symbol.substr(symbol.size() - 2)).value_or(0);
    }
  }
  std::size_t model_at(std::string_view word) {
    const int number =
        word.empty() ? 1 : static_cast<int>(file_.integer(word, "the number of the model", 0, 99999999));
    auto& models = found_.models;
    if (!models.empty() && models.back() == number) return models.size() - 1;
    const auto known = std::ranges::find(models, number);
    if (known != models.end()) return static_cast<std::size_t>(known - models.begin());
    models.push_back(number);
    return models.size() - 1;
  }

  /// Chooses the group of highest occupancy in each disorder assembly, the first of equal ones.
  void choose_disorder_groups() {
    std::map<std::string, std::pair<std::string, double>> chosen;
    std::map<std::string, std::set<std::string>> groups;
    for (const auto& [row, assembly, group] : disordered_) {
      const double occupancy = found_.atoms[row].occupancy;
      const auto [known, is_new] = chosen.emplace(assembly, std::pair(group, occupancy));
      if (!is_new && occupancy > known->second.second) known->second = {group, occupancy};
      groups[assembly].insert(group);
    }
    std::set<std::size_t> left_out;
    for (const auto& [row, assembly, group] : disordered_)
      if (group != chosen.at(assembly).first) left_out.insert(row);
    if (left_out.empty()) return;
    std::vector<std::string> names, kept;
    for (const std::size_t row : left_out) names.push_back(found_.atoms[row].name);
    for (const auto& [assembly, group] : chosen) {
      if (groups[assembly].size() > 1)
        kept.push_back(assembly.empty() ? group.first : fmt::format("{} of {}", group.first, assembly));
    }
    found_.remarks.dropped(
        fmt::format("The crystal is disordered: atoms of disorder group {} were kept, and those of the other "
                    "groups left out: {}, {}.",
                    first_names(kept), counted(left_out.size(), "atom"), first_names(names)),
        left_out.size());
    std::size_t at = 0;
    std::erase_if(found_.atoms, [&](const auto&) { return left_out.contains(at++); });
  }

  void place_in_cell() {
    if (!found_.cell)
      file_.fail_at(
          0,
          "fractional coordinates need the cell, but its lengths and angles are missing or span no volume");
    for (auto& row : found_.atoms) row.place = *found_.cell * row.place;
    found_.remarks.warn(
        "The atoms are those of the crystal's asymmetric unit: its symmetry was not applied.");
  }

  void add_remarks() {
    if (without_place_ > 0)
      found_.remarks.dropped(fmt::format("Atoms without coordinates were left out: {}.", without_place_),
                             without_place_);
    if (unread_charges_ > 0)
      found_.remarks.dropped(
          fmt::format("Formal charges that are not whole numbers from -9 to 9 were not used: {}.",
                      unread_charges_),
          unread_charges_);
    if (of_other_blocks_ > 0)
      found_.remarks.dropped(
          fmt::format("Only the first data block with atoms is read; atoms of others were left out: {}.",
                      of_other_blocks_),
          of_other_blocks_);
  }

  LineReader& file_;
  CifTokens tokens_;
  AtomRows found_;
  CellValues cell_;
  MmcifSecondary secondary_;
  MmcifAssemblies assemblies_;
  struct Disordered {
    std::size_t row;
    std::string assembly, group;
  };
  std::vector<Disordered> disordered_;
  Tags single_tags_;
  std::vector<std::string> single_values_;
  std::size_t without_place_ = 0, of_other_blocks_ = 0, unread_charges_ = 0, best_title_ = 3;
};

}  // namespace

AtomRows read_cif_rows(LineReader& file) {
  return CifRows(file).read();
}

}  // namespace isolume::molecules

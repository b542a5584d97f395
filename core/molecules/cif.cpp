// Structures in CIF: mmCIF of the Protein Data Bank, and crystals with fractional coordinates (International
// Tables for Crystallography, volume G). Geometry alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <unordered_set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/molecules/cif_tokens.h"
#include "core/molecules/element.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

/// "1.234(5)" without its uncertainty.
double number(std::string_view value, std::string_view what, const LineReader& reader) {
  return reader.real(value.substr(0, value.find('(')), what);
}

/// The columns of the loop of atoms, -1 for those it lacks.
struct Columns {
  int symbol, label, model, alternative;
  std::array<int, 3> cartesian, fractional;
  std::vector<int> identity;  ///< what tells atoms apart but for alternative positions
};

Columns find_columns(const std::vector<std::string>& tags) {
  const auto find = [&tags](std::string_view name) {
    const auto found = std::find(tags.begin(), tags.end(), fmt::format("_atom_site_{}", name));
    return found == tags.end() ? -1 : static_cast<int>(found - tags.begin());
  };
  Columns columns{find("type_symbol"),
                  find("label"),
                  find("pdbx_pdb_model_num"),
                  find("label_alt_id"),
                  {find("cartn_x"), find("cartn_y"), find("cartn_z")},
                  {find("fract_x"), find("fract_y"), find("fract_z")},
                  {}};
  for (const std::string_view name : {"label_atom_id", "label_asym_id", "auth_asym_id", "label_seq_id",
                                      "auth_seq_id", "pdbx_pdb_ins_code"}) {
    if (const int column = find(name); column >= 0) columns.identity.push_back(column);
  }
  return columns;
}

struct Crystal {
  std::map<std::string, std::string, std::less<>> items;  ///< single values by tag

  double cell(std::string_view name, const LineReader& reader) const {
    const auto found = items.find(fmt::format("_cell_{}", name));
    if (found == items.end() || cif_missing(found->second))
      reader.fail_at(0, fmt::format("fractional coordinates need the cell, but _cell_{} is missing", name));
    return number(found->second, "cell", reader);
  }
  /// Columns a, b and c; a along x, b in the plane of x and y.
  Eigen::Matrix3d axes(const LineReader& reader) const {
    const double a = cell("length_a", reader), b = cell("length_b", reader), c = cell("length_c", reader);
    const auto angle = [&](std::string_view name) { return cell(name, reader) * std::numbers::pi / 180; };
    const double alpha = angle("angle_alpha"), beta = angle("angle_beta"), gamma = angle("angle_gamma");
    const double y = (std::cos(alpha) - std::cos(beta) * std::cos(gamma)) / std::sin(gamma);
    const double z2 = 1 - std::cos(beta) * std::cos(beta) - y * y;
    if (!(a > 0 && b > 0 && c > 0 && z2 > 0)) reader.fail_at(0, "the axes of the cell do not span a volume");
    Eigen::Matrix3d axes;
    axes << a, b * std::cos(gamma), c * std::cos(beta), 0, b * std::sin(gamma), c * y, 0, 0,
        c * std::sqrt(z2);
    return axes;
  }
};

struct Row {
  Eigen::Vector3d place;
  int element = 0;
  std::string model;
};

/// "Fe2+", "C", "D"; a label "C12A" where there is no symbol.
int element_of(std::string_view word, const LineReader& reader) {
  std::string letters;
  for (const char c : word) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter || letters.size() == 2) break;
    letters += c;
  }
  if (letters == "D" || letters == "T") return 1;
  int found = atomic_number(letters);
  if (found < 0 && letters.size() == 2) found = atomic_number(letters.substr(0, 1));
  if (letters.empty() || found < 0) reader.fail(fmt::format("expected an element, found {}", quoted(word)));
  return found;
}

struct Structure {
  std::vector<Row> rows;
  bool fractional = false;
  std::size_t left_out = 0;
  std::size_t without_place = 0;
};

void read_atoms(CifTokens& tokens, const std::vector<std::string>& tags, const LineReader& reader,
                Structure& to) {
  const Columns columns = find_columns(tags);
  const bool cartesian = columns.cartesian[0] >= 0 && columns.cartesian[1] >= 0 && columns.cartesian[2] >= 0;
  const auto& places = cartesian ? columns.cartesian : columns.fractional;
  if (std::find(places.begin(), places.end(), -1) != places.end()) return;  // displacements and such
  if (columns.symbol < 0 && columns.label < 0) reader.fail("the atoms have neither type_symbol nor label");
  to.fractional = !cartesian;
  std::vector<std::string_view> values(tags.size());
  std::unordered_set<std::string> alternatives;
  for (;;) {
    auto token = tokens.next();
    if (!token || token->ends_values()) {
      if (token) tokens.push_back(*token);
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) token = tokens.next();
      if (!token || token->ends_values())
        reader.fail(fmt::format("the loop of atoms ends after {} of {} values of a row", i, values.size()),
                    "The file is truncated or damaged: copy it again.");
      values[i] = token->text;
    }
    const auto value = [&](int column) {
      return column < 0 ? std::string_view() : values[static_cast<std::size_t>(column)];
    };
    if (cif_missing(value(places[0]))) {
      ++to.without_place;
      continue;
    }
    if (!cif_missing(value(columns.alternative))) {
      std::string name(value(columns.model));
      for (const int column : columns.identity) name.append("|").append(value(column));
      if (!alternatives.insert(std::move(name)).second) {
        ++to.left_out;
        continue;
      }
    }
    Row row;
    for (std::size_t axis = 0; axis < 3; ++axis)
      row.place[static_cast<Eigen::Index>(axis)] = number(value(places[axis]), "coordinate", reader);
    row.element =
        element_of(cif_missing(value(columns.symbol)) ? value(columns.label) : value(columns.symbol), reader);
    row.model = value(columns.model);
    to.rows.push_back(std::move(row));
  }
}

Structure read_structure(LineReader& reader, Crystal& crystal) {
  Structure structure;
  CifTokens tokens(reader);
  while (const auto token = tokens.next()) {
    if (token->is_tag()) {
      const auto value = tokens.next();
      if (value && !value->ends_values()) {
        crystal.items.emplace(cif_name(token->text), std::string(value->text));
      } else if (value) {
        tokens.push_back(*value);
      }
    } else if (!token->quoted && lower_case(token->text) == "loop_") {
      std::vector<std::string> tags;
      auto tag = tokens.next();
      for (; tag && tag->is_tag(); tag = tokens.next()) tags.push_back(cif_name(tag->text));
      if (tag) tokens.push_back(*tag);
      const bool atoms = !tags.empty() && tags.front().starts_with("_atom_site_");
      if (atoms && structure.rows.empty()) read_atoms(tokens, tags, reader, structure);
    }
  }
  return structure;
}

}  // namespace

bool looks_like_cif(std::string_view text) {
  static const std::filesystem::path nowhere;
  const jobs::Progress progress;
  LineReader reader(nowhere, text, progress);
  bool data = false;
  while (reader.next()) {
    const std::string_view line = trimmed(reader.line());
    if (line.empty() || line.starts_with('#')) continue;
    if (!data && !starts_with_ignoring_case(line, "data_")) return false;
    data = true;
    if (line.starts_with('_') || starts_with_ignoring_case(line, "loop_")) return true;
  }
  return false;
}

FileContents read_cif(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  Crystal crystal;
  const Structure structure = read_structure(reader, crystal);
  if (structure.rows.empty()) reader.fail_at(0, "expected atoms with coordinates (_atom_site), found none");
  const Eigen::Matrix3d axes =
      structure.fractional ? crystal.axes(reader) : Eigen::Matrix3d(Eigen::Matrix3d::Identity());
  FileContents contents;
  Document& document = contents.document;
  std::string title;
  for (const std::string_view tag : {"_struct_title", "_chemical_name_common", "_chemical_name_systematic"}) {
    const auto found = crystal.items.find(tag);
    if (title.empty() && found != crystal.items.end() && !cif_missing(found->second)) title = found->second;
  }
  const std::string* model = nullptr;
  for (const Row& row : structure.rows) {
    if (model != nullptr && row.model != *model) document.frames.emplace_back();
    model = &row.model;
    Molecule& molecule = document.frames.empty() ? document.molecule : document.frames.back();
    molecule.title = title;
    Atom atom;
    atom.atomic_number = row.element;
    atom.nuclear_charge = row.element;
    atom.position_bohr = axes * row.place * units::bohr_per_angstrom;
    molecule.atoms.push_back(atom);
  }
  if (structure.left_out > 0) {
    document.warnings.push_back(
        fmt::format("{} alternative positions of atoms were left out.", structure.left_out));
  }
  if (structure.without_place > 0) {
    document.warnings.push_back(
        fmt::format("{} atoms without coordinates were left out.", structure.without_place));
  }
  if (structure.fractional) {
    document.warnings.emplace_back(
        "The atoms are those of the crystal's asymmetric unit: its symmetry was not applied.");
  }
  return contents;
}

}  // namespace isolume::molecules

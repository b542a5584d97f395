#include "core/structures/structure.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/molecules/line_reader.h"
#include "core/structures/structure_rows.h"

namespace isolume::structures {
namespace {

using molecules::LineReader;
using Rows = std::vector<const StructureRow*>;

constexpr std::string_view structure_wanted =
    "Give a structure as wwPDB has it, in PDB format or mmCIF, or a PQR file.";

/// mmCIF begins with "data_" behind comments.
bool is_mmcif(const std::string& text) {
  static const std::filesystem::path nowhere;
  LineReader file(nowhere, text, {});
  while (file.next()) {
    const auto line = trimmed(file.line());
    if (line.empty() || line.starts_with('#')) continue;
    return molecules::starts_with_ignoring_case(line, "data_");
  }
  return false;
}

/// Of the rows of a model, residue by residue in the order of the file.
std::vector<Rows> by_residue(const Rows& rows) {
  using Key = std::tuple<std::string, std::string, int, char>;
  std::map<Key, std::size_t> found;
  std::vector<Rows> residues;
  for (const auto* row : rows) {
    const auto [place, is_new] = found.emplace(
        Key{row->label.chain, row->part, row->label.number, row->label.insertion}, residues.size());
    if (is_new) residues.emplace_back();
    residues[place->second].push_back(row);
  }
  return residues;
}

/// The alternative of a residue with the highest occupancy; of equal ones the first.
char most_occupied(const Rows& rows) {
  std::vector<std::pair<char, double>> found;
  for (const auto* row : rows) {
    if (row->alternative == ' ') continue;
    auto known = std::ranges::find(found, row->alternative, &std::pair<char, double>::first);
    if (known == found.end()) known = found.insert(found.end(), {row->alternative, row->occupancy});
    known->second = std::max(known->second, row->occupancy);
  }
  const auto most = std::ranges::max_element(found, {}, &std::pair<char, double>::second);
  return most == found.end() ? ' ' : most->first;
}

/// Names before 2008, and other programs', as wwPDB's chemical components have them.
std::string usual_name(std::string name, const std::string& residue) {
  std::ranges::replace(name, '*', '\'');
  if (name == "O1P") return "OP1";
  if (name == "O2P") return "OP2";
  if (name == "OT1") return "O";
  if (name == "OT2") return "OXT";
  if (name == "HN") return "H";
  if (name == "CD" && residue == "ILE") return "CD1";
  return name;
}

Residue chosen(const Rows& rows) {
  const char alternative = most_occupied(rows);
  // Those chosen come first, so that of others only atoms that they lack are taken.
  Rows ordered = rows;
  const auto is_chosen = [&](const StructureRow* row) {
    return row->alternative == ' ' || row->alternative == alternative;
  };
  std::ranges::stable_partition(ordered, is_chosen);
  const auto& label = ordered.front()->label;
  Residue residue{label.residue, label.chain, label.number, label.insertion, label.is_hetero, 0, {}, 0};
  std::set<std::string> names;
  for (const auto* row : ordered) {
    auto atom = row->atom;
    atom.name = usual_name(atom.name, residue.name);
    if (row->label.residue != residue.name || !names.insert(atom.name).second) {
      ++residue.alternatives;
      continue;
    }
    residue.atoms.push_back(std::move(atom));
  }
  return residue;
}

int number_of_model(const std::vector<StructureRow>& rows, std::optional<int> wanted,
                    const std::set<int>& models, const LineReader& file) {
  if (!wanted) return rows.front().model;
  if (!models.contains(*wanted))
    file.fail_at(
        0, fmt::format("there is no model {} in it", *wanted),
        fmt::format("It has {}: give one of them to --model.",
                    models.size() == 1 ? fmt::format("model {} alone", *models.begin())
                                       : fmt::format("models {} to {}", *models.begin(), *models.rbegin())));
  return *wanted;
}

/// What a file has, by model.
struct ModelRows {
  StructureRows rows;
  std::map<int, Rows> models;
  std::vector<int> order;  ///< of the file

  std::set<int> numbers() const { return {order.begin(), order.end()}; }
};

ModelRows rows_of(LineReader& file, const std::string& text) {
  const bool mmcif = is_mmcif(text);
  ModelRows found{mmcif ? read_mmcif_rows(file) : read_pdb_rows(file), {}, {}};
  if (found.rows.atoms.empty())
    file.fail_at(0,
                 mmcif ? "there are no atoms (_atom_site) in it" : "there are no atoms (ATOM, HETATM) in it",
                 structure_wanted);
  for (const auto& row : found.rows.atoms) {
    const auto [model, is_new] = found.models.try_emplace(row.model);
    if (is_new) found.order.push_back(row.model);
    model->second.push_back(&row);
  }
  return found;
}

Structure model_of(const ModelRows& found, int number) {
  Structure structure;
  structure.cell = found.rows.cell;
  structure.secondary = found.rows.secondary;
  structure.models = static_cast<int>(found.models.size());
  structure.model = number;
  std::map<std::pair<std::string, std::string>, int> parts;
  for (const auto& residue : by_residue(found.models.at(number))) {
    structure.residues.push_back(chosen(residue));
    structure.alternatives += structure.residues.back().alternatives;
    const std::pair key{residue.front()->label.chain, residue.front()->part};
    structure.residues.back().part = parts.emplace(key, static_cast<int>(parts.size())).first->second;
  }
  return structure;
}

}  // namespace

const StructureAtom* Residue::find(std::string_view atom) const {
  const auto found = std::ranges::find(atoms, atom, &StructureAtom::name);
  return found == atoms.end() ? nullptr : &*found;
}

std::string name_of(const Residue& residue) {
  std::string text = residue.name;
  if (!residue.chain.empty()) text += " " + residue.chain;
  text += fmt::format(" {}", residue.number);
  if (residue.insertion != ' ') text += residue.insertion;
  return text;
}

double coordinate(std::string_view word, std::string_view what, const LineReader& file) {
  const auto value = molecules::parse_real(word);
  if (!value || !(std::abs(*value) <= most_magnitude))
    file.fail(fmt::format("{}: {} is no place of an atom in angstrom", what, quoted(word)),
              "Copy the file again, or correct that line.");
  return *value;
}

Structure read_structure(const std::filesystem::path& path, std::optional<int> model,
                         const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  const ModelRows found = rows_of(file, text);
  return model_of(found, number_of_model(found.rows.atoms, model, found.numbers(), file));
}

std::vector<Structure> read_models(const std::filesystem::path& path, const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  const ModelRows found = rows_of(file, text);
  std::vector<Structure> models;
  for (const int number : found.order) models.push_back(model_of(found, number));
  return models;
}

}  // namespace isolume::structures

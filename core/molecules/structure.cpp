#include "core/molecules/structure.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/molecules/assembly_rows.h"
#include "core/molecules/atom_rows.h"
#include "core/molecules/crystal_cell.h"
#include "core/molecules/element.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

using RowList = std::vector<const AtomRow*>;

constexpr std::string_view structure_wanted =
    "Give a structure as wwPDB has it, in PDB format or mmCIF, or a PQR file.";

bool is_same_residue(const AtomRow& one, const AtomRow& other) {
  // Alternate locations may have different residue names.
  const bool same_name = one.residue == other.residue || (one.alternative != ' ' && other.alternative != ' ');
  return same_name && one.number == other.number && one.insertion == other.insertion &&
         one.is_numbered == other.is_numbered && one.chain == other.chain && one.part == other.part;
}

bool is_named_as_element(const AtomRow& row) {
  return row.element > 0 && lower_case(row.name) == lower_case(element(row.element).symbol);
}

/// Finds residues in the rows of a model. All rows are assigned to one.
class ResidueRows {
 public:
  struct Found {
    RowList rows;
    int part = 0;
  };

  explicit ResidueRows(const RowList& rows) {
    RowList run;
    for (const auto* row : rows) {
      if (!run.empty() && !is_same_residue(*run.back(), *row)) take_run(std::exchange(run, {}));
      run.push_back(row);
    }
    if (!run.empty()) take_run(run);
  }
  std::vector<Found> take() { return std::move(found_); }

 private:
  using Molecule = std::tuple<std::string, std::string, int>;  ///< chain, part, and number of restarts
  using Key = std::tuple<Molecule, std::string, int, char>;

  /// Consecutive rows with the same residue label: several residues if names are repeated.
  void take_run(const RowList& run) {
    RowList residue;
    std::set<std::string_view> names;
    bool is_first = true;
    for (const auto* row : run) {
      const bool again = row->alternative == ' ' && !names.insert(row->name).second;
      if (again && begins_again(*row, *residue.front())) {
        add(std::exchange(residue, {}), !std::exchange(is_first, false));
        names = {row->name};
      }
      residue.push_back(row);
    }
    add(residue, !is_first);
  }
  /// In monomers, water and ions only hydrogens may have the same name; otherwise a repetition of the first atom's
  /// name begins a new residue, unless all carbons are called C, as in Open Babel's files.
  static bool begins_again(const AtomRow& row, const AtomRow& first) {
    if (is_listed_residue(row.residue)) return !is_hydrogen_name(row.name);
    return row.name == first.name && !is_named_as_element(row);
  }

  void add(const RowList& rows, bool is_repeated) {
    const auto& row = *rows.front();
    const std::pair chain{row.chain, row.part};
    auto& times = times_[chain];
    const auto key = [&] {
      return Key{Molecule{row.chain, row.part, times}, row.residue, row.number, row.insertion};
    };
    const auto known = row.is_numbered ? latest_.find(key()) : latest_.end();
    const bool is_known = known != latest_.end();
    if (is_known && !is_repeated && belongs_to(found_[known->second].rows, rows)) {
      auto& before = found_[known->second].rows;
      before.insert(before.end(), rows.begin(), rows.end());
      return;
    }
    // Another molecule in the same chain, as in files with neither chain names nor TER.
    if (((is_repeated || is_known) && !is_small(row)) || goes_back(rows)) ++times;
    const auto molecule = std::get<0>(key());
    const int part = parts_.emplace(molecule, static_cast<int>(parts_.size())).first->second;
    latest_[key()] = found_.size();
    found_.push_back({rows, part});
    if (is_monomer_name(row.residue)) last_monomers_[chain] = found_.size() - 1;
  }
  /// If residue numbers restart lower without a bond to the previous monomer, another molecule begins.
  bool goes_back(const RowList& rows) const {
    const auto& row = *rows.front();
    const auto last = last_monomers_.find({row.chain, row.part});
    if (last == last_monomers_.end() || !is_monomer_name(row.residue) || !row.is_numbered) return false;
    const auto& before = found_[last->second].rows;
    if (std::pair(row.number, row.insertion) > std::pair(before.front()->number, before.front()->insertion))
      return false;
    const bool is_the_same = before.front()->number == row.number && before.front()->residue == row.residue;
    return !is_the_same && !are_bonded(before, rows, "C", "N") && !are_bonded(before, rows, "O3'", "P") &&
           !are_bonded(before, rows, "O3*", "P");
  }
  static bool are_bonded(const RowList& before, const RowList& after, std::string_view last,
                         std::string_view first) {
    constexpr double longest = 2.5;  // angstrom
    const auto name = [](const AtomRow* row) -> std::string_view { return row->name; };
    const auto from = std::ranges::find(before, last, name), to = std::ranges::find(after, first, name);
    return from != before.end() && to != after.end() && ((*from)->place - (*to)->place).norm() < longest;
  }
  static bool is_small(const AtomRow& row) {
    const std::string name = row.name;
    const auto kind = known_residue(row.residue, std::span(&name, 1)).kind;
    return kind == ResidueKind::water || kind == ResidueKind::ion;
  }
  /// Atoms of a residue that occurred before in the file: no name is repeated, and they are near, such as hydrogens
  /// written after all other atoms.
  static bool belongs_to(const RowList& residue, const RowList& rows) {
    constexpr double near = 4;  // angstrom
    bool is_near = false;
    for (const auto* row : rows) {
      for (const auto* other : residue) {
        const bool plain = row->alternative == ' ' || row->alternative == other->alternative;
        if (plain && row->name == other->name) return false;
        is_near = is_near || (row->place - other->place).norm() < near;
      }
    }
    return is_near;
  }

  std::map<std::pair<std::string, std::string>, int> times_;
  std::map<Key, std::size_t> latest_;
  std::map<Molecule, int> parts_;
  std::map<std::pair<std::string, std::string>, std::size_t>
      last_monomers_;  ///< by chain and part, index into found_
  std::vector<Found> found_;
};

/// The alternate location of a residue with the highest occupancy; of equal ones the first.
char most_occupied(const RowList& rows) {
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

/// One row for each atom: the chosen alternate location, and atoms of others only if it lacks them.
RowList without_alternatives(const RowList& rows) {
  const char alternative = most_occupied(rows);
  if (alternative == ' ') return rows;
  RowList ordered = rows;
  const auto rank = [&](const AtomRow* row) {
    return row->alternative == ' ' ? 0 : row->alternative == alternative ? 1 : 2;
  };
  std::ranges::stable_sort(ordered, {}, rank);
  const auto lead = std::ranges::find(ordered, 1, rank);
  const std::string residue = rank(ordered.front()) == 0 ? ordered.front()->residue : (*lead)->residue;
  std::map<std::string_view, char> names;
  RowList chosen;
  for (const auto* row : ordered) {
    const auto [known, is_new] = names.emplace(row->name, row->alternative);
    const bool is_other = !is_new && row->alternative != ' ' && known->second != row->alternative;
    if (row->residue == residue && !is_other) chosen.push_back(row);
  }
  return chosen;
}

/// CHARMM's patches ACE and CT3 put the caps of a peptide into its first and last residues; separates them from the
/// residue with its own name.
std::vector<std::pair<std::string, RowList>> with_caps_apart(const RowList& rows) {
  static const std::set<std::string_view> acetyl{"CAY", "CY", "OY", "HY1", "HY2", "HY3"},
      methylamide{"NT", "HNT", "CAT", "HT1", "HT2", "HT3"};
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(rows, [&](const auto* row) { return row->name == name; });
  };
  const bool has_acetyl = has("CAY") && has("CY"), has_methylamide = has("CAT") && has("NT");
  const std::string& residue = rows.front()->residue;
  if (!is_monomer_name(residue) || (!has_acetyl && !has_methylamide)) return {{residue, rows}};
  RowList before, own, behind;
  for (const auto* row : rows) {
    const bool is_before = has_acetyl && acetyl.contains(row->name),
               is_behind = has_methylamide && methylamide.contains(row->name);
    (is_before ? before : is_behind ? behind : own).push_back(row);
  }
  std::vector<std::pair<std::string, RowList>> pieces{{"ACE", before}, {residue, own}, {"NME", behind}};
  std::erase_if(pieces, [](const auto& piece) { return piece.second.empty(); });
  return pieces;
}

/// If names begin in column 13, whatever the element, "CA  " is not calcium.
bool is_left_aligned(const AtomRows& rows) {
  return std::ranges::any_of(rows.atoms,
                             [](const auto& row) { return row.begins_with_symbol && row.name.size() == 1; });
}

/// From the file's column, or from the name in the PDB format: two letters if it begins one column earlier.
int element_without_residue(const AtomRow& row, bool left_aligned) {
  if (row.element > 0) return row.element;
  if (left_aligned) return element_of_name(row.name, row.residue);
  if (row.name.size() == 4 && row.name.front() == 'H') return 1;
  if (row.begins_with_symbol && row.name.size() > 1) {
    if (const int number = atomic_number(row.name.substr(0, 2)); number > 0) return number;
  }
  const auto letter = row.name.find_first_not_of("0123456789 ");
  return letter == row.name.npos ? 0 : std::max(0, atomic_number(row.name.substr(letter, 1)));
}

/// Builds structures from rows, and counts what to report about them.
class Models {
 public:
  explicit Models(const AtomRows& rows) : rows_(rows), left_aligned_(is_left_aligned(rows)) {
    by_model_.resize(rows.models.size());
    for (const auto& row : rows.atoms) by_model_[row.model].push_back(&row);
  }

  Structure model(std::size_t index) {
    Structure made;
    made.cell = rows_.cell;
    made.secondary = rows_.secondary;
    made.title = rows_.title;
    for (const auto& assembly : rows_.assemblies.all) made.assemblies.push_back(assembly.name);
    made.models = static_cast<int>(rows_.models.size());
    made.model = rows_.models[index];
    counts_ = {};
    for (const auto& [rows, part] : ResidueRows(by_model_[index]).take()) {
      for (const auto& [name, piece] : with_caps_apart(rows)) {
        made.residues.push_back(residue_of(piece, name, part));
        made.alternatives += made.residues.back().alternatives;
      }
    }
    std::erase_if(made.residues, [](const auto& residue) { return residue.atoms.empty(); });
    made.remarks = rows_.remarks;
    add_remarks(made);
    return made;
  }

 private:
  struct Counts {
    std::size_t virtual_sites = 0, unnumbered = 0;
    std::vector<std::string> other_elements, without_element, alternatives;
  };

  Residue residue_of(const RowList& all, const std::string& name, int part) {
    const auto rows = without_alternatives(all);
    const auto& first = *rows.front();
    Residue residue{name, first.chain, first.number, first.insertion, first.is_hetero, part, {}, 0};
    if (!first.is_numbered) residue.number = next_number_, ++counts_.unnumbered;
    next_number_ = residue.number + 1;
    residue.alternatives = static_cast<int>(all.size() - rows.size());
    std::vector<std::string> names;
    for (const auto* row : rows) names.push_back(row->name);
    const auto known = known_residue(name, names);
    for (const auto* row : rows) {
      const int element = element_of(*row, known, residue);
      // Virtual sites of water models; they have charges, but are not atoms.
      if (known.kind == ResidueKind::water && element == 0) {
        ++counts_.virtual_sites;
        continue;
      }
      if (element == 0)
        counts_.without_element.push_back(fmt::format("{} ({})", name_of(residue), row->name));
      residue.atoms.push_back({usual_atom_name(row->name, known), element, row->place});
    }
    if (residue.alternatives > 0) counts_.alternatives.push_back(name_of(residue));
    return residue;
  }

  int element_of(const AtomRow& row, const KnownResidue& known, const Residue& residue) {
    const int by_residue = element_in(known, row.name);
    if (by_residue < 0) return element_without_residue(row, left_aligned_);
    if (row.element > 0 && by_residue > 0 && row.element != by_residue) {
      counts_.other_elements.push_back(fmt::format("{} ({})", name_of(residue), row.name));
    }
    return by_residue;
  }

  void add_remarks(Structure& made) const {
    auto& remarks = made.remarks;
    const auto say = [&](RemarkKind kind, std::size_t count, std::string_view noun, std::string_view text,
                         const std::vector<std::string>& names) {
      if (count == 0) return;
      const std::string which = names.empty() ? std::string() : ", in " + first_names(names);
      remarks.add(kind, fmt::format("{}: {}{}.", text, counted(count, noun), which), count);
    };
    say(RemarkKind::dropped, static_cast<std::size_t>(made.alternatives), "atom",
        "Alternate locations of lower occupancy were left out", counts_.alternatives);
    say(RemarkKind::dropped, counts_.virtual_sites, "site", "Virtual sites of water models were left out",
        {});
    say(RemarkKind::assumed, counts_.unnumbered, "residue", "Numbers that cannot be read were counted on",
        {});
    say(RemarkKind::corrected, counts_.other_elements.size(), "atom",
        "Elements are those that names mean in their residues, not those in the file",
        counts_.other_elements);
    say(RemarkKind::assumed, counts_.without_element.size(), "atom",
        "Neither the file nor the name gives the element; ghost atoms replace them", counts_.without_element);
  }

  const AtomRows& rows_;
  bool left_aligned_;
  std::vector<RowList> by_model_;
  Counts counts_;
  int next_number_ = 1;
};

AtomRows rows_of_residues(LineReader& file, const std::string& text) {
  const bool is_cif = looks_like_cif(text);
  auto rows = is_cif ? read_cif_rows(file) : read_pdb_rows(file);
  if (rows.atoms.empty())
    file.fail_at(0,
                 is_cif ? "there are no atoms (_atom_site) in it" : "there are no atoms (ATOM, HETATM) in it",
                 structure_wanted);
  if (!rows.has_residues)
    file.fail_at(0, "the atoms lack the names of residues",
                 "Give a structure of residues in mmCIF; crystals of small molecules have none.");
  return rows;
}

/// Builds copies that belong to the molecule; `path` is empty if a model was requested.
void make_whole(AtomRows& rows, int assembly, const std::filesystem::path& path, const LineReader& file) {
  if (is_assembly_file(path) && join_copies(rows)) return;
  if (assembly > 0) return build_assembly(rows, assembly, file);
  remark_on_assemblies(rows);
}

std::size_t position_of_model(const AtomRows& rows, int wanted, const LineReader& file) {
  const auto found = std::ranges::find(rows.models, wanted);
  if (found != rows.models.end()) return static_cast<std::size_t>(found - rows.models.begin());
  const auto [least, most] = std::ranges::minmax(rows.models);
  file.fail_at(0, fmt::format("there is no model {} in it", wanted),
               fmt::format("It has {}: give one of them to --model.",
                           rows.models.size() == 1 ? fmt::format("model {} alone", least)
                                                   : fmt::format("models {} to {}", least, most)));
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

KnownResidue known_residue(const Residue& residue) {
  std::vector<std::string> names;
  for (const auto& atom : residue.atoms) names.push_back(atom.name);
  return known_residue(residue.name, names);
}

double coordinate(std::string_view word, std::string_view what, const LineReader& file) {
  const auto value = parse_real(word);
  if (!value || !(std::abs(*value) <= most_magnitude))
    file.fail(fmt::format("{}: {} is not a coordinate of an atom in angstrom", what, quoted(word)),
              "Copy the file again, or correct that line.");
  return *value;
}

std::vector<Structure> models_of(const AtomRows& rows, std::optional<std::size_t> only) {
  Models models(rows);
  if (only) return {models.model(*only)};
  std::vector<Structure> all;
  for (std::size_t i = 0; i < rows.models.size(); ++i) all.push_back(models.model(i));
  return all;
}

Structure read_structure(const std::filesystem::path& path, std::optional<int> model,
                         const jobs::Progress& progress, int assembly) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  auto rows = rows_of_residues(file, text);
  if (!model) make_whole(rows, assembly, path, file);
  const std::size_t position = model ? position_of_model(rows, *model, file) : 0;
  if (model) make_whole(rows, assembly, {}, file);
  return models_of(rows, position).front();
}

std::vector<Structure> read_models(const std::filesystem::path& path, const jobs::Progress& progress,
                                   int assembly) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  auto rows = rows_of_residues(file, text);
  make_whole(rows, assembly, path, file);
  return models_of(rows);
}

}  // namespace isolume::molecules

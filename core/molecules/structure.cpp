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
#include "core/molecules/residue_starts.h"

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
  /// Atoms that repeat a name of their residue, which are in no residue.
  const RowList& surplus() const { return surplus_; }

 private:
  using Molecule = std::tuple<std::string, std::string, int>;  ///< chain, part, and number of restarts
  using Key = std::tuple<Molecule, std::string, int, char>;

  /// Consecutive rows with the same residue label: several residues if names are repeated.
  void take_run(const RowList& run) {
    std::vector<RunAtom> atoms;
    for (const auto* row : run) atoms.push_back({row->name, row->place, row->element, has_alternative(row)});
    auto starts = residue_starts(run.front()->residue, atoms);
    starts.push_back(run.size());
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      RowList residue;
      std::set<std::string_view> names;
      for (std::size_t at = starts[i]; at < starts[i + 1]; ++at) {
        const auto* row = run[at];
        const bool again = !has_alternative(row) && !names.insert(row->name).second;
        const bool is_surplus = again && is_monomer_name(row->residue) && !is_hydrogen_name(row->name);
        (is_surplus ? surplus_ : residue).push_back(row);
      }
      add(residue, i > 0);
    }
  }

  void add(const RowList& rows, bool is_repeated) {
    const auto& row = *rows.front();
    const std::pair chain{row.chain, row.part};
    auto& times = times_[chain];
    const auto key = [&] {
      return Key{Molecule{row.chain, row.part, times}, row.residue, row.number, row.insertion};
    };
    auto known = row.is_numbered ? latest_.find(key()) : latest_.end();
    const bool is_known = known != latest_.end();
    if (!is_known && row.is_numbered) known = latest_.find(unnamed(key()));
    const bool has_letters = std::ranges::any_of(rows, has_alternative);
    if (!is_known && known != latest_.end() && have_other_letters(found_[known->second].rows, rows)) {
      auto& before = found_[known->second].rows;
      before.insert(before.end(), rows.begin(), rows.end());
      return;
    }
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
    if (has_letters) latest_[unnamed(key())] = found_.size();
    found_.push_back({rows, part});
    if (is_monomer_name(row.residue)) last_monomers_[chain] = found_.size() - 1;
  }
  /// The key by which alternate locations that have other residue names find each other.
  static Key unnamed(Key key) {
    std::get<1>(key).clear();
    return key;
  }
  static bool has_alternative(const AtomRow* row) { return row->alternative != ' '; }
  /// Whether all rows are alternate locations of a residue with other ones, at its place: the same letter under
  /// another name means another residue.
  static bool have_other_letters(const RowList& residue, const RowList& rows) {
    std::set<char> letters;
    for (const auto* row : residue) letters.insert(row->alternative);
    return std::ranges::all_of(rows, has_alternative) && belongs_to(residue, rows) &&
           std::ranges::none_of(rows, [&](const auto* row) { return letters.contains(row->alternative); });
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
  RowList surplus_;
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

/// In neutron structures D and H alternate at one place: "DD1" and "HD1" are one atom.
std::string name_with_hydrogen(std::string name) {
  const auto first = name.find_first_not_of("0123456789");
  if (first != name.npos && name[first] == 'D') name[first] = 'H';
  return name;
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
  std::map<std::string, char> names;
  RowList chosen;
  for (const auto* row : ordered) {
    const auto [known, is_new] = names.emplace(name_with_hydrogen(row->name), row->alternative);
    const bool is_other = !is_new && row->alternative != ' ' && known->second != row->alternative;
    if (row->residue == residue && !is_other) chosen.push_back(row);
  }
  return chosen;
}

/// Whether a row that was not chosen has the highest occupancy, too.
bool leaves_out_equal(const RowList& all, const RowList& chosen) {
  double most = 0;
  for (const auto* row : chosen)
    if (row->alternative != ' ') most = std::max(most, row->occupancy);
  return std::ranges::any_of(all, [&](const auto* row) {
    return row->alternative != ' ' && row->occupancy >= most &&
           std::ranges::find(chosen, row) == chosen.end();
  });
}

/// CHARMM's patches ACE and CT3 put the caps of a peptide into its first and last residues; separates them from the
/// residue, whose own name is that of the chosen alternate location and left empty here.
std::vector<std::pair<std::string, RowList>> with_caps_apart(const RowList& rows) {
  static const std::set<std::string_view> acetyl{"CAY", "CY", "OY", "HY1", "HY2", "HY3"},
      methylamide{"NT", "HNT", "CAT", "HT1", "HT2", "HT3"};
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(rows, [&](const auto* row) { return row->name == name; });
  };
  const bool has_acetyl = has("CAY") && has("CY"), has_methylamide = has("CAT") && has("NT");
  const std::string& residue = rows.front()->residue;
  if (!is_monomer_name(residue) || (!has_acetyl && !has_methylamide)) return {{"", rows}};
  RowList before, own, behind;
  for (const auto* row : rows) {
    const bool is_before = has_acetyl && acetyl.contains(row->name),
               is_behind = has_methylamide && methylamide.contains(row->name);
    (is_before ? before : is_behind ? behind : own).push_back(row);
  }
  std::vector<std::pair<std::string, RowList>> pieces{{"ACE", before}, {"", own}, {"NME", behind}};
  std::erase_if(pieces, [](const auto& piece) { return piece.second.empty(); });
  return pieces;
}

/// If names begin in column 13, whatever the element, "CA  " is not calcium.
bool is_left_aligned(const AtomRows& rows) {
  return std::ranges::any_of(rows.atoms,
                             [](const auto& row) { return row.begins_with_symbol && row.name.size() == 1; });
}

/// Two letters of an element in column 13, where names of two or three characters begin with it alone. Names of four
/// characters always begin there: they say nothing, unless the first letter is no element.
int element_by_alignment(const AtomRow& row) {
  if (!row.begins_with_symbol || row.name.size() < 2) return 0;
  const bool is_hydrogen = row.name.front() == 'H' && row.name.size() > 2;
  const bool says_nothing = row.name.size() > 3 && atomic_number(row.name.substr(0, 1)) > 0;
  return is_hydrogen ? 1 : says_nothing ? 0 : atomic_number(row.name.substr(0, 2));
}

/// From the file's column, or from the name in the PDB format: two letters if it begins one column earlier.
int element_without_residue(const AtomRow& row, bool left_aligned) {
  if (row.element > 0) return row.element;
  const int aligned = left_aligned ? 0 : element_by_alignment(row);
  return aligned > 0 ? aligned : element_of_name(row.name, row.residue);
}

/// A name of four characters that would begin with an element of two letters elsewhere: "CA11", "PT1A".
bool could_be_of_two_letters(const AtomRow& row, int element) {
  const int other = atomic_number(row.name.substr(0, 2));
  return row.element == 0 && row.name.size() == 4 && element > 1 && other > 0 && other != element;
}

/// Whether a residue has the backbone of an amino acid, whatever its name.
bool has_peptide_backbone(const RowList& rows) {
  constexpr double longest = 1.8;  // angstrom
  const auto find = [&](std::string_view name) -> const AtomRow* {
    const auto found =
        std::ranges::find(rows, name, [](const auto* row) -> std::string_view { return row->name; });
    return found == rows.end() ? nullptr : *found;
  };
  const auto *n = find("N"), *ca = find("CA"), *c = find("C"), *o = find("O");
  return n && ca && c && o && (n->place - ca->place).norm() < longest &&
         (c->place - ca->place).norm() < longest;
}

/// Programs may take the first letters of a name for its element: in an amino acid those of CA, CD1 and HG2 are none,
/// because the second one counts from the backbone. SE is selenium: amino acids have no sulphur at that position.
int element_in_amino_acid(const AtomRow& row) {
  constexpr std::string_view remoteness = "ABGDEZH";
  const bool is_position =
      row.name.size() > 1 && row.name != "SE" && remoteness.find(row.name[1]) != remoteness.npos;
  if (row.element == 0 || !is_position || atomic_number(row.name.substr(0, 2)) != row.element)
    return row.element;
  const int first = atomic_number(row.name.substr(0, 1));
  return first > 0 ? first : row.element;
}

/// Drude particles of polarisable force fields have the names of their atoms with a D before, and nearly their places;
/// deuterium has neither.
bool is_drude_particle(const AtomRow& row, const RowList& rows) {
  constexpr double near = 0.5;  // angstrom
  return row.name.starts_with('D') && row.element != 1 && std::ranges::any_of(rows, [&](const auto* other) {
           return !other->name.starts_with('D') && (other->place - row.place).norm() < near;
         });
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
    ResidueRows found(by_model_[index]);
    for (const auto* row : found.surplus()) counts_.surplus.push_back(name_of_atom(*row));
    for (const auto& [rows, part] : found.take()) {
      for (const auto& [name, piece] : with_caps_apart(rows)) {
        made.residues.push_back(residue_of(piece, name, part));
        made.alternatives += made.residues.back().alternatives;
      }
    }
    std::erase_if(made.residues, [](const auto& residue) { return residue.atoms.empty(); });
    made.remarks = rows_.remarks;
    remark_on_occupancies(by_model_[index], made.remarks);
    add_remarks(made);
    return made;
  }

 private:
  struct Counts {
    std::size_t virtual_sites = 0, drude_particles = 0, unnumbered = 0;
    std::vector<std::string> other_elements, without_element, alternatives, equal_alternatives, surplus,
        of_two_letters;
    std::size_t left_out = 0, left_out_of_equal = 0;
  };

  /// Crystallographers give an occupancy of 0 to atoms that they have not seen; if all have it, it says nothing.
  static void remark_on_occupancies(const RowList& rows, Remarks& remarks) {
    std::vector<std::string> names;
    for (const auto* row : rows)
      if (row->is_unoccupied) names.push_back(name_of_atom(*row));
    if (!names.empty() && names.size() < rows.size())
      remarks.add(RemarkKind::warning,
                  fmt::format("Atoms of occupancy 0, whose places are not observed, are used: {}.",
                              first_names(names)),
                  names.size());
  }
  static std::string name_of_atom(const AtomRow& row) {
    return fmt::format(
        "{} ({})",
        name_of(Residue{row.residue, row.chain, row.number, row.insertion, row.is_hetero, 0, {}, 0}),
        row.name);
  }

  /// `cap`: its name if it is one taken apart.
  Residue residue_of(const RowList& all, const std::string& cap, int part) {
    auto rows = without_alternatives(all);
    const auto left_out = all.size() - rows.size();
    const RowList chosen = rows;
    counts_.drude_particles +=
        std::erase_if(rows, [&](const auto* row) { return is_drude_particle(*row, chosen); });
    const auto& first = *rows.front();
    const std::string& name = cap.empty() ? first.residue : cap;
    Residue residue{name, first.chain, first.number, first.insertion, first.is_hetero, part, {}, 0};
    if (!first.is_numbered) residue.number = next_number_, ++counts_.unnumbered;
    next_number_ = residue.number + 1;
    residue.alternatives = static_cast<int>(left_out);
    std::vector<std::string> names;
    for (const auto* row : rows) names.push_back(row->name);
    const auto known = known_residue(name, names);
    const bool is_amino_acid = known.kind == ResidueKind::unknown && has_peptide_backbone(rows);
    for (const auto* row : rows) {
      const int element = element_of(*row, known, residue, is_amino_acid);
      // Virtual sites of water models; they have charges, but are not atoms.
      if (known.kind == ResidueKind::water && element == 0) {
        ++counts_.virtual_sites;
        continue;
      }
      if (element == 0)
        counts_.without_element.push_back(fmt::format("{} ({})", name_of(residue), row->name));
      residue.atoms.push_back({usual_atom_name(row->name, known), element, row->place, row->formal_charge});
    }
    if (residue.alternatives > 0) {
      residue.equally_occupied = leaves_out_equal(all, chosen);
      (residue.equally_occupied ? counts_.equal_alternatives : counts_.alternatives)
          .push_back(name_of(residue));
      (residue.equally_occupied ? counts_.left_out_of_equal : counts_.left_out) += left_out;
    }
    return residue;
  }

  /// `is_amino_acid`: one that is not known by its name.
  int element_of(const AtomRow& row, const KnownResidue& known, const Residue& residue, bool is_amino_acid) {
    const int by_residue =
        is_amino_acid && row.element > 0 ? element_in_amino_acid(row) : element_in(known, row.name);
    if (by_residue < 0) {
      const int element = element_without_residue(row, left_aligned_);
      if (could_be_of_two_letters(row, element))
        counts_.of_two_letters.push_back(fmt::format("{} ({})", name_of(residue), row.name));
      return element;
    }
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
    say(RemarkKind::dropped, counts_.left_out, "atom", "Alternate locations of lower occupancy were left out",
        counts_.alternatives);
    say(RemarkKind::dropped, counts_.left_out_of_equal, "atom",
        "The first of equally occupied alternate locations was used, and the others were left out",
        counts_.equal_alternatives);
    say(RemarkKind::dropped, counts_.virtual_sites, "site", "Virtual sites of water models were left out",
        {});
    say(RemarkKind::dropped, counts_.drude_particles, "particle",
        "Drude particles, at the places of their atoms, were left out", {});
    say(RemarkKind::dropped, counts_.surplus.size(), "atom",
        "Atoms that repeat a name of their residue without an alternate location were left out",
        counts_.surplus);
    say(RemarkKind::assumed, counts_.of_two_letters.size(), "atom",
        "The file gives no element, and the first letter of the name was taken for it, not the first two",
        counts_.of_two_letters);
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

std::optional<int> formal_charge_of(std::string_view text) {
  const auto is_sign = [](char c) { return c == '+' || c == '-'; };
  if (text.size() != 2) return std::nullopt;
  const char sign = is_sign(text[0]) ? text[0] : text[1], digit = is_sign(text[0]) ? text[1] : text[0];
  if (!is_sign(sign) || digit < '0' || digit > '9') return std::nullopt;
  return sign == '-' ? '0' - digit : digit - '0';
}

void letter_all_alternatives(std::vector<AtomRow>& atoms) {
  const auto are_together = [](const AtomRow& one, const AtomRow& other) {
    return one.residue == other.residue && one.number == other.number && one.insertion == other.insertion &&
           one.is_numbered && other.is_numbered && one.chain == other.chain && one.part == other.part &&
           one.model == other.model;
  };
  for (std::size_t first = 0, end = 0; first < atoms.size(); first = end) {
    std::set<std::string> names;
    std::set<char> letters;
    for (end = first; end < atoms.size() && are_together(atoms[first], atoms[end]); ++end) {
      if (atoms[end].alternative == ' ') continue;
      names.insert(name_with_hydrogen(atoms[end].name));
      letters.insert(atoms[end].alternative);
    }
    if (end == first) ++end;  // without a number
    char letter = 'A';
    while (letters.contains(letter)) ++letter;
    for (std::size_t i = first; i < end && !names.empty(); ++i) {
      if (atoms[i].alternative == ' ' && names.contains(name_with_hydrogen(atoms[i].name)))
        atoms[i].alternative = letter;
    }
  }
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

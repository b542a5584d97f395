// The PDB format: https://www.wwpdb.org/documentation/file-format, and other programs' use of its columns.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/text.h"
#include "core/molecules/atom_rows.h"
#include "core/molecules/crystal_cell.h"
#include "core/molecules/element.h"
#include "core/molecules/residue_numbers.h"

namespace isolume::molecules {
namespace {

constexpr std::string_view correct_line = "Copy the file again, or correct that line.";

/// Columns from 1, both inclusive; shorter if the line is.
std::string_view pdb_columns(std::string_view line, std::size_t first, std::size_t last) {
  return first > line.size() ? std::string_view() : line.substr(first - 1, last - first + 1);
}

bool is_pdb_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool is_pdb_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The first six columns in capitals, as some programs write them in small letters.
std::string record_of(std::string_view line) {
  return upper_case(line.substr(0, 6));
}

bool is_pdb_atom(std::string_view record) {
  if (record == "HETATM") return true;
  return record.starts_with("ATOM") && record.size() > 4 &&
         (record[4] == ' ' || record[4] == '\t' || is_pdb_digit(record[4]));
}

/// A letter in column 79, where charges begin with a digit, means that elements stand further right than they belong.
bool is_element_displaced(std::string_view line) {
  const auto behind = pdb_columns(line, 79, 79);
  return !behind.empty() && is_pdb_letter(behind.front());
}

/// Columns 77 and 78. Entries before 1996 have their code and line numbers there.
int stated_element(std::string_view line) {
  if (is_element_displaced(line)) return 0;
  const auto told = trimmed(pdb_columns(line, 77, 78));
  const bool letters = !told.empty() && std::ranges::all_of(told, is_pdb_letter);
  return letters ? std::max(0, atomic_number(told)) : 0;
}

/// Columns 18 to 20 and 22; a fourth letter in column 21 belongs to the residue, as AMBER and CHARMM write it (TIP3),
/// or is the first of a chain's two letters.
std::pair<std::string_view, std::string_view> residue_and_chain(std::string_view line) {
  const auto three = trimmed(pdb_columns(line, 18, 20)), four = trimmed(pdb_columns(line, 18, 21));
  const auto chain = trimmed(pdb_columns(line, 22, 22));
  const bool is_chain =
      line[20] != ' ' && !chain.empty() && is_listed_residue(three) && !is_listed_residue(four);
  return is_chain ? std::pair(three, trimmed(pdb_columns(line, 21, 22))) : std::pair(four, chain);
}

/// Segment name of X-PLOR and CHARMM in columns 73 to 76, used instead of the chain name. Codes of entries begin with
/// a digit.
std::string_view segment(std::string_view line) {
  const auto found = pdb_columns(line, 73, 76);
  return found.empty() || !is_pdb_letter(found.front()) ? std::string_view() : trimmed(found);
}

/// End of a helix or strand: the number of a residue, with its insertion code in the following column. Nothing if
/// that is not a number.
std::optional<SecondaryRange::End> pdb_end(std::string_view line, std::size_t column) {
  const auto number = ResidueNumbers().read(trimmed(pdb_columns(line, column, column + 3)));
  if (!number) return std::nullopt;
  const auto insertion = pdb_columns(line, column + 4, column + 4);
  return SecondaryRange::End{static_cast<int>(*number), insertion.empty() ? ' ' : insertion.front()};
}

/// A HELIX or SHEET record; nothing if its ends are not stated.
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

class PdbRows {
 public:
  explicit PdbRows(LineReader& file) : file_(file) {}

  AtomRows read() {
    while (file_.next()) take_line(file_.line());
    join_parts_that_are_no_models();
    letter_all_alternatives(found_.atoms);
    found_.assemblies = assemblies_.found(found_.remarks);
    add_remarks();
    return std::move(found_);
  }

 private:
  /// From one record MODEL, ENDMDL or END to the next.
  struct Stretch {
    std::size_t first = 0;  ///< row
    bool is_model = false;  ///< a record MODEL begins it
    std::optional<long> number = {};
  };

  void take_line(std::string_view line) {
    const std::string record = record_of(line);
    if (is_pdb_atom(record)) return take_atom(record == "HETATM");
    if (record.starts_with("MODEL")) {
      stretches_.push_back({found_.atoms.size(), true, parse_integer(trimmed(pdb_columns(line, 6, 80)))});
      begin_stretch();
    } else if (record == "ENDMDL" || trimmed(record) == "END") {
      is_open_ = false;
    } else if (record.starts_with("TER") && (record.size() == 3 || !is_pdb_letter(record[3]))) {
      ++part_;
    } else if (record == "CRYST1") {
      take_cell();
    } else if (line.starts_with("TITLE ") && line.size() > 10) {
      found_.title += (found_.title.empty() ? "" : " ") + std::string(trimmed(line.substr(10)));
    } else if (line.starts_with("REMARK 350")) {
      assemblies_.take(line);
    } else if (line.starts_with("HELIX ") || line.starts_with("SHEET ")) {
      const auto range = pdb_secondary(line);
      if (range) found_.secondary.push_back(*range);
      all_ranges_read_ &= range.has_value();
    }
  }
  /// Takes the cell of the first frame; frames may have different ones.
  void take_cell() {
    const auto cell = pdb_cell(file_, found_.remarks);
    if (!found_.cell) {
      found_.cell = cell;
    } else if (cell && *cell != *found_.cell) {
      found_.remarks.dropped(
          "Cells (CRYST1) of later models differ from the first one, which is used for all.");
    }
  }
  void begin_stretch() {
    is_open_ = true;
    part_ = 0;
    numbers_.restart();
  }

  void take_atom(bool is_hetero) {
    if (!is_open_) {
      stretches_.push_back({found_.atoms.size()});
      begin_stretch();
    }
    const auto line = file_.line();
    if (line.size() < 54)
      file_.fail(fmt::format("the line of an atom ends in column {}, but coordinates reach to column 54",
                             line.size()),
                 correct_line);
    if (line.substr(0, 54).find('\t') != line.npos)
      file_.fail("the line of an atom has tabs in place of spaces, which moves its columns",
                 "Replace each tab by the spaces that it stands for.");
    AtomRow row;
    row.name = trimmed(pdb_columns(line, 13, 16));
    row.element = stated_element(line);
    displaced_elements_ += is_element_displaced(line) ? 1 : 0;
    take_formal_charge(line, row);
    const auto [residue, chain] = residue_and_chain(line);
    row.residue = residue;
    row.chain = chain;
    name_what_has_no_name(row);
    row.is_hetero = is_hetero;
    row.begins_with_symbol = is_pdb_letter(line[12]);
    take_number(line, row);
    constexpr std::string_view axes = "xyz";
    for (std::size_t axis = 0; axis < 3; ++axis)
      row.place[static_cast<Eigen::Index>(axis)] =
          coordinate(trimmed(pdb_columns(line, 31 + 8 * axis, 38 + 8 * axis)), axes.substr(axis, 1), file_);
    row.alternative = line[16];
    // Only needed for alternate locations, and some programs write other data there.
    const auto occupancy = trimmed(pdb_columns(line, 55, 60));
    if (row.alternative != ' ' && !occupancy.empty()) {
      row.occupancy = file_.real(occupancy, "the occupancy");
    } else {
      row.occupancy = parse_real(occupancy).value_or(1);
    }
    row.is_unoccupied = parse_real(occupancy) == 0.0;
    row.part = std::to_string(part_);
    if (row.chain.empty()) row.part += segment(line);
    found_.atoms.push_back(std::move(row));
  }
  /// Columns 79 and 80. Without an element before them they hold something else, such as the numbers of lines.
  void take_formal_charge(std::string_view line, AtomRow& row) {
    const auto text = trimmed(pdb_columns(line, 79, 80));
    if (row.element == 0 || text.empty() || text == "0") return;
    const auto charge = formal_charge_of(text);
    row.formal_charge = charge.value_or(0);
    unread_charges_ += charge ? 0 : 1;
  }
  void take_number(std::string_view line, AtomRow& row) {
    // Five digits if GROMACS and others have more residues than fit into the columns.
    const bool is_long = is_pdb_digit(line[26]);
    const auto word = trimmed(pdb_columns(line, 23, is_long ? 27 : 26));
    row.insertion = is_long ? ' ' : line[26];
    row.is_numbered = !is_number_missing(word);
    if (!row.is_numbered) return;
    const auto number = numbers_.read(word);
    if (!number)
      file_.fail(fmt::format("{} is not the number of a residue (columns 23 to 26)", quoted(word)),
                 correct_line);
    row.number = static_cast<int>(*number);
  }
  void name_what_has_no_name(AtomRow& row) {
    if (row.name.empty() && row.element == 0)
      file_.fail("the atom has no name (columns 13 to 16)", correct_line);
    if (row.name.empty()) row.name = molecules::element(row.element).symbol;
    if (!row.residue.empty()) return;
    row.residue = "UNL";
    ++without_residue_;
  }

  std::size_t end_of(std::size_t stretch) const {
    return stretch + 1 < stretches_.size() ? stretches_[stretch + 1].first : found_.atoms.size();
  }
  bool are_frames(std::size_t one, std::size_t other) const {
    const auto names = [](const AtomRow& row) { return std::tie(row.name, row.residue); };
    return std::equal(found_.atoms.begin() + static_cast<std::ptrdiff_t>(stretches_[one].first),
                      found_.atoms.begin() + static_cast<std::ptrdiff_t>(end_of(one)),
                      found_.atoms.begin() + static_cast<std::ptrdiff_t>(stretches_[other].first),
                      found_.atoms.begin() + static_cast<std::ptrdiff_t>(end_of(other)),
                      [&](const auto& a, const auto& b) { return names(a) == names(b); });
  }
  /// Parts without MODEL are frames if all have the same atoms, as programs write trajectories; otherwise
  /// concatenated files.
  void join_parts_that_are_no_models() {
    std::erase_if(stretches_, [&](const auto& each) { return each.first == found_.atoms.size(); });
    std::set<int> taken;
    std::size_t joined = 0;
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
      const auto& stretch = stretches_[i];
      const bool is_model = i == 0 || stretch.is_model || are_frames(i - 1, i);
      if (is_model) found_.models.push_back(free_number(stretch, taken));
      if (!is_model) joined += end_of(i) - stretch.first;
      for (std::size_t at = stretch.first; at < end_of(i); ++at) {
        auto& row = found_.atoms[at];
        row.model = found_.models.size() - 1;
        if (!is_model) row.part = fmt::format("{}/{}", i, row.part);
      }
    }
    if (joined > 0)
      found_.remarks.assumed(fmt::format("Atoms after END or ENDMDL differ from those before it and were "
                                         "read as one structure with them: {}.",
                                         joined),
                             joined);
  }
  int free_number(const Stretch& stretch, std::set<int>& taken) {
    const int next = taken.empty() ? 1 : *taken.rbegin() + 1;
    const bool is_stated = stretch.number && *stretch.number >= 0 && *stretch.number <= 99'999'999;
    const int wanted = is_stated ? static_cast<int>(*stretch.number) : next;
    const bool is_free = taken.insert(wanted).second;
    if (is_free && (is_stated || !stretch.is_model)) return wanted;
    ++renumbered_models_;
    if (is_free) return wanted;
    taken.insert(next);
    return next;
  }

  void add_remarks() {
    auto& remarks = found_.remarks;
    if (renumbered_models_ > 0)
      remarks.assumed(
          fmt::format("Models without a number of their own were numbered on: {}.", renumbered_models_),
          renumbered_models_);
    if (without_residue_ > 0)
      remarks.assumed(
          fmt::format("Atoms without the name of a residue are in residue UNL: {}.", without_residue_),
          without_residue_);
    if (unread_charges_ > 0)
      remarks.dropped(
          fmt::format(
              "Formal charges in columns 79 and 80 need a digit and a sign, as in 2+; others were not "
              "used: {}.",
              unread_charges_),
          unread_charges_);
    if (displaced_elements_ > 0)
      remarks.dropped(
          fmt::format(
              "Elements that do not stand in columns 77 and 78 were not read, and the atoms' names give "
              "them: {}.",
              displaced_elements_),
          displaced_elements_);
    if (all_ranges_read_) return;
    // Incomplete records would turn the missing ones into loops, and all can be assigned from the atoms.
    found_.secondary.clear();
    remarks.dropped(
        "The HELIX and SHEET records cannot be read; secondary structure is assigned from the atoms.");
  }

  LineReader& file_;
  AtomRows found_;
  std::vector<Stretch> stretches_;
  ResidueNumbers numbers_;
  PdbAssemblies assemblies_;
  bool is_open_ = false, all_ranges_read_ = true;
  int part_ = 0;
  std::size_t without_residue_ = 0, renumbered_models_ = 0, displaced_elements_ = 0, unread_charges_ = 0;
};

}  // namespace

std::optional<Eigen::Matrix3d> pdb_cell(const LineReader& file, Remarks& remarks) {
  constexpr std::array<std::pair<std::size_t, std::size_t>, 6> columns{
      {{7, 15}, {16, 24}, {25, 33}, {34, 40}, {41, 47}, {48, 54}}};
  std::array<double, 6> numbers{};
  for (std::size_t i = 0; i < 6; ++i) {
    const auto value = parse_real(trimmed(pdb_columns(file.line(), columns[i].first, columns[i].second)));
    if (!value) {
      remarks.dropped(
          fmt::format("Line {}: CRYST1 does not give three lengths and three angles in columns 7 to 54; the "
                      "structure has no cell.",
                      file.line_number()));
      return std::nullopt;
    }
    numbers[i] = *value;
  }
  const Eigen::Vector3d lengths(numbers[0], numbers[1], numbers[2]);
  const auto cell = crystal_cell(lengths, {numbers[3], numbers[4], numbers[5]});
  // Entries without a crystal, and programs without a box, write lengths of 1 or 0.
  if (!cell && (lengths.array() != 0 && lengths.array() != 1).any())
    remarks.dropped(
        fmt::format("Line {}: no cell has the lengths and angles of CRYST1 ({}); the structure has no cell.",
                    file.line_number(), fmt::join(numbers, ", ")));
  return cell;
}

AtomRows read_pdb_rows(LineReader& file) {
  return PdbRows(file).read();
}

}  // namespace isolume::molecules

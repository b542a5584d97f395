// MOL and SDF files, V2000 and V3000: BIOVIA, CTfile formats. Geometry only; the records of an SDF become frames.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/molecules/element.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

struct Record {
  Molecule molecule;
  bool flat = false;  ///< two-dimensional coordinates of a drawing
  bool ends = false;  ///< with the line "M  END"
};

constexpr std::string_view damaged = "The file is truncated or damaged: copy or export it again.";

/// The numbers of atoms and bonds that a file announces, and the line where it does.
struct Counts {
  std::size_t atoms = 0, bonds = 0, line = 0;

  std::string text() const {
    return fmt::format("line {} announces {} atoms and {} bonds", line, atoms, bonds);
  }
};

/// The characters of a fixed column, or what a shorter line has of them.
std::string_view column(std::string_view line, std::size_t start, std::size_t width) {
  return trimmed(line.substr(std::min(start, line.size()), width));
}

int charge_of_atom(std::string_view word, const LineReader& reader) {
  return static_cast<int>(reader.integer(word, "charge of an atom", -99, 99));
}

Atom make_atom(std::string_view symbol, const std::array<std::string_view, 3>& place,
               const LineReader& reader) {
  Atom atom;
  const bool heavy_hydrogen = symbol == "D" || symbol == "T";
  atom.atomic_number = heavy_hydrogen ? 1 : atomic_number(symbol);
  if (atom.atomic_number < 0) reader.fail(fmt::format("expected an element, found {}", quoted(symbol)));
  atom.nuclear_charge = atom.atomic_number;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    atom.position_bohr[static_cast<Eigen::Index>(axis)] =
        reader.real(place[axis], "coordinate") * units::bohr_per_angstrom;
  }
  return atom;
}

/// A number of the line of counts; a missing one is zero.
std::size_t announced(const LineReader& reader, std::size_t start, std::string_view what,
                      std::size_t bytes_each) {
  const std::string_view word = column(reader.line(), start, 3);
  return word.empty() ? 0 : reader.count(word, what, bytes_each);
}

/// Two atoms in columns of three characters, "  1  2  1  0"; some programs do not keep to the columns.
void check_bond(LineReader& reader, std::size_t bond, const Counts& counts) {
  const auto& words = reader.words();
  auto first = parse_integer(column(reader.line(), 0, 3)),
       second = parse_integer(column(reader.line(), 3, 3));
  if ((!first || !second) && words.size() > 1) {
    first = parse_integer(words[0]);
    second = parse_integer(words[1]);
  }
  if (!first || !second) {
    reader.fail(fmt::format("expected bond {} of {} (the numbers of two atoms), found {}, but {}", bond,
                            counts.bonds, quoted(trimmed(reader.line())), counts.text()),
                damaged);
  }
  for (const long atom : {*first, *second}) {
    if (atom < 1 || atom > static_cast<long>(counts.atoms))
      reader.fail(fmt::format("bond {} belongs to atom {}, but {}", bond, atom, counts.text()), damaged);
  }
}

/// "M  CHG  2   1   1   4  -1": a number of pairs of an atom and its charge. Returns the sum of the charges.
int sum_of_charges(LineReader& reader, const Counts& counts) {
  const auto& words = reader.words();
  const long pairs = words.size() > 2 ? reader.integer(words[2], "number of charges") : -1;
  if (pairs < 0 || words.size() != 3 + 2 * static_cast<std::size_t>(pairs)) {
    reader.fail(
        fmt::format("expected \"M  CHG\", a number and as many pairs of an atom and its charge, found {}",
                    quoted(trimmed(reader.line()))),
        damaged);
  }
  int sum = 0;
  for (std::size_t i = 3; i < words.size(); i += 2) {
    const long atom = reader.integer(words[i], "number of the atom");
    if (atom < 1 || atom > static_cast<long>(counts.atoms))
      reader.fail(fmt::format("a charge (M  CHG) belongs to atom {}, but {}", atom, counts.text()), damaged);
    sum += charge_of_atom(words[i + 1], reader);
  }
  return sum;
}

/// Lines after the bonds, to "M  END". Returns whether that line was found.
bool read_properties(LineReader& reader, const Counts& counts, int& charge) {
  bool replaced = false;
  while (reader.next()) {
    const std::string_view line = reader.line();
    if (line.starts_with("M  END")) return true;
    if (line.starts_with("$$$$") || line.starts_with('>')) {
      reader.push_back();
      return false;
    }
    if (line.starts_with("A  ") || line.starts_with("G  ")) {
      reader.require("the text of an atom or a group");
    } else if (line.starts_with("M  CHG")) {
      if (!replaced) charge = 0;
      replaced = true;
      charge += sum_of_charges(reader, counts);
    } else if (const auto& words = reader.words(); !words.empty() && parse_real(words.front())) {
      // Further atoms or bonds; unknown properties begin with a letter.
      reader.fail(fmt::format("expected a property (M  ...) or M  END, found {}, but {}",
                              quoted(trimmed(line)), counts.text()),
                  damaged);
    }
  }
  return false;
}

/// Fixed columns: x, y and z of ten characters, a blank, the element.
void read_v2000(LineReader& reader, Record& record) {
  // Codes in columns 37 to 39; lines "M  CHG" override them.
  static constexpr std::array<int, 8> charges{0, 3, 2, 1, 0, -1, -2, -3};
  constexpr std::size_t shortest_line = 6;
  const Counts counts{reader.count(column(reader.line(), 0, 3), "number of atoms", 10),
                      announced(reader, 3, "number of bonds", shortest_line), reader.line_number()};
  // Obsolete parts of the format: lists of elements, one line each, and texts of two lines.
  const std::size_t obsolete = announced(reader, 6, "number of lists of elements", shortest_line) +
                               2 * announced(reader, 15, "number of texts", 1);
  int charge = 0;
  for (std::size_t i = 0; i < counts.atoms; ++i) {
    reader.require(fmt::format("atom {} of {}", i + 1, counts.atoms));
    const std::string_view line = reader.line();
    if (line.size() < 32) {
      reader.fail(fmt::format("expected atom {} of {} (x, y, z, element), found {}, but {}", i + 1,
                              counts.atoms, quoted(trimmed(line)), counts.text()),
                  damaged);
    }
    record.molecule.atoms.push_back(make_atom(
        column(line, 31, 3), {column(line, 0, 10), column(line, 10, 10), column(line, 20, 10)}, reader));
    const auto code = parse_integer(column(line, 36, 3));
    if (code && *code > 0 && *code < 8) charge += charges[static_cast<std::size_t>(*code)];
  }
  for (std::size_t i = 0; i < counts.bonds; ++i) {
    reader.require(fmt::format("bond {} of {}", i + 1, counts.bonds));
    check_bond(reader, i + 1, counts);
  }
  for (std::size_t i = 0; i < obsolete; ++i) reader.require("a list of elements or a text");
  record.ends = read_properties(reader, counts, charge);
  record.molecule.charge = charge;
}

/// The lines "M  V30 ..." of a record without that beginning; one that ends in "-" continues in the next.
class LinesOfV3000 {
 public:
  explicit LinesOfV3000(LineReader& reader) : reader_(reader) {}

  /// False at the end of the record.
  bool next() {
    while (reader_.next()) {
      ends_ = reader_.line().starts_with("M  END");
      if (ends_) return false;
      if (reader_.line().starts_with("$$$$")) {
        reader_.push_back();
        return false;
      }
      if (!is_v30()) continue;
      text_ = rest();
      while (text_.ends_with('-')) {
        text_.pop_back();
        reader_.require("the rest of a line that ends in \"-\"");
        if (!is_v30()) reader_.fail("expected the rest of the line before, which ends in \"-\"", damaged);
        text_ += rest();
      }
      split_words(text_, words_);
      if (!words_.empty()) return true;
    }
    return false;
  }
  /// Valid until the next call of `next`.
  const std::vector<std::string_view>& words() const { return words_; }
  /// Whether the record ended with "M  END".
  bool ends() const { return ends_; }

 private:
  bool is_v30() {
    const auto& words = reader_.words();
    return words.size() > 1 && words[0] == "M" && words[1] == "V30";
  }
  std::string_view rest() const {
    std::string_view line = reader_.line();
    line.remove_prefix(line.find("V30") + 3);
    if (line.starts_with(' ')) line.remove_prefix(1);
    return line.substr(0, line.find_last_not_of(" \t") + 1);
  }

  LineReader& reader_;
  std::string text_;
  std::vector<std::string_view> words_;
  bool ends_ = false;
};

/// What a record of V3000 lists. Its atoms have numbers in any order.
struct ListsOfV3000 {
  std::set<long> atoms;
  std::vector<std::array<long, 2>> bonds;
  std::vector<std::size_t> bond_lines;
};

/// "1 C 1.2 0.3 -0.5 0 CHG=1". Returns the charge.
int add_atom(const std::vector<std::string_view>& words, const LineReader& reader, ListsOfV3000& lists,
             Molecule& molecule) {
  if (words.size() < 5) reader.fail("expected an atom (number, element, x, y, z)", damaged);
  const long number = reader.integer(words[0], "number of the atom");
  if (!lists.atoms.insert(number).second)
    reader.fail(fmt::format("the file lists atom {} twice", number), damaged);
  molecule.atoms.push_back(make_atom(words[1], {words[2], words[3], words[4]}, reader));
  int charge = 0;
  for (const std::string_view word : words) {
    if (word.starts_with("CHG=")) charge += charge_of_atom(word.substr(4), reader);
  }
  return charge;
}

void check_counts(const Counts& counts, const ListsOfV3000& lists, const LineReader& reader) {
  if (counts.line == 0) reader.fail("the structure lacks the line COUNTS", damaged);
  const auto compare = [&](std::size_t found, std::size_t promised, std::string_view what) {
    if (found != promised) {
      reader.fail_at(counts.line,
                     fmt::format("the structure has {} {}, but {} are announced here", found, what, promised),
                     damaged);
    }
  };
  compare(lists.atoms.size(), counts.atoms, "atoms");
  compare(lists.bonds.size(), counts.bonds, "bonds");
  for (std::size_t i = 0; i < lists.bonds.size(); ++i) {
    for (const long atom : lists.bonds[i]) {
      if (!lists.atoms.contains(atom)) {
        reader.fail_at(lists.bond_lines[i],
                       fmt::format("the bond belongs to atom {}, but there is no such atom", atom), damaged);
      }
    }
  }
}

void read_v3000(LineReader& reader, Record& record) {
  enum class Block { other, atoms, bonds };
  Block block = Block::other;
  Counts counts;
  ListsOfV3000 lists;
  int charge = 0;
  LinesOfV3000 lines(reader);
  while (lines.next()) {
    const auto& words = lines.words();
    if (words[0] == "BEGIN" && words.size() > 1) {
      block = words[1] == "ATOM" ? Block::atoms : words[1] == "BOND" ? Block::bonds : Block::other;
      if (words[1] == "CTAB" && counts.line != 0)
        reader.fail("a second table of atoms (of an R-group or a template) is not supported",
                    "Export the structure without R-groups and templates.");
    } else if (words[0] == "END") {
      block = Block::other;
    } else if (words[0] == "COUNTS" && words.size() > 2) {
      counts = {reader.count(words[1], "number of atoms", 10), reader.count(words[2], "number of bonds", 6),
                reader.line_number()};
    } else if (block == Block::atoms) {
      charge += add_atom(words, reader, lists, record.molecule);
    } else if (block == Block::bonds) {
      if (words.size() < 4) reader.fail("expected a bond (number, order, two atoms)", damaged);
      lists.bonds.push_back(
          {reader.integer(words[2], "atom of a bond"), reader.integer(words[3], "atom of a bond")});
      lists.bond_lines.push_back(reader.line_number());
    }
  }
  check_counts(counts, lists, reader);
  record.ends = lines.ends();
  record.molecule.charge = charge;
}

/// One record, after its title.
Record read_record(LineReader& reader) {
  Record record;
  record.molecule.title = trimmed(reader.line());
  reader.require("the line of the program");
  record.flat = reader.line().size() >= 22 && reader.line().substr(20, 2) == "2D";
  reader.require("the line of comment");
  reader.require("the line of counts");
  const std::string_view counts = trimmed(reader.line());
  if (counts.ends_with("V3000")) {
    read_v3000(reader, record);
  } else if (counts.ends_with("V2000")) {
    read_v2000(reader, record);
  } else {
    reader.fail(fmt::format("expected the counts of a MOL file (V2000 or V3000), found {}", quoted(counts)));
  }
  if (record.molecule.atoms.empty()) reader.fail("a structure without atoms");
  return record;
}

/// To the title of the next record; false at the end of the file.
bool next_record(LineReader& reader) {
  while (reader.next()) {
    if (!reader.line().starts_with("$$$$")) continue;
    if (!reader.next() || reader.remaining() == 0) return false;
    // Blank lines at the end of the file are not a record.
    std::size_t blank = 0;
    LineReader ahead = reader;
    while (trimmed(ahead.line()).empty() && ahead.next()) ++blank;
    return blank < 4;
  }
  return false;
}

}  // namespace

/// The fourth line ends in the version; the first line may be a number as in XYZ.
bool looks_like_sdf(std::string_view text) {
  LineReader reader({}, text.substr(0, 2000), {});
  for (int line = 0; line < 4; ++line) {
    if (!reader.next()) return false;
  }
  const std::string_view last = trimmed(reader.line());
  return last.ends_with("V2000") || last.ends_with("V3000");
}

FileContents read_sdf(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  FileContents contents;
  reader.require("the title");
  Record record = read_record(reader);
  if (record.flat) {
    contents.document.remarks.warn(
        "The coordinates are those of a drawing (2D), not of a molecule in space.");
  }
  std::size_t without_end = record.ends ? 0 : 1;
  contents.document.molecule = std::move(record.molecule);
  while (next_record(reader)) {
    record = read_record(reader);
    if (!record.ends) ++without_end;
    contents.document.frames.push_back(std::move(record.molecule));
  }
  if (without_end > 0) {
    contents.document.remarks.warn(fmt::format(
        "{} of {} structures lack their last line (M  END). They have the atoms and bonds that they "
        "announce, but charges may be missing: compare the file with the original.",
        without_end, 1 + contents.document.frames.size()));
  }
  return contents;
}

}  // namespace isolume::molecules

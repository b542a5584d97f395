// MOL and SDF files, V2000 and V3000: BIOVIA, CTfile formats. Geometry only; the records of an SDF become frames.
#include <array>
#include <optional>
#include <string>

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
};

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

/// Fixed columns: x, y and z of ten characters, a blank, the element.
void read_v2000(LineReader& reader, std::size_t count, Molecule& molecule) {
  // Codes in columns 37 to 39; lines "M  CHG" override them.
  static constexpr std::array<int, 8> charges{0, 3, 2, 1, 0, -1, -2, -3};
  int charge = 0;
  for (std::size_t i = 0; i < count; ++i) {
    reader.require(fmt::format("atom {} of {}", i + 1, count));
    const std::string_view line = reader.line();
    if (line.size() < 32) reader.fail("expected an atom (x, y, z, element)");
    molecule.atoms.push_back(make_atom(
        trimmed(line.substr(31, 3)),
        {trimmed(line.substr(0, 10)), trimmed(line.substr(10, 10)), trimmed(line.substr(20, 10))}, reader));
    const auto code = line.size() > 38 ? parse_integer(trimmed(line.substr(36, 3))) : std::nullopt;
    if (code && *code > 0 && *code < 8) charge += charges[static_cast<std::size_t>(*code)];
  }
  bool replaced = false;
  while (reader.next() && !reader.line().starts_with("M  END")) {
    if (reader.line().starts_with("$$$$")) return reader.push_back();
    if (!reader.line().starts_with("M  CHG")) continue;
    if (!replaced) charge = 0;
    replaced = true;
    const auto& words = reader.words();
    for (std::size_t i = 4; i < words.size(); i += 2)
      charge += static_cast<int>(reader.integer(words[i], "charge of an atom", -99, 99));
  }
  molecule.charge = charge;
}

/// "M  V30 1 C 1.2 0.3 -0.5 0 CHG=1"; a line that ends in "-" goes on in the next.
void read_v3000(LineReader& reader, Molecule& molecule) {
  bool atoms = false;
  int charge = 0;
  while (reader.next() && !reader.line().starts_with("M  END")) {
    if (reader.line().starts_with("$$$$")) return reader.push_back();
    const auto& words = reader.words();
    if (words.size() < 4 || words[1] != "V30") continue;
    if (words[3] == "ATOM" && (words[2] == "BEGIN" || words[2] == "END")) {
      atoms = words[2] == "BEGIN";
    } else if (atoms) {
      if (words.size() < 7) reader.fail("expected an atom (number, element, x, y, z)");
      molecule.atoms.push_back(make_atom(words[3], {words[4], words[5], words[6]}, reader));
      for (const std::string_view word : words) {
        if (word.starts_with("CHG="))
          charge += static_cast<int>(reader.integer(word.substr(4), "charge of an atom", -99, 99));
      }
    }
  }
  molecule.charge = charge;
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
    read_v3000(reader, record.molecule);
  } else if (counts.ends_with("V2000")) {
    const std::string number(trimmed(reader.line().substr(0, 3)));
    read_v2000(reader, reader.count(number, "number of atoms", 10), record.molecule);
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
  contents.document.molecule = std::move(record.molecule);
  while (next_record(reader)) contents.document.frames.push_back(read_record(reader).molecule);
  return contents;
}

}  // namespace isolume::molecules

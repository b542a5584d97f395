// Structures of the Protein Data Bank: https://www.wwpdb.org/documentation/file-format. Geometry alone.
#include <algorithm>
#include <string>
#include <unordered_set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/molecules/element.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

std::string_view columns(std::string_view line, std::size_t first, std::size_t count) {
  return first > line.size() ? std::string_view() : line.substr(first - 1, count);
}

bool is_atom(std::string_view line) {
  return line.starts_with("ATOM  ") || line.starts_with("HETATM");
}

/// The element of columns 77 and 78; older files leave it to the atom's name, whose first two columns are the
/// symbol: "CA  " is calcium, " CA " is a carbon. Names of four letters that begin with H are hydrogens.
int element_of(std::string_view line) {
  const std::string_view told = trimmed(columns(line, 77, 2));
  const bool letters = !told.empty() && told.find_first_of("0123456789+-") == std::string_view::npos;
  if (letters) {
    if (told == "D" || told == "T") return 1;
    if (const int number = atomic_number(told); number >= 0) return number;
  }
  const std::string_view name = columns(line, 13, 4);
  const std::string_view symbol = trimmed(name.substr(0, std::min<std::size_t>(2, name.size())));
  const bool hydrogen = trimmed(name).size() == 4 && (name.front() == 'H' || name.front() == 'D');
  const std::size_t letter = name.find_first_not_of(" 0123456789");
  if (letter == std::string_view::npos) return -1;
  if (hydrogen || name[letter] == 'D') return 1;
  if (letter == 0 && symbol.size() == 2) {
    if (const int number = atomic_number(symbol); number > 0) return number;
  }
  return atomic_number(name.substr(letter, 1));
}

Atom read_atom(const LineReader& reader) {
  const std::string_view line = reader.line();
  if (line.size() < 54)
    reader.fail("expected the coordinates of an atom in columns 31 to 54, but the line is shorter");
  Atom atom;
  atom.atomic_number = element_of(line);
  if (atom.atomic_number < 0)
    reader.fail(fmt::format("expected an element in columns 77 and 78, found {}",
                            quoted(trimmed(columns(line, 13, 4)))));
  atom.nuclear_charge = atom.atomic_number;
  for (int axis = 0; axis < 3; ++axis) {
    const auto first = static_cast<std::size_t>(31 + 8 * axis);
    atom.position_bohr[axis] =
        reader.real(trimmed(columns(line, first, 8)), "coordinate") * units::bohr_per_angstrom;
  }
  return atom;
}

}  // namespace

bool looks_like_pdb(std::string_view text) {
  static const std::filesystem::path nowhere;
  const jobs::Progress progress;
  LineReader reader(nowhere, text, progress);
  while (reader.next()) {
    const std::string_view line = reader.line();
    if (line.size() < 54 || !is_atom(line)) continue;
    bool placed = true;
    for (const std::size_t column : {30, 38, 46})
      placed = placed && parse_real(trimmed(line.substr(column, 8))).has_value();
    if (placed) return true;
  }
  return text.starts_with("HEADER    ") && text.find("\nREMARK") != std::string_view::npos;
}

FileContents read_pdb(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  FileContents contents;
  Document& document = contents.document;
  std::string title;
  Molecule model;
  std::unordered_set<std::string> alternatives;
  std::size_t left_out = 0;
  const auto finish_model = [&] {
    alternatives.clear();
    if (model.atoms.empty()) return;
    model.title = title;
    if (document.molecule.atoms.empty()) {
      document.molecule = std::move(model);
    } else {
      document.frames.push_back(std::move(model));
    }
    model = {};
  };
  while (reader.next()) {
    const std::string_view line = reader.line();
    if (line.starts_with("TITLE ") && line.size() > 10) {
      title += (title.empty() ? "" : " ") + std::string(trimmed(line.substr(10)));
    } else if (line.starts_with("ENDMDL") || line.starts_with("MODEL ")) {
      finish_model();
    } else if (is_atom(line)) {
      const Atom atom = read_atom(reader);
      // Of alternative positions the first one counts.
      const std::string_view alternative = columns(line, 17, 1);
      const std::string name = fmt::format("{}{}", columns(line, 13, 4), columns(line, 22, 6));
      if (alternative != " " && !alternatives.insert(name).second) {
        ++left_out;
        continue;
      }
      model.atoms.push_back(atom);
    }
  }
  finish_model();
  if (document.molecule.atoms.empty()) reader.fail_at(0, "expected atoms (ATOM, HETATM), found none");
  if (left_out > 0)
    document.warnings.push_back(fmt::format("{} alternative positions of atoms were left out.", left_out));
  return contents;
}

}  // namespace isolume::molecules

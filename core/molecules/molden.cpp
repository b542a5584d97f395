// Molden format: https://www.theochem.ru.nl/molden/molden_format.html, and what programs make of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/molecules/element.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/printed_digits.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

struct AtomLine {
  Atom atom;
  std::string label;
  long number = 0;
};

struct ShellLines {
  Shell shell;
  long atom_number = 0;
  std::size_t line = 0;
};

struct Entry {
  int function = 0;
  double value = 0;
};

struct OrbitalLines {
  Orbital orbital;
  std::size_t first_entry = 0;
  std::size_t line = 0;
  bool has_occupation = false;
  unsigned keys = 0;  ///< bits of the properties seen
};

/// Everything in the file, before sections that may come in any order are brought together.
struct MoldenSections {
  std::string title;
  std::string program;
  std::vector<AtomLine> atoms;
  std::vector<ShellLines> shells;
  std::vector<OrbitalLines> orbitals;
  std::vector<std::size_t> set_starts;  ///< the first orbital of each [MO]
  std::vector<Entry> entries;
  int largest_function = 0;
  std::size_t largest_function_line = 0;
  PrintedDigits coefficient_digits, exponent_digits, contraction_digits, position_digits;
  double bohr_per_position = 1;
  std::map<std::string, bool> tags;               ///< "d" -> spherical
  std::vector<std::pair<long, double>> cores;     ///< atom number, electrons in the core
  std::map<long, double> charges;                 ///< atom number, charge seen ([Pseudo])
  std::map<std::string, double> valence_charges;  ///< element symbol -> charge seen ([Nval])
  bool without_line_end = false;                  ///< the orbitals end with the file, and not in a line end
  bool cut = false;                               ///< the file ends within a line of the orbitals
  std::size_t unreadable_energies = 0;
  std::vector<std::vector<Atom>> geometries;  ///< places alone, of [GEOMETRIES]
  std::size_t further_steps = 0;
  std::vector<std::string> unused;  ///< sections that were not read
  bool aomix = false;               ///< coefficients stand behind atom, element and name of the function
  Remarks remarks;
};

/// The name between brackets in lower case without blanks, when the line opens a section.
std::optional<std::string> section_name(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('[')) return std::nullopt;
  const std::size_t end = line.find(']');
  if (end == std::string_view::npos) return std::nullopt;
  std::string name;
  for (const char c : lower_case(line.substr(1, end - 1))) {
    if (c != ' ' && c != '\t') name += c;
  }
  return name;
}

std::string_view behind_bracket(std::string_view line) {
  return line.substr(line.find(']') + 1);
}

/// Words that nobody asked for are a dialect that is not known: to skip them could mean to read the wrong
/// ones.
void refuse_surplus(LineReader& reader, std::size_t most, std::string_view expected) {
  if (reader.words().size() <= most) return;
  reader.fail(fmt::format("expected {}, found {} words: {}", expected, reader.words().size(),
                          quoted(trimmed(reader.line()))),
              "The file is damaged or written in an unknown dialect: export it with another program.");
}

// --- [Atoms]
// -------------------------------------------------------------------------------------------------------

/// Name and third column together: the column may hold the atomic number, the charge left by an effective
/// core, or 0 for a ghost; the name may be "C", "c", "C12" or a label such as "CA" on a carbon.
Atom make_atom(std::string_view name, double charge, const LineReader& reader) {
  if (!(charge >= 0) || charge > 118) {
    reader.fail(fmt::format("the atomic number is {}, but must lie between 0 and 118", charge));
  }
  Atom atom;
  atom.nuclear_charge = charge;
  const int whole = static_cast<int>(std::lround(charge));
  const int named = atomic_number(name);
  const int first_letter = name.empty() ? -1 : atomic_number(name.substr(0, 1));
  if (whole == 0) {
    atom.atomic_number = 0;
    atom.ghost_of = std::max(named, 0);
  } else if (named == whole || named <= 0 || first_letter == whole) {
    atom.atomic_number = whole;
  } else {
    atom.atomic_number = named > whole ? named : whole;
  }
  return atom;
}

std::vector<AtomLine> read_atoms(LineReader& reader, MoldenSections& sections) {
  std::vector<AtomLine> atoms;
  const std::string unit = lower_case(behind_bracket(reader.line()));
  const double factor = unit.find("ang") != std::string::npos ? units::bohr_per_angstrom : 1;
  sections.bohr_per_position = factor;
  while (reader.next()) {
    if (section_name(reader.line())) {
      reader.push_back();
      break;
    }
    const auto& words = reader.words();
    if (words.empty()) continue;
    if (words.size() < 6) {
      reader.fail(
          fmt::format("expected 6 words (name, number, atomic number, x, y, z), found {}", words.size()));
    }
    refuse_surplus(reader, 6, "6 words (name, number, atomic number, x, y, z)");
    AtomLine line;
    line.label = words[0];
    line.number = reader.integer(words[1], "number of the atom");
    line.atom = make_atom(words[0], reader.real(words[2], "atomic number"), reader);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      line.atom.position_bohr[static_cast<Eigen::Index>(axis)] =
          reader.real(words[3 + axis], "coordinate") * factor;
      sections.position_digits.see(words[3 + axis]);
    }
    atoms.push_back(std::move(line));
  }
  return atoms;
}

/// [GEOMETRIES] XYZ: one after the other a number of atoms, a comment and the atoms, in angstrom. Other kinds are left out.
void read_geometries(LineReader& reader, MoldenSections& sections) {
  const std::string kind = lower_case(behind_bracket(reader.line()));
  if (kind.find("xyz") == std::string::npos) {
    sections.unused.emplace_back(trimmed(reader.line()));
    return;
  }
  while (reader.next()) {
    if (section_name(reader.line())) return reader.push_back();
    if (reader.words().empty()) continue;
    const std::size_t count = reader.count(reader.words()[0], "number of atoms", 7);
    reader.require("a comment");
    std::vector<Atom> geometry(count);
    for (Atom& atom : geometry) {
      reader.require("an atom (symbol, x, y, z)");
      if (reader.words().size() < 4) reader.fail("expected an atom (symbol, x, y, z)");
      for (std::size_t axis = 0; axis < 3; ++axis) {
        atom.position_bohr[static_cast<Eigen::Index>(axis)] =
            reader.real(reader.words()[1 + axis], "coordinate") * units::bohr_per_angstrom;
      }
    }
    sections.geometries.push_back(std::move(geometry));
  }
}

/// [Core]: lines such as "1 : 10", the electrons an effective core of that atom replaces.
void read_cores(LineReader& reader, MoldenSections& sections) {
  while (reader.next()) {
    if (section_name(reader.line())) return reader.push_back();
    std::string plain(reader.line());
    std::replace(plain.begin(), plain.end(), ':', ' ');
    std::vector<std::string_view> words;
    split_words(plain, words);
    if (words.empty()) continue;
    if (words.size() < 2)
      reader.fail("expected the number of an atom and the electrons of its core ([Core])");
    sections.cores.emplace_back(reader.integer(words[0], "number of the atom"),
                                reader.real(words.back(), "number of electrons in the core"));
  }
}

/// [Pseudo]: "Au 1 19", name, atom number and the charge its electrons see.
void read_pseudo(LineReader& reader, MoldenSections& sections) {
  while (reader.next()) {
    if (section_name(reader.line())) return reader.push_back();
    const auto& words = reader.words();
    if (words.empty()) continue;
    if (words.size() < 3) reader.fail("expected the name, the number and the charge of an atom ([Pseudo])");
    sections.charges[reader.integer(words[1], "number of the atom")] =
        reader.real(words[2], "charge of the atom");
  }
}

/// [Nval] of CP2K: element symbol and the charge its electrons see.
void read_valence_charges(LineReader& reader, MoldenSections& sections) {
  while (reader.next()) {
    if (section_name(reader.line())) return reader.push_back();
    const auto& words = reader.words();
    if (words.empty()) continue;
    if (words.size() < 2) reader.fail("expected the symbol of an element and its charge ([Nval])");
    sections.valence_charges[lower_case(words[0])] = reader.real(words[1], "charge of the atoms");
  }
}

// --- [GTO]
// ---------------------------------------------------------------------------------------------------------

/// Angular momenta of a shell label, two for "sp" and "l"; fails for i and beyond.
std::vector<int> shell_kinds(std::string_view word, const LineReader& reader) {
  const std::string label = lower_case(word);
  if (label == "sp" || label == "l") return {0, 1};
  if (label.size() == 1) {
    const std::size_t l = shell_letters.find(label[0]);
    if (l != std::string_view::npos) return {static_cast<int>(l)};
    if (std::string_view("ikmn").find(label[0]) != std::string_view::npos) {
      reader.fail(fmt::format("shells of type {} have an angular momentum above h, which is not supported",
                              quoted(word)),
                  "Use a basis set with functions up to h.");
    }
  }
  reader.fail(fmt::format("expected a shell (s, p, sp, d, f, g or h), found {}", quoted(word)));
}

struct ShellHeader {
  std::optional<std::size_t> primitives;
  double scale = 1;
};

ShellHeader read_shell_header(LineReader& reader) {
  const auto& words = reader.words();
  ShellHeader header;
  if (words.size() > 1) {
    header.primitives = reader.count(words[1], "number of primitives", 4);
    if (*header.primitives == 0) reader.fail("a shell needs at least one primitive");
  }
  if (words.size() > 2) {
    const double scale = reader.real(words[2], "scale factor");
    if (scale > 0) header.scale = scale;  // NWChem writes 0 for "none"
  }
  // Gaussian's own form of the line ends in a zero.
  const bool gaussian = words.size() == 4 && parse_real(words[3]) == 0.0;
  if (!gaussian) refuse_surplus(reader, 3, "3 words (kind of shell, number of primitives, scale factor)");
  return header;
}

void add_primitive(LineReader& reader, std::vector<Shell>& shells, double scale, MoldenSections& sections) {
  const auto& words = reader.words();
  if (words.size() < shells.size() + 1) {
    reader.fail(fmt::format("expected {} numbers (exponent, coefficient), found {}", shells.size() + 1,
                            quoted(trimmed(reader.line()))));
  }
  refuse_surplus(reader, shells.size() + 1,
                 fmt::format("{} numbers (exponent, coefficient)", shells.size() + 1));
  const double exponent = reader.real(words[0], "exponent") * scale * scale;
  if (!(exponent > 0) || !std::isfinite(exponent))
    reader.fail(fmt::format("the exponent {} is not positive", quoted(words[0])));
  sections.exponent_digits.see(words[0]);
  for (std::size_t i = 0; i < shells.size(); ++i) {
    sections.contraction_digits.see(words[i + 1]);
    shells[i].exponents.push_back(exponent);
    shells[i].coefficients.push_back(reader.real(words[i + 1], "contraction coefficient"));
  }
}

/// Segmented forms of general contractions list primitives with a zero coefficient; they cost time and add
/// nothing.
void drop_zero_primitives(Shell& shell) {
  std::size_t kept = 0;
  for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
    if (shell.coefficients[p] == 0) continue;
    shell.exponents[kept] = shell.exponents[p];
    shell.coefficients[kept++] = shell.coefficients[p];
  }
  kept = std::max<std::size_t>(kept, 1);
  shell.exponents.resize(kept);
  shell.coefficients.resize(kept);
}

void read_shell(LineReader& reader, long atom_number, MoldenSections& sections) {
  const std::size_t line = reader.line_number();
  std::vector<Shell> shells;
  for (const int l : shell_kinds(reader.words()[0], reader)) {
    shells.emplace_back();
    shells.back().angular_momentum = l;
  }
  const ShellHeader header = read_shell_header(reader);
  if (header.primitives) {
    for (std::size_t p = 0; p < *header.primitives; ++p) {
      reader.require("a primitive (exponent, coefficient)");
      add_primitive(reader, shells, header.scale, sections);
    }
  } else {
    // Without a count: as long as the lines hold two numbers, the first with a decimal point.
    while (reader.next()) {
      const auto& words = reader.words();
      if (words.size() < 2 || words[0].find('.') == std::string_view::npos || !parse_real(words[0])) {
        reader.push_back();
        break;
      }
      add_primitive(reader, shells, header.scale, sections);
    }
    if (shells.front().exponents.empty()) reader.fail_at(line, "a shell without primitives");
  }
  for (Shell& shell : shells) {
    drop_zero_primitives(shell);
    sections.shells.push_back({std::move(shell), atom_number, line});
  }
}

void read_basis(LineReader& reader, MoldenSections& sections) {
  std::optional<long> atom_number;
  while (reader.next()) {
    if (section_name(reader.line())) return reader.push_back();
    const auto& words = reader.words();
    if (words.empty()) continue;
    if (const auto number = parse_integer(words[0])) {
      refuse_surplus(reader, 2, "2 words (number of the atom, 0)");
      atom_number = *number;
      continue;
    }
    if (!atom_number) reader.fail(fmt::format("expected the number of an atom, found {}", quoted(words[0])));
    read_shell(reader, *atom_number, sections);
  }
}

// --- [MO]
// ----------------------------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 4> property_keys{"sym", "ene", "spin", "occup"};

/// A new orbital begins with the first property of a section or after coefficients, or with a property that
/// was already given.
OrbitalLines& orbital_for_key(unsigned key_bit, const LineReader& reader, MoldenSections& sections) {
  const bool fresh = sections.orbitals.size() == sections.set_starts.back() ||
                     sections.orbitals.back().first_entry < sections.entries.size() ||
                     (sections.orbitals.back().keys & key_bit) != 0;
  if (fresh) {
    OrbitalLines next;
    next.first_entry = sections.entries.size();
    next.line = reader.line_number();
    sections.orbitals.push_back(std::move(next));
  }
  sections.orbitals.back().keys |= key_bit;
  return sections.orbitals.back();
}

std::string_view one_word(std::string_view value, const LineReader& reader, std::string_view what) {
  if (value.find_first_of(" \t") != std::string_view::npos)
    reader.fail(fmt::format("expected one number ({}), found {}", what, quoted(value)));
  return value;
}

void read_property(std::string_view key_text, std::string_view value, const LineReader& reader,
                   MoldenSections& sections) {
  const std::string key = lower_case(trimmed(key_text));
  value = trimmed(value);
  const auto known = std::find(property_keys.begin(), property_keys.end(), key);
  if (known == property_keys.end()) return;
  OrbitalLines& lines = orbital_for_key(1u << (known - property_keys.begin()), reader, sections);
  if (key == "sym") {
    lines.orbital.symmetry = value;
  } else if (key == "spin") {
    const std::string spin = lower_case(value);
    if (!spin.starts_with('a') && !spin.starts_with('b'))
      reader.fail(fmt::format("expected Alpha or Beta as the spin of the orbital, found {}", quoted(value)));
    lines.orbital.spin = spin.starts_with('b') ? Spin::beta : Spin::alpha;
  } else if (key == "ene") {
    if (const auto energy = parse_real(one_word(value, reader, "energy"))) {
      lines.orbital.energy_hartree = *energy;
    } else {
      ++sections.unreadable_energies;
    }
  } else {
    lines.orbital.occupation = reader.real(one_word(value, reader, "occupation"), "occupation");
    lines.has_occupation = true;
  }
}

/// "Sym= 1a" or several such pairs on one line.
void read_properties(const LineReader& reader, MoldenSections& sections) {
  std::string_view rest = reader.line();
  std::size_t equals = rest.find('=');
  std::string_view key = rest.substr(0, equals);
  while (equals != std::string_view::npos) {
    rest = rest.substr(equals + 1);
    equals = rest.find('=');
    if (equals == std::string_view::npos) return read_property(key, rest, reader, sections);
    const std::string_view value_and_key = trimmed(rest.substr(0, equals));
    const std::size_t blank = value_and_key.find_last_of(" \t");
    if (blank == std::string_view::npos) return read_property(key, rest, reader, sections);
    read_property(key, value_and_key.substr(0, blank), reader, sections);
    key = value_and_key.substr(blank + 1);
  }
}

void read_orbitals(LineReader& reader, MoldenSections& sections) {
  sections.set_starts.push_back(sections.orbitals.size());
  while (reader.next()) {
    if (section_name(reader.line())) return reader.push_back();
    const auto& words = reader.words();
    if (words.empty()) continue;
    sections.without_line_end = reader.ends_here();
    const bool property = reader.line().find('=') != std::string_view::npos;
    const std::size_t wanted = sections.aomix ? 6 : 2;
    if (reader.ends_here() && (property || words.size() < wanted || !parse_real(words.back()))) {
      sections.cut = true;  // what came before is still worth seeing
      return;
    }
    if (property) {
      read_properties(reader, sections);
      continue;
    }
    if (words.size() < 2) {
      reader.fail(
          fmt::format("expected 2 numbers (function, coefficient), found {}", quoted(trimmed(reader.line()))),
          "The file is truncated or damaged: export it again.");
    }
    if (sections.orbitals.size() == sections.set_starts.back())
      reader.fail("coefficients before the first orbital (Ene=, Spin=, Occup=)");
    // AOMix: "1 1 h 1 s 0.27", the name of the function in front of its coefficient.
    if (sections.aomix && words.size() != 6)
      reader.fail("expected 6 words (function, atom, element, shell, kind, coefficient)");
    if (!sections.aomix) refuse_surplus(reader, 2, "2 numbers (function, coefficient)");
    const std::string_view coefficient = words.back();
    const long function = reader.integer(words[0], "number of the basis function", 1, 1 << 24);
    sections.entries.push_back(
        {static_cast<int>(function - 1), reader.real(coefficient, "orbital coefficient")});
    sections.coefficient_digits.see(coefficient);
    if (function > sections.largest_function) {
      sections.largest_function = static_cast<int>(function);
      sections.largest_function_line = reader.line_number();
    }
  }
}

// --- the file
// ------------------------------------------------------------------------------------------------------

/// "5d7f" and such: what each means for one angular momentum.
bool read_tags(const std::string& name, MoldenSections& sections) {
  static const std::map<std::string, std::pair<std::string, bool>> meanings{
      {"5d", {"d", true}},   {"6d", {"d", false}}, {"7f", {"f", true}},
      {"10f", {"f", false}}, {"9g", {"g", true}},  {"15g", {"g", false}},
      {"14g", {"g", false}}, {"11h", {"h", true}}, {"21h", {"h", false}}};
  std::vector<std::pair<std::string, bool>> found;
  std::size_t start = 0;
  while (start < name.size()) {
    std::size_t end = start;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
    if (end == start || end == name.size()) return false;
    const auto meaning = meanings.find(name.substr(start, end + 1 - start));
    if (meaning == meanings.end()) return false;
    found.push_back(meaning->second);
    start = end + 1;
  }
  for (const auto& [letter, spherical] : found) sections.tags[letter] = spherical;
  if (name == "5d") sections.tags.emplace("f", true);  // "[5D]" alone means 5D7F
  return true;
}

void read_title(LineReader& reader, MoldenSections& sections) {
  while (reader.next()) {
    if (section_name(reader.line())) return reader.push_back();
    if (sections.title.empty()) sections.title = trimmed(reader.line());
  }
}

/// What programs note beside the wavefunction and nobody looks for in it.
bool is_note(std::string_view name) {
  static constexpr std::array<std::string_view, 6> notes{"moldenformat", "n_atoms",         "scfconv",
                                                         "geoconv",      "molprovariables", ""};
  return std::find(notes.begin(), notes.end(), name) != notes.end();
}

/// The first section of each kind; the atoms of further ones are those of further steps.
void read_step(LineReader& reader, const std::string& name, MoldenSections& sections) {
  if (name == "atoms") {
    if (sections.atoms.empty()) {
      sections.atoms = read_atoms(reader, sections);
    } else {
      ++sections.further_steps;
      sections.geometries.emplace_back();
      for (const AtomLine& line : read_atoms(reader, sections))
        sections.geometries.back().push_back(line.atom);
    }
  } else if (sections.further_steps > 0) {
    return;  // of another step
  } else if (name == "gto") {
    if (!sections.shells.empty()) reader.fail("a second basis set ([GTO])", "Leave one of them in the file.");
    read_basis(reader, sections);
  } else {
    read_orbitals(reader, sections);
  }
}

MoldenSections read_molden_sections(LineReader& reader) {
  MoldenSections sections;
  while (reader.next()) {
    const auto name = section_name(reader.line());
    if (!name) continue;
    if (*name == "title") {
      read_title(reader, sections);
    } else if (*name == "atoms" || *name == "gto" || *name == "mo") {
      read_step(reader, *name, sections);
    } else if (*name == "sto") {
      reader.fail("[STO]: Slater-type orbitals are not supported", "Export Gaussian-type orbitals ([GTO]).");
    } else if (*name == "core") {
      read_cores(reader, sections);
    } else if (*name == "pseudo") {
      read_pseudo(reader, sections);
    } else if (*name == "nval") {
      read_valence_charges(reader, sections);
    } else if (*name == "geometries") {
      read_geometries(reader, sections);
    } else if (*name == "aomixformat") {
      sections.aomix = true;
    } else if (!read_tags(*name, sections) && !is_note(*name)) {
      sections.unused.push_back(fmt::format("[{}]", *name));
    }
  }
  return sections;
}

void add_remarks(MoldenSections& sections) {
  if (!sections.unused.empty()) {
    sections.remarks.dropped(
        fmt::format("Sections of the file that are not used: {}.", first_names(sections.unused)),
        sections.unused.size());
  }
  if (sections.further_steps > 0) {
    sections.remarks.dropped(fmt::format("The file holds {} calculations: basis set and orbitals are those "
                                         "of the first. Of the others only "
                                         "the geometries were read.",
                                         sections.further_steps + 1),
                             sections.further_steps);
  }
  if (sections.unreadable_energies > 0) {
    sections.remarks.dropped(fmt::format("The energies of {} orbitals are no numbers: they are unknown.",
                                         sections.unreadable_energies),
                             sections.unreadable_energies);
  }
}

/// Positions of atoms by the numbers the file gives them, or by order where those numbers are not unique.
std::unordered_map<long, int> atoms_by_number(const MoldenSections& sections) {
  std::unordered_map<long, int> by_number;
  for (std::size_t i = 0; i < sections.atoms.size(); ++i) {
    if (!by_number.emplace(sections.atoms[i].number, static_cast<int>(i)).second) {
      by_number.clear();
      for (std::size_t k = 0; k < sections.atoms.size(); ++k)
        by_number.emplace(static_cast<long>(k) + 1, static_cast<int>(k));
      return by_number;
    }
  }
  return by_number;
}

Molecule make_molecule(const MoldenSections& sections) {
  Molecule molecule;
  molecule.title = sections.title;
  const auto by_number = atoms_by_number(sections);
  for (const AtomLine& line : sections.atoms) {
    molecule.atoms.push_back(line.atom);
    const auto charge = sections.valence_charges.find(lower_case(line.label));
    if (charge != sections.valence_charges.end()) molecule.atoms.back().nuclear_charge = charge->second;
  }
  for (const auto& [number, charge] : sections.charges) {
    const auto place = by_number.find(number);
    if (place != by_number.end())
      molecule.atoms[static_cast<std::size_t>(place->second)].nuclear_charge = charge;
  }
  for (const auto& [number, electrons] : sections.cores) {
    const auto place = by_number.find(number);
    if (place == by_number.end()) continue;
    Atom& atom = molecule.atoms[static_cast<std::size_t>(place->second)];
    // "Cr" with a charge of 6 may be a label of a carbon; with a core of 18 electrons it is none.
    const int named = atomic_number(sections.atoms[static_cast<std::size_t>(place->second)].label);
    if (named > 0 && std::abs(named - electrons - atom.nuclear_charge) < 1e-6) {
      atom.atomic_number = named;
    } else if (atom.nuclear_charge == atom.atomic_number) {
      atom.nuclear_charge -= electrons;
    }
  }
  return molecule;
}

BasisSet make_basis(const MoldenSections& sections, const LineReader& reader) {
  const auto by_number = atoms_by_number(sections);
  BasisSet basis;
  for (const ShellLines& lines : sections.shells) {
    const auto place = by_number.find(lines.atom_number);
    if (place == by_number.end()) {
      reader.fail_at(lines.line, fmt::format("the shell belongs to atom {}, but [Atoms] has no such atom",
                                             lines.atom_number));
    }
    basis.shells.push_back(lines.shell);
    basis.shells.back().atom = place->second;
  }
  return basis;
}

using Spherical = std::array<bool, max_angular_momentum + 1>;

Spherical spherical_by_tags(const MoldenSections& sections) {
  Spherical spherical{};
  for (std::size_t l = 2; l < spherical.size(); ++l) {
    const auto tag = sections.tags.find(std::string(1, shell_letters[l]));
    if (tag != sections.tags.end()) spherical[l] = tag->second;
  }
  if (!sections.tags.contains("h"))
    spherical[5] = spherical[4];  // writers of h functions have no tag for them
  return spherical;
}

void set_spherical(BasisSet& basis, const Spherical& spherical) {
  for (Shell& shell : basis.shells)
    shell.spherical = spherical[static_cast<std::size_t>(shell.angular_momentum)];
}

/// Every orbital lists all functions from 1 to the largest one: then that number is the size of the basis. Of
/// the last orbital the end may be missing.
bool dense(const MoldenSections& sections) {
  const std::size_t orbitals = sections.orbitals.size();
  if (orbitals == 0) return false;
  const auto functions = static_cast<std::size_t>(sections.largest_function);
  if (sections.entries.size() == orbitals * functions) return true;
  const std::size_t before_last = sections.orbitals.back().first_entry;
  return orbitals > 1 && before_last == (orbitals - 1) * functions &&
         sections.entries.size() - before_last < functions;
}

/// The file ends within a line, or all orbitals but the last one list all functions.
void warn_of_end(MoldenSections& sections, std::size_t functions) {
  const std::size_t listed = sections.entries.size() - sections.orbitals.back().first_entry;
  // Sparse files leave out zeros; other orbitals that list all functions, or a missing line end, tell cut
  // ones.
  const bool others_whole =
      sections.orbitals.size() > 1 && static_cast<std::size_t>(sections.largest_function) == functions;
  const bool incomplete =
      dense(sections) && listed < functions && (others_whole || sections.without_line_end);
  if (!sections.cut && !incomplete) return;
  sections.remarks.warn(fmt::format(
      "The file is truncated: its last orbital (number {}) lists {} of {} basis functions, and orbitals "
      "behind it may be missing. Copy or export the file again.",
      sections.orbitals.size(), listed, functions));
}

/// Sets the kind of each shell by the tags; where the coefficients contradict them, by what fits the
/// coefficients.
void choose_kinds(BasisSet& basis, MoldenSections& sections, const LineReader& reader) {
  const Spherical tagged = spherical_by_tags(sections);
  set_spherical(basis, tagged);
  const auto wanted = static_cast<std::size_t>(sections.largest_function);
  const std::size_t count = basis.function_count();
  if (wanted == count || (wanted < count && !dense(sections))) return;
  for (unsigned choice = 0; choice < 16; ++choice) {
    Spherical other{};
    for (unsigned bit = 0; bit < 4; ++bit) other[bit + 2] = (choice >> (3 - bit) & 1) == 0;
    set_spherical(basis, other);
    if (basis.function_count() != wanted) continue;
    sections.remarks.assumed(
        fmt::format("The tags such as [5D] ask for {} basis functions, the orbitals have {}: the kinds of "
                    "functions were chosen to fit.",
                    count, wanted));
    return;
  }
  set_spherical(basis, tagged);
  if (wanted > count) {
    reader.fail_at(sections.largest_function_line,
                   fmt::format("function {} is out of range: the basis set has {} functions", wanted, count));
  }
}

/// Orbitals first ... end - 1 of the file.
struct Range {
  std::size_t first;
  std::size_t end;
};

/// Each [MO] is a set of its own, except that a section of beta orbitals belongs to the alpha ones before it.
std::vector<Range> ranges_of_sets(const MoldenSections& sections) {
  const auto all_of = [&sections](const Range& range, Spin spin) {
    return std::all_of(sections.orbitals.begin() + static_cast<std::ptrdiff_t>(range.first),
                       sections.orbitals.begin() + static_cast<std::ptrdiff_t>(range.end),
                       [spin](const OrbitalLines& lines) { return lines.orbital.spin == spin; });
  };
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < sections.set_starts.size(); ++i) {
    const bool last = i + 1 == sections.set_starts.size();
    const Range range{sections.set_starts[i], last ? sections.orbitals.size() : sections.set_starts[i + 1]};
    if (range.first == range.end) continue;
    if (!ranges.empty() && all_of(ranges.back(), Spin::alpha) && all_of(range, Spin::beta)) {
      ranges.back().end = range.end;
    } else {
      ranges.push_back(range);
    }
  }
  return ranges;
}

OrbitalSet make_orbitals(const MoldenSections& sections, const Range& range, std::size_t functions,
                         const LineReader& reader) {
  const std::size_t count = range.end - range.first;
  OrbitalSet set;
  set.coefficients =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(functions), static_cast<Eigen::Index>(count));
  std::vector<std::size_t> last_orbital(functions, range.end);
  for (std::size_t i = range.first; i < range.end; ++i) {
    const OrbitalLines& lines = sections.orbitals[i];
    const std::size_t end =
        i + 1 < sections.orbitals.size() ? sections.orbitals[i + 1].first_entry : sections.entries.size();
    for (std::size_t e = lines.first_entry; e < end; ++e) {
      const Entry& entry = sections.entries[e];
      std::size_t& seen = last_orbital[static_cast<std::size_t>(entry.function)];
      if (seen == i) {
        reader.fail_at(lines.line, fmt::format("the orbital that begins here lists function {} twice",
                                               entry.function + 1));
      }
      seen = i;
      set.coefficients(entry.function, static_cast<Eigen::Index>(i - range.first)) = entry.value;
    }
    set.orbitals.push_back(lines.orbital);
  }
  return set;
}

/// Psi4 and others put the occupations of natural orbitals (or half of them) where the energies should be.
void forget_energies_that_are_occupations(OrbitalSet& set) {
  for (const double factor : {1.0, 0.5, -1.0}) {
    const bool same = std::all_of(set.orbitals.begin(), set.orbitals.end(), [factor](const Orbital& o) {
      return std::abs(o.energy_hartree - factor * o.occupation) < 1e-6;
    });
    if (!same) continue;
    for (Orbital& orbital : set.orbitals) orbital.energy_hartree = std::numeric_limits<double>::quiet_NaN();
    return;
  }
}

/// Writers that know no energies, of localised orbitals for one, put zeros.
void forget_energies_that_are_zero(OrbitalSet& set) {
  const bool zero = std::all_of(set.orbitals.begin(), set.orbitals.end(),
                                [](const Orbital& o) { return o.energy_hartree == 0; });
  if (!zero) return;
  for (Orbital& orbital : set.orbitals) orbital.energy_hartree = std::numeric_limits<double>::quiet_NaN();
}

/// CFOUR gives the doubly occupied orbitals of a closed shell an occupation of one.
void double_halved_occupations(OrbitalSet& set, FileContents& contents) {
  double electrons = 0, charge = 0;
  for (const Orbital& orbital : set.orbitals) {
    if (orbital.spin == Spin::beta || (orbital.occupation != 0 && orbital.occupation != 1)) return;
    electrons += orbital.occupation;
  }
  for (const Atom& atom : contents.document.molecule.atoms) charge += atom.nuclear_charge;
  if (electrons < 2 || std::abs(2 * electrons - charge) > 1e-6) return;
  for (Orbital& orbital : set.orbitals) orbital.occupation *= 2;
  contents.document.remarks.corrected(
      "The occupations count one electron for each pair of a neutral closed shell: they were doubled.");
}

void complete_occupations(OrbitalSet& set, const MoldenSections& sections, const Range& range,
                          FileContents& contents) {
  const auto first = sections.orbitals.begin();
  const auto missing = std::count_if(first + static_cast<std::ptrdiff_t>(range.first),
                                     first + static_cast<std::ptrdiff_t>(range.end),
                                     [](const OrbitalLines& lines) { return !lines.has_occupation; });
  if (missing == static_cast<std::ptrdiff_t>(range.end - range.first)) {
    assume_neutral(set, contents.document);
  } else if (missing > 0) {
    contents.document.remarks.assumed(
        fmt::format("{} orbitals have no occupation (Occup=): they were taken as empty.", missing),
        static_cast<std::size_t>(missing));
  }
}

OrbitalSet make_set(const MoldenSections& sections, const Range& range, const BasisSet& basis,
                    const LineReader& reader, FileContents& contents) {
  OrbitalSet set = make_orbitals(sections, range, basis.function_count(), reader);
  complete_occupations(set, sections, range, contents);
  double_halved_occupations(set, contents);
  set.name = name_by_occupations(set);
  if (set.name == "natural") forget_energies_that_are_occupations(set);
  forget_energies_that_are_zero(set);
  rearrange_rows(rearrangement(basis, molden_order, isolume_order), set.coefficients);
  return set;
}

/// Sets of one name are told apart by number.
void number_equal_names(std::vector<OrbitalSet>& sets) {
  std::map<std::string, int> seen;
  for (OrbitalSet& set : sets) {
    if (const int number = ++seen[set.name]; number > 1) set.name += fmt::format(" ({})", number);
  }
}

std::string_view program_in(const MoldenSections& sections, std::string_view text) {
  const std::string title = lower_case(sections.title);
  const std::string beginning = lower_case(text.substr(0, 2000));
  static constexpr std::array<std::string_view, 16> names{
      "orca",   "psi4", "turbomole", "cfour", "nwchem", "molpro", "molcas",   "pyscf",
      "q-chem", "xtb",  "dalton",    "cp2k",  "mrcc",   "gamess", "multiwfn", "gaussian"};
  for (const std::string_view name : names) {
    if (title.find(name) != std::string::npos || beginning.find(name) != std::string::npos) return name;
  }
  return {};
}

}  // namespace

bool looks_like_aomix(std::string_view text) {
  const std::string beginning = lower_case(text.substr(0, 1000));
  return trimmed(beginning).starts_with("[aomix format]");
}

bool looks_like_molden(std::string_view text) {
  const std::string beginning = lower_case(text.substr(0, 20000));
  if (beginning.find("[molden format]") != std::string::npos) return true;
  const bool atoms = beginning.find("[atoms]") != std::string::npos;
  return atoms || beginning.find("[gto]") != std::string::npos;
}

FileContents read_molden(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  MoldenSections sections = read_molden_sections(reader);
  if (sections.atoms.empty())
    reader.fail_at(0, "expected a section [Atoms] with at least one atom, found none");

  FileContents contents;
  contents.document.program = program_in(sections, source.text);
  contents.document.molecule = make_molecule(sections);
  add_remarks(sections);
  add_frames(contents.document, sections.geometries);
  contents.order = &molden_order;
  if (!sections.orbitals.empty()) {
    if (sections.shells.empty()) reader.fail_at(0, "there are orbitals ([MO]), but no basis set ([GTO])");
    auto wavefunction = std::make_shared<Wavefunction>();
    wavefunction->basis = make_basis(sections, reader);
    choose_kinds(wavefunction->basis, sections, reader);
    warn_of_end(sections, wavefunction->basis.function_count());
    check_matrix_size(wavefunction->basis.function_count(), sections.orbitals.size(), reader.size());
    for (const Range& range : ranges_of_sets(sections)) {
      wavefunction->sets.push_back(make_set(sections, range, wavefunction->basis, reader, contents));
    }
    number_equal_names(wavefunction->sets);
    double largest = 0;
    for (const Entry& entry : sections.entries) largest = std::max(largest, std::abs(entry.value));
    contents.rounding = {sections.coefficient_digits.half_unit(largest), sections.exponent_digits,
                         sections.contraction_digits,
                         sections.position_digits.half_unit(1) * sections.bohr_per_position};
    contents.wavefunction = std::move(wavefunction);
  } else {
    contents.document.remarks.warn(
        "The file has no orbitals ([MO]). If it should have some, it is truncated: copy or export it again.");
  }
  sections.remarks.add(contents.document.remarks);
  contents.document.remarks = std::move(sections.remarks);
  return contents;
}

}  // namespace isolume::molecules

// Molden format: https://www.theochem.ru.nl/molden/molden_format.html, and variants written by programs.
#include "core/molecules/molden_sections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/units.h"
#include "core/molecules/element.h"

namespace isolume::molecules {
namespace {

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

/// Unexpected words indicate an unknown dialect: skipping them could mean reading the wrong ones.
void refuse_surplus(LineReader& reader, std::size_t most, std::string_view expected) {
  if (reader.words().size() <= most) return;
  reader.fail(fmt::format("expected {}, found {} words: {}", expected, reader.words().size(),
                          quoted(trimmed(reader.line()))),
              "The file is damaged or written in an unknown dialect: export it with another program.");
}

// --- [Atoms]
// -------------------------------------------------------------------------------------------------------

/// The element whose functions a ghost carries, of names such as "O", "GHOST-O", "Bq:O", "X-O", "Gh(O)"; 0: not named.
int element_of_ghost(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const std::string_view prefix : {"ghost", "gh", "bq", "x"}) {
    if (!lower.starts_with(prefix)) continue;
    std::string_view rest = name.substr(prefix.size());
    while (!rest.empty() && std::string_view("-_:(").find(rest.front()) != std::string_view::npos)
      rest.remove_prefix(1);
    if (const int named = atomic_number(rest); named > 0) return named;
  }
  return std::max(atomic_number(name), 0);
}

/// Name and third column together: the column may contain the atomic number, the charge left by an effective core, or
/// 0 for a ghost; the name may be "C", "c", "C12" or a label such as "CA" on a carbon.
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
    atom.ghost_of = element_of_ghost(name);
  } else if (named == whole || named <= 0 || first_letter == whole) {
    atom.atomic_number = whole;
  } else {
    atom.atomic_number = named > whole ? named : whole;
  }
  return atom;
}

std::vector<MoldenAtom> read_atoms(LineReader& reader, MoldenSections& sections) {
  std::vector<MoldenAtom> atoms;
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
    MoldenAtom line;
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

/// "O 0.0 0.0 0.1"; the element as a symbol or a number.
MoldenAtom read_position(LineReader& reader, double bohr_per_unit) {
  const auto& words = reader.words();
  if (words.size() < 4) reader.fail("expected an atom (symbol, x, y, z)");
  MoldenAtom atom{.atom = {}, .label = std::string(words[0]), .line = reader.line_number()};
  const long number = parse_integer(words[0]).value_or(atomic_number(words[0]));
  atom.atom.atomic_number = number >= 0 && number <= 118 ? static_cast<int>(number) : -1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    atom.atom.position_bohr[static_cast<Eigen::Index>(axis)] =
        reader.real(words[1 + axis], "coordinate") * bohr_per_unit;
  }
  return atom;
}

/// [FR-COORD]: symbols and coordinates in bohr.
void read_frequency_atoms(LineReader& reader, MoldenSections& sections) {
  while (reader.next()) {
    if (section_name(reader.line())) return reader.push_back();
    if (!reader.words().empty()) sections.frequency_atoms.push_back(read_position(reader, 1));
  }
}

/// [GEOMETRIES] XYZ: a number of atoms, a comment and the atoms, in angstrom, repeatedly. Other kinds are ignored.
void read_geometries(LineReader& reader, MoldenSections& sections) {
  const std::string kind = lower_case(behind_bracket(reader.line()));
  if (kind.find("xyz") == std::string::npos) {
    sections.unused.emplace_back(trimmed(reader.line()));
    sections.internal_coordinates = reader.line_number();
    return;
  }
  while (reader.next()) {
    if (section_name(reader.line())) return reader.push_back();
    if (reader.words().empty()) continue;
    const std::size_t count = reader.count(reader.words()[0], "number of atoms", 7);
    reader.require("a comment");
    auto& geometry = sections.geometries.emplace_back();
    for (std::size_t i = 0; i < count; ++i) {
      reader.require("an atom (symbol, x, y, z)");
      geometry.push_back(read_position(reader, units::bohr_per_angstrom));
    }
  }
}

/// [Core]: lines such as "1 : 10", the number of electrons that an effective core of that atom replaces.
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

/// [Pseudo]: "Au 1 19", name, atom number and the charge seen by its electrons.
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

/// [Nval] of CP2K: element symbol and the charge seen by its electrons.
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
  // Gaussian's own form of the line ends with a zero.
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

/// Segmented forms of general contractions list primitives with a zero coefficient; they cost time without
/// contributing.
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
    // Without a count: as long as the lines have two numbers, the first with a decimal point.
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

/// A new orbital begins with the first property of a section or after coefficients, or with a repeated property.
MoldenOrbital& orbital_for_key(unsigned key_bit, const LineReader& reader, MoldenSections& sections) {
  const bool fresh = sections.orbitals.size() == sections.set_starts.back() ||
                     sections.orbitals.back().first_entry < sections.entries.size() ||
                     (sections.orbitals.back().keys & key_bit) != 0;
  if (fresh) {
    MoldenOrbital next;
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
  MoldenOrbital& lines = orbital_for_key(1u << (known - property_keys.begin()), reader, sections);
  if (key == "sym") {
    lines.orbital.symmetry = value;
  } else if (key == "spin") {
    const std::string spin = lower_case(value);
    if (!spin.starts_with('a') && !spin.starts_with('b'))
      reader.fail(fmt::format("expected Alpha or Beta as the spin of the orbital, found {}", quoted(value)));
    lines.orbital.spin = spin.starts_with('b') ? Spin::beta : Spin::alpha;
    lines.has_spin = true;
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
      sections.cut = true;  // the preceding orbitals are still useful
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
    // AOMix: "1 1 h 1 s 0.27", with the name of the function before its coefficient.
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

/// "5d7f" and such: the kind of functions for each angular momentum.
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

/// Additional data of programs that are not needed.
bool is_note(std::string_view name) {
  static constexpr std::array<std::string_view, 6> notes{"moldenformat", "n_atoms",         "scfconv",
                                                         "geoconv",      "molprovariables", ""};
  return std::find(notes.begin(), notes.end(), name) != notes.end();
}

/// The first section of each kind; the atoms of further ones belong to further steps.
void read_step(LineReader& reader, const std::string& name, MoldenSections& sections) {
  if (name == "atoms") {
    if (sections.atoms.empty()) {
      sections.atoms = read_atoms(reader, sections);
    } else {
      ++sections.further_steps;
      sections.geometries.push_back(read_atoms(reader, sections));
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

void add_remarks(MoldenSections& sections) {
  if (!sections.atoms.empty() && !sections.frequency_atoms.empty())
    sections.unused.emplace_back("[fr-coord]");
  if (!sections.unused.empty()) {
    sections.remarks.dropped(
        fmt::format("Sections of the file that are not used: {}.", first_names(sections.unused)),
        sections.unused.size());
  }
  if (sections.further_steps > 0) {
    sections.remarks.dropped(fmt::format("The file holds {} calculations: basis set and orbitals are those "
                                         "of the first. Of the others only the geometries were read.",
                                         sections.further_steps + 1),
                             sections.further_steps);
  }
  if (sections.unreadable_energies > 0) {
    sections.remarks.dropped(fmt::format("The energies of {} orbitals are not numbers: they are unknown.",
                                         sections.unreadable_energies),
                             sections.unreadable_energies);
  }
}

}  // namespace

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
    } else if (*name == "fr-coord") {
      read_frequency_atoms(reader, sections);
    } else if (*name == "aomixformat") {
      sections.aomix = true;
    } else if (!read_tags(*name, sections) && !is_note(*name)) {
      sections.unused.push_back(fmt::format("[{}]", *name));
    }
  }
  add_remarks(sections);
  return sections;
}

}  // namespace isolume::molecules

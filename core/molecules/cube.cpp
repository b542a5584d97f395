// Gaussian cube files: one or several fields on one grid, or orbitals by number.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

struct Header {
  std::array<std::string, 2> comments;
  grid::Grid grid;
  Molecule molecule;
  std::size_t values_per_point = 1;
  std::vector<long> orbital_numbers;  ///< empty for a file without them
  bool unannounced_numbers = false;   ///< Molden: such a line exists although the number of atoms is positive
  bool in_angstrom = false;
};

struct AxisLine {
  long count = 0;
  Eigen::Vector3d step;
};

void read_numbers(LineReader& reader, std::size_t first_word, Eigen::Vector3d& numbers,
                  std::string_view what) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    numbers[static_cast<Eigen::Index>(axis)] = reader.real(reader.words()[first_word + axis], what);
  }
}

AxisLine read_axis(LineReader& reader) {
  reader.require("an axis (number of points, step)");
  if (reader.words().size() < 4) reader.fail("expected 4 numbers of an axis (number of points, step)");
  AxisLine axis;
  axis.count = reader.integer(reader.words()[0], "number of points", -(1L << 30), 1L << 30);
  if (axis.count == 0) reader.fail("an axis needs at least one point");
  read_numbers(reader, 1, axis.step, "step of the grid");
  return axis;
}

/// The sign of the counts determines the unit: positive for bohr, negative for angstrom.
void read_grid(LineReader& reader, Header& header, double& length_factor) {
  std::array<AxisLine, 3> axes;
  for (AxisLine& axis : axes) axis = read_axis(reader);
  for (const AxisLine& axis : axes) {
    if ((axis.count < 0) != (axes[0].count < 0))
      reader.fail(
          "the numbers of points differ in their signs, which say whether lengths are in bohr or in "
          "angstrom");
  }
  header.in_angstrom = axes[0].count < 0;
  length_factor = header.in_angstrom ? units::bohr_per_angstrom : 1;
  header.grid.origin *= length_factor;
  for (std::size_t i = 0; i < 3; ++i) {
    header.grid.dimensions[i] = static_cast<int>(std::labs(axes[i].count));
    header.grid.step.col(static_cast<Eigen::Index>(i)) = axes[i].step * length_factor;
  }
  const double volume = header.grid.cell_volume();
  if (!(volume > 0) || !std::isfinite(volume)) reader.fail("the three axes do not span a volume");
  const double farthest =
      std::max(header.grid.origin.cwiseAbs().maxCoeff(), header.grid.step.cwiseAbs().maxCoeff());
  if (!(farthest < 1e7)) reader.fail(fmt::format("a length of {:.3g} bohr is out of range", farthest));
}

void read_atoms(LineReader& reader, std::size_t count, double length_factor, Molecule& molecule) {
  for (std::size_t i = 0; i < count; ++i) {
    reader.require("an atom (atomic number, charge, x, y, z)");
    if (reader.words().size() < 5)
      reader.fail("expected 5 numbers of an atom (atomic number, charge, x, y, z)");
    Atom atom;
    const double number = reader.real(reader.words()[0], "atomic number");
    if (!(number >= -1) || number > 118)
      reader.fail(fmt::format("the atomic number {} does not lie between 0 and 118", number));
    if (number != std::round(number))
      reader.fail(fmt::format("the atomic number {} is not a whole number", number),
                  "The nuclear charge belongs into the second column: correct the line.");
    atom.atomic_number = static_cast<int>(std::max(0.0, number));
    const double charge = reader.real(reader.words()[1], "nuclear charge");
    atom.nuclear_charge =
        charge == 0 ? atom.atomic_number : charge;  // many programs leave the column at zero
    read_numbers(reader, 2, atom.position_bohr, "coordinate");
    atom.position_bohr *= length_factor;
    molecule.atoms.push_back(atom);
  }
}

/// "2 20 21": a count and the numbers, perhaps over several lines.
void read_orbital_numbers(LineReader& reader, Header& header) {
  reader.require("the number of orbitals and their numbers");
  if (reader.words().empty()) reader.fail("expected the number of orbitals and their numbers");
  if (!parse_integer(reader.words()[0])) return reader.push_back();  // some programs leave the line out
  const std::size_t count = reader.count(reader.words()[0], "number of orbitals", 2);
  if (count == 0) reader.fail("an orbital cube needs at least one orbital");
  std::size_t word = 1;
  while (header.orbital_numbers.size() < count) {
    if (word == reader.words().size()) {
      reader.require("the number of an orbital");
      word = 0;
      if (reader.words().empty()) continue;
    }
    header.orbital_numbers.push_back(reader.integer(reader.words()[word++], "number of the orbital"));
  }
  if (header.values_per_point > 1 && header.values_per_point != count) {
    reader.fail(fmt::format("{} orbitals, but {} values a point", count, header.values_per_point));
  }
  header.values_per_point = count;
}

Header read_header(LineReader& reader) {
  Header header;
  for (std::string& comment : header.comments) {
    reader.require("a line of comment");
    comment = trimmed(reader.line());
  }
  reader.require("the number of atoms and the origin");
  if (reader.words().size() < 4) reader.fail("expected 4 numbers (number of atoms, origin)");
  const long atoms = reader.integer(reader.words()[0], "number of atoms");
  read_numbers(reader, 1, header.grid.origin, "origin of the grid");
  if (reader.words().size() > 4) {
    header.values_per_point = reader.count(reader.words()[4], "number of values a point", 2);
    if (header.values_per_point == 0) header.values_per_point = 1;
  }
  if (atoms == std::numeric_limits<long>::min()) reader.fail("the number of atoms is out of range");
  const std::size_t atom_count = reader.count(std::to_string(std::labs(atoms)), "number of atoms", 10);
  double length_factor = 1;
  read_grid(reader, header, length_factor);
  read_atoms(reader, atom_count, length_factor, header.molecule);
  if (atoms < 0) read_orbital_numbers(reader, header);
  header.molecule.title = header.comments[0];
  return header;
}

std::string said_by(const Header& header) {
  return lower_case(header.comments[0] + " " + header.comments[1]);
}

/// Number of values that the file should contain after its header.
std::size_t values_promised(const Header& header) {
  return header.grid.point_count() * header.values_per_point;
}

/// Number of words after the current line, counted up to one more than `most`.
std::size_t words_behind(LineReader reader, std::size_t most) {
  std::size_t count = 0;
  while (count <= most && reader.next()) count += reader.words().size();
  return count;
}

/// Molden writes "1 1", the number of orbitals and their numbers, although its number of atoms is positive. Integers
/// may be values as well: the line is interpreted in this way if the values are complete without it.
void read_unannounced_numbers(LineReader& reader, Header& header) {
  if (!reader.next()) return;
  std::vector<long> numbers;
  for (const std::string_view word : reader.words()) {
    const auto number = parse_integer(word);
    if (!number || *number < 0) return reader.push_back();
    numbers.push_back(*number);
  }
  const bool counted = numbers.size() >= 2 && numbers[0] == static_cast<long>(numbers.size()) - 1;
  const auto values = static_cast<std::size_t>(numbers.size() - 1);
  if (!counted || (header.values_per_point > 1 && header.values_per_point != values))
    return reader.push_back();
  const std::size_t promised = header.grid.point_count() * values;
  if (words_behind(reader, promised) != promised) return reader.push_back();
  header.values_per_point = values;
  header.unannounced_numbers = true;
  if (contains(said_by(header), "orbital")) header.orbital_numbers.assign(numbers.begin() + 1, numbers.end());
}

/// Fails when the rest of the file cannot hold that many points and values.
void check_value_count(const LineReader& reader, const Header& header) {
  const std::size_t most = (reader.remaining() + 1) / 2;
  std::size_t count = header.values_per_point;
  for (const int n : header.grid.dimensions) {
    if (count > most / static_cast<std::size_t>(n)) {
      reader.fail(
          fmt::format("the grid {} × {} × {} with {} value(s) a point needs more numbers than the file holds",
                      header.grid.dimensions[0], header.grid.dimensions[1], header.grid.dimensions[2],
                      header.values_per_point),
          "The file is truncated: copy or export it again.");
    }
    count *= static_cast<std::size_t>(n);
  }
}

/// A word of a comment, in lower case, with exponents as "^3" and angstrom in one spelling.
struct CommentWord {
  std::string text;
  bool is_announced = false;  ///< "in V", "(V)", "unit: V", "potential, V"
};

std::vector<CommentWord> words_of_comment(std::string_view comment) {
  constexpr std::size_t most = 1000;  // characters: more are no title
  constexpr std::string_view separators = " \t()[]{},;:=\"'";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> spellings{{{"\u00C5", "angstrom"},
                                                                                    {"\u00E5", "angstrom"},
                                                                                    {"\u212B", "angstrom"},
                                                                                    {"\u00B3", "^3"},
                                                                                    {"**", "^"},
                                                                                    {"angstroms", "angstrom"},
                                                                                    {"ang.", "angstrom"}}};
  std::string text = lower_case(comment.substr(0, most));
  for (const auto& [written, meant] : spellings) {
    for (std::size_t at = 0; (at = text.find(written, at)) != std::string::npos;)
      text.replace(at, written.size(), meant);
  }
  std::vector<CommentWord> words;
  std::string mark;  // the last separator other than blanks
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end == at) {
      if (text[at] > ' ') mark = text[at];
      ++at;
      continue;
    }
    std::string word = text.substr(at, end - at);
    while (word.ends_with('.')) word.pop_back();
    const bool in_brackets = mark == "(" || mark == "[" || mark == "{";
    const bool closes = end < text.size() && contains(")]}", text.substr(end, 1));
    const bool after_word =
        !words.empty() && mark.empty() &&
        (words.back().text == "in" || words.back().text == "unit" || words.back().text == "units");
    words.push_back({std::move(word), after_word || (in_brackets ? closes : !mark.empty())});
    mark.clear();
    at = end;
  }
  return words;
}

/// "e/bohr^3" or "bohr^-3/2" for a word such as "e/a0^3", "electrons/a^3", "1/bohr^3", "bohr^-3", "a^-3/2".
std::optional<std::string> unit_of_density(std::string_view word) {
  bool is_divided = false;
  for (const std::string_view numerator : {"electrons/", "electron/", "e-/", "e/", "1/"}) {
    if (is_divided || !word.starts_with(numerator)) continue;
    word.remove_prefix(numerator.size());
    is_divided = true;
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> lengths{{{"bohr", "bohr"},
                                                                                  {"a0", "bohr"},
                                                                                  {"au", "bohr"},
                                                                                  {"nm", "nm"},
                                                                                  {"pm", "pm"},
                                                                                  {"angstrom", "angstrom"},
                                                                                  {"ang", "angstrom"},
                                                                                  {"a", "angstrom"}}};
  const auto* const length =
      std::ranges::find_if(lengths, [&](const auto& one) { return word.starts_with(one.first); });
  if (length == lengths.end()) return std::nullopt;
  std::string_view power = word.substr(length->first.size());
  if (!is_divided) {
    if (power == "^-3/2" || power == "^-1.5") return fmt::format("{}^-3/2", length->second);
    if (!power.starts_with("^-")) return std::nullopt;
    power.remove_prefix(2);
  } else if (power.starts_with('^')) {
    power.remove_prefix(1);
  }
  if (power.size() != 1 || power[0] < '3' || power[0] > '5') return std::nullopt;
  return fmt::format("e/{}^{}", length->second, power);
}

/// Units of a potential, and of the energy of a unit charge in it.
std::optional<std::string_view> unit_of_potential(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 20> known{{{"v", "V"},
                                                                                 {"volt", "V"},
                                                                                 {"volts", "V"},
                                                                                 {"ev/e", "V"},
                                                                                 {"mv", "mV"},
                                                                                 {"kj/mol", "kJ/mol/e"},
                                                                                 {"kj/mol/e", "kJ/mol/e"},
                                                                                 {"kj/mole", "kJ/mol/e"},
                                                                                 {"kcal/mol", "kcal/mol/e"},
                                                                                 {"kcal/mol/e", "kcal/mol/e"},
                                                                                 {"kcal/mole", "kcal/mol/e"},
                                                                                 {"kt", "kT/e"},
                                                                                 {"kt/e", "kT/e"},
                                                                                 {"kbt/e", "kT/e"},
                                                                                 {"ev", "eV"},
                                                                                 {"eh", "Eh/e"},
                                                                                 {"eh/e", "Eh/e"},
                                                                                 {"ha/e", "Eh/e"},
                                                                                 {"hartree", "Eh/e"},
                                                                                 {"hartree/e", "Eh/e"}}};
  const auto* const found =
      std::ranges::find(known, word, &std::pair<std::string_view, std::string_view>::first);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

bool has_word(std::string_view text, std::span<const std::string_view> wanted) {
  return std::ranges::any_of(words_of_comment(text), [&](const CommentWord& word) {
    return std::ranges::find(wanted, word.text) != wanted.end();
  });
}

bool names_potential(std::string_view text) {
  constexpr std::array<std::string_view, 2> short_names{"esp", "mep"};
  return contains(text, "potential") || contains(text, "eh/e") || contains(text, "hartree/e") ||
         has_word(text, short_names);
}

/// The unit that a comment states for the values; it counts more than what the field is called.
std::optional<std::string> unit_stated(const std::string& comment) {
  const bool potential = names_potential(lower_case(comment));
  for (const CommentWord& word : words_of_comment(comment)) {
    if (auto unit = unit_of_density(word.text)) return unit;
    const auto unit = potential && word.is_announced ? unit_of_potential(word.text) : std::nullopt;
    if (unit) return std::string(*unit);
  }
  return std::nullopt;
}

/// Functions that have no unit of a density, although their names or comments mention one.
bool names_function_without_unit(std::string_view text) {
  for (const std::string_view name :
       {"reduced density gradient", "localization", "localisation", "orbital locator", "kinetic",
        "energy density", "polarization", "polarisation"}) {
    if (contains(text, name)) return true;
  }
  constexpr std::array<std::string_view, 6> short_names{"elf", "lol", "rdg", "iri", "igm", "nci"};
  return has_word(text, short_names);
}

/// The unit that follows from what a comment calls the values: "e/bohr^3" and such, empty for a dimensionless number or
/// one whose unit differs between programs; nothing if it gives neither. Derivatives divide by lengths.
std::optional<std::string> unit_said(std::string_view text, const Header& header, std::size_t value) {
  if (names_function_without_unit(text)) return "";
  const bool gradient = contains(text, "grad");
  if (names_potential(text)) return gradient ? "" : "Eh/e";
  const bool orbital = !header.orbital_numbers.empty() || contains(text, "orbital") || contains(text, "psi_");
  if (!orbital && !contains(text, "dens")) return std::nullopt;
  int derivative = 0;
  if (contains(text, "laplac")) {
    derivative = 2;
  } else if (gradient) {
    // Gaussian's cubes of the gradient begin each point with the density itself: 1 + 3 numbers, or 1 + 3 + 6
    // with the second derivatives.
    const bool with_value = header.values_per_point == 4 || header.values_per_point == 10;
    derivative = !with_value || (value >= 1 && value <= 3) ? 1 : value == 0 ? 0 : 2;
  }
  if (orbital) return fmt::format("bohr^-{}/2", 3 + 2 * derivative);
  return fmt::format("e/bohr^{}", 3 + derivative);
}

/// Isolume's own comments end with the unit: "density of x.fchk in e/bohr^3, by Isolume 1.0". The file name in them
/// does not describe the field.
std::optional<std::string> unit_by_isolume(std::string_view comment) {
  const std::size_t end = comment.rfind(", by Isolume");
  if (end == std::string_view::npos) return std::nullopt;
  for (const std::string_view unit : {"bohr^-3/2", "e/bohr^3"}) {
    if (comment.substr(0, end).ends_with(fmt::format(" in {}", unit))) return std::string(unit);
  }
  return std::nullopt;
}

/// By what the comments call the values. The second comment describes the field, the first is a title; the title is
/// used if the second gives nothing.
std::string usual_unit(const Header& header, std::size_t value) {
  for (const std::string& text : {lower_case(header.comments[1]), said_by(header)}) {
    if (const auto unit = unit_said(text, header, value)) return *unit;
  }
  return "";
}

/// Whether the values of a point are of different kinds: a density with its gradient, for example.
bool differ_in_unit(const Header& header) {
  return header.values_per_point > 1 && contains(said_by(header), "grad");
}

/// A stated unit is that of the first value where the values of a point differ.
std::string unit_of(const Header& header, std::size_t value) {
  if (const auto unit = unit_by_isolume(header.comments[1])) return *unit;
  const std::string usual = usual_unit(header, value);
  for (const std::string& comment : {header.comments[1], header.comments[0]}) {
    const auto stated = unit_stated(comment);
    if (!stated) continue;
    if (value == 0 || !differ_in_unit(header)) return *stated;
    return *stated == usual_unit(header, 0) ? usual : "";
  }
  return usual;
}

/// Isolume's own maps: "electrostatic potential (kT/e)".
bool is_unit_of_maps(const Header& header, std::string_view unit) {
  constexpr std::array<std::string_view, 3> units{"kT/e", "mV", "kcal/mol/e"};
  return std::ranges::find(units, unit) != units.end() &&
         contains(header.comments[0] + header.comments[1], fmt::format("({})", unit));
}

/// What the comments state where it differs from the usual unit, or from what the signs of the counts mean.
void remark_on_units(const Header& header, Remarks& remarks) {
  const std::string unit = unit_of(header, 0), usual = usual_unit(header, 0);
  if (unit != usual && !usual.empty() && !unit_by_isolume(header.comments[1]) &&
      !is_unit_of_maps(header, unit)) {
    remarks.warn(fmt::format(
        "The comments give the unit {}, not {}, the usual one of cube files: the values were taken to "
        "be in {}.",
        unit, usual, unit));
  }
  const std::string_view meant = header.in_angstrom ? "angstrom" : "bohr";
  const std::string_view other = header.in_angstrom ? "bohr" : "angstrom";
  for (const std::string& comment : header.comments) {
    const bool contradicts = std::ranges::any_of(words_of_comment(comment), [&](const CommentWord& word) {
      return word.is_announced && word.text == other;
    });
    if (!contradicts) continue;
    remarks.warn(fmt::format(
        "The comment {} mentions {}, but the {} numbers of points mean {}: lengths were read in {}.",
        isolume::quoted(comment), other, header.in_angstrom ? "negative" : "positive", meant, meant));
  }
}

/// PySCF writes the field into the first comment and "PySCF Version: 2.14.0  Date: Sun Nov 29 02:25:44 2026" into the
/// second.
bool names_program_or_date(std::string_view comment) {
  const std::string text = lower_case(std::string(comment));
  return contains(text, "version") || contains(text, "date:");
}

const std::string& description_of_values(const Header& header) {
  const auto& [first, second] = header.comments;
  const bool says_nothing = second.empty() || (names_program_or_date(second) && !first.empty());
  return says_nothing ? first : second;
}

std::vector<std::shared_ptr<grid::ScalarField>> make_fields(const Header& header) {
  std::vector<std::shared_ptr<grid::ScalarField>> fields;
  // After a value, its gradient and its second derivatives (see unit_said) nothing changes.
  constexpr std::size_t last_kind = 4;
  std::vector<std::string> units;
  for (std::size_t i = 0; i <= std::min(last_kind, header.values_per_point - 1); ++i)
    units.push_back(unit_of(header, i));
  for (std::size_t i = 0; i < header.values_per_point; ++i) {
    auto field = std::make_shared<grid::ScalarField>();
    field->grid = header.grid;
    field->values.resize(header.grid.point_count());
    if (!header.orbital_numbers.empty()) {
      field->name = fmt::format("orbital {}", header.orbital_numbers[i]);
    } else {
      const std::string& said = description_of_values(header);
      field->name = header.values_per_point > 1 ? fmt::format("{} ({})", said, i + 1) : said;
    }
    field->unit = units[std::min(i, last_kind)];
    fields.push_back(std::move(field));
  }
  return fields;
}

/// The values of a point run fastest, then z, then y, then x.
void read_values(LineReader& reader, const Header& header,
                 std::vector<std::shared_ptr<grid::ScalarField>>& fields) {
  const auto [nx, ny, nz] = header.grid.dimensions;
  const std::size_t y_step = static_cast<std::size_t>(nx);
  const std::size_t z_step = y_step * static_cast<std::size_t>(ny);
  std::size_t word = 0;
  bool at_line = false;
  for (int i = 0; i < nx; ++i) {
    for (int j = 0; j < ny; ++j) {
      for (int k = 0; k < nz; ++k) {
        const std::size_t point = static_cast<std::size_t>(i) + y_step * static_cast<std::size_t>(j) +
                                  z_step * static_cast<std::size_t>(k);
        for (const auto& field : fields) {
          while (!at_line || word == reader.words().size()) {
            reader.require("a value of the field");
            at_line = true;
            word = 0;
          }
          const double value = reader.real(reader.words()[word++], "value of the field");
          if (std::abs(value) > std::numeric_limits<float>::max())
            reader.fail(fmt::format("the value {} is out of range", value));
          field->values[point] = static_cast<float>(value);
        }
      }
    }
  }
  const bool more = (at_line && word < reader.words().size()) || [&reader] {
    while (reader.next()) {
      if (!reader.words().empty()) return true;
    }
    return false;
  }();
  if (more) {
    reader.fail(
        fmt::format("there are more numbers than the {} of the grid {} × {} × {} with {} value(s) a point",
                    values_promised(header), nx, ny, nz, header.values_per_point),
        "Header and values do not belong together: export the file again.");
  }
}

}  // namespace

bool looks_like_cube(std::string_view text) {
  if (looks_like_xyz(text))
    return false;  // XYZ with atomic numbers has such lines too, but a single count before them
  LineReader reader({}, text.substr(0, 20000), {});
  if (!reader.next() || !reader.next()) return false;
  for (int line = 0; line < 4; ++line) {
    if (!reader.next()) return false;
    const auto& words = reader.words();
    if (words.size() < 4 || words.size() > 6 || !parse_integer(words[0])) return false;
    for (std::size_t i = 1; i < 4; ++i) {
      if (!parse_real(words[i])) return false;
    }
  }
  return true;
}

FileContents read_cube(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  Header header = read_header(reader);
  check_value_count(reader, header);
  if (header.orbital_numbers.empty()) read_unannounced_numbers(reader, header);
  auto fields = make_fields(header);
  read_values(reader, header, fields);
  FileContents contents;
  contents.document.molecule = header.molecule;
  contents.document.fields.assign(fields.begin(), fields.end());
  remark_on_units(header, contents.document.remarks);
  const std::string text = said_by(header);
  for (const std::string_view name : {"molden", "psi4", "orca", "q-chem", "gaussian", "pyscf", "isolume"}) {
    if (contents.document.program.empty() && text.find(name) != std::string::npos)
      contents.document.program = name;
  }
  if (header.unannounced_numbers) {
    contents.document.remarks.assumed(
        "As in Molden's own cube files, a line of orbital numbers follows the atoms although the number of "
        "atoms is positive; it was read as such.");
  }
  return contents;
}

}  // namespace isolume::molecules

// Log of GAMESS (US), and of PC GAMESS/Firefly which prints the same sections.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/letter_case.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/molecules/element.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/outputs.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

/// A shell of the printed basis set; its number shows how many atoms share it.
struct PrintedShell {
  long number = 0;
  std::string type;
  std::vector<double> exponents;
  std::array<std::vector<double>, 2> coefficients;  ///< the second for the p part of an L shell
  std::size_t line = 0;
};

/// Shells printed under one atom's name. Only one atom of each symmetry class is printed.
struct PrintedAtom {
  std::string label;
  std::vector<PrintedShell> shells;
};

struct OrbitalTable {
  std::vector<Orbital> orbitals;
  std::vector<double> values;          ///< one orbital after the other once finished
  std::vector<std::string> row_types;  ///< "S", "X", "XXY" ... of each function
  std::size_t geometry = 0;
  std::size_t line = 0;
  bool unrestricted = false;  ///< its heading names a spin
  bool ends_file = false;
};

struct SetKind {
  std::string_view phrase;
  std::string_view name;
  bool whole_line = false;   ///< the line holds nothing else
  bool occupations = false;  ///< the line of numbers above the columns gives occupations, not energies
};
constexpr std::array<SetKind, 11> set_kinds{{
    {"EIGENVECTORS", "canonical", true, false},
    {"MOLECULAR ORBITALS", "canonical", true, false},
    {"UHF NATURAL ORBITALS", "natural (UHF)", false, true},
    {"MCSCF NATURAL ORBITALS", "natural", false, true},
    {"MCSCF OPTIMIZED ORBITALS", "optimised (MCSCF)", false, false},
    {"NATURAL ORBITALS IN ATOMIC ORBITAL BASIS", "natural", false, true},
    {"MP2 NATURAL ORBITALS", "natural (MP2)", false, true},
    {"CI NATURAL ORBITALS", "natural (CI)", false, true},
    {"BOYS LOCALIZED ORBITALS ARE", "localised (Boys)", false, false},
    {"ENERGY LOCALIZED ORBITALS", "localised (Edmiston-Ruedenberg)", false, false},
    {"POPULATION LOCALIZED ORBITALS ARE", "localised (Pipek-Mezey)", false, false},
}};

struct Log {
  std::string title;
  std::vector<std::vector<Atom>> geometries;
  std::vector<PrintedAtom> basis;
  std::size_t basis_line = 0;
  std::map<std::size_t, std::array<std::optional<OrbitalTable>, 2>>
      sets;                      ///< by position of the name in set_kinds
  std::map<long, double> cores;  ///< electrons an effective core replaces, by atom number
  double alpha = 0;
  double beta = 0;
  std::optional<int> charge;
  std::optional<int> multiplicity;
  std::optional<Energy> energy;
  std::optional<Eigen::Vector3d> dipole_debye;
  Failure failure;
  Spin spin = Spin::alpha;
  bool unrestricted = false;  ///< the heading of the following orbitals names a spin
};

// --- geometry
// ------------------------------------------------------------------------------------------------------

/// Rows "name charge x y z" up to a line of another form; headings and rules before the first row are skipped.
void read_geometry(LineReader& reader, double factor, Log& log) {
  std::vector<Atom> atoms;
  for (int skipped = 0; reader.next();) {
    const auto& words = reader.words();
    const bool row = words.size() == 5 && parse_real(words[1]) && parse_real(words[2]) &&
                     parse_real(words[3]) && parse_real(words[4]);
    if (!row) {
      check_no_stars(reader, atoms.size());
      if (!atoms.empty() || ++skipped > 4) {
        reader.push_back();
        break;
      }
      continue;
    }
    Atom atom;
    atom.nuclear_charge = reader.real(words[1], "nuclear charge");
    if (!(atom.nuclear_charge >= 0) || atom.nuclear_charge > 118)
      reader.fail("the nuclear charge must lie between 0 and 118");
    atom.atomic_number = static_cast<int>(std::lround(atom.nuclear_charge));
    for (int axis = 0; axis < 3; ++axis) {
      atom.position_bohr[axis] =
          reader.real(words[2 + static_cast<std::size_t>(axis)], "coordinate") * factor;
    }
    atoms.push_back(atom);
  }
  if (!atoms.empty()) log.geometries.push_back(std::move(atoms));
}

// --- basis set
// -----------------------------------------------------------------------------------------------------

/// Coefficients of a row after the exponent. PC GAMESS prints "2.707814 (  0.154329)": the one in parentheses belongs
/// to normalised primitives.
std::vector<double> row_coefficients(const LineReader& reader, std::size_t first_word) {
  std::string text(reader.line());
  const bool parentheses = contains(text, "(");
  for (char& c : text) {
    if (c == '(' || c == ')') c = ' ';
  }
  std::vector<std::string_view> words;
  split_words(text, words);
  std::vector<double> numbers;
  for (std::size_t i = first_word; i < words.size(); ++i)
    numbers.push_back(reader.real(words[i], "contraction coefficient"));
  if (!parentheses) return numbers;
  std::vector<double> kept;
  for (std::size_t i = 1; i < numbers.size(); i += 2) kept.push_back(numbers[i]);
  return kept;
}

bool shell_row(const std::vector<std::string_view>& words) {
  return words.size() >= 5 && parse_integer(words[0]) && words[1].size() == 1 &&
         contains("SPDFGHIL", words[1]) && parse_integer(words[2]) && parse_real(words[3]);
}

void add_shell_row(LineReader& reader, PrintedAtom& atom) {
  const auto& words = reader.words();
  const long number = reader.integer(words[0], "number of the shell");
  if (words[1] == "I") {
    reader.fail("shells of type I have an angular momentum above h, which is not supported",
                "Use a basis set with functions up to h.");
  }
  if (atom.shells.empty() || atom.shells.back().number != number) {
    atom.shells.push_back({number, std::string(words[1]), {}, {}, reader.line_number()});
  }
  PrintedShell& shell = atom.shells.back();
  const double exponent = reader.real(words[3], "exponent");
  if (!(exponent > 0)) reader.fail("the exponent is not positive");
  const std::vector<double> coefficients = row_coefficients(reader, 4);
  const std::size_t wanted = shell.type == "L" ? 2 : 1;
  if (coefficients.size() < wanted)
    reader.fail(fmt::format("expected {} contraction coefficients, found {}", wanted, coefficients.size()));
  shell.exponents.push_back(exponent);
  for (std::size_t i = 0; i < wanted; ++i) shell.coefficients[i].push_back(coefficients[i]);
}

void read_basis(LineReader& reader, Log& log) {
  log.basis.clear();
  log.basis_line = reader.line_number();
  while (reader.next()) {
    const auto& words = reader.words();
    if (words.empty()) continue;
    if (words[0] == "TOTAL" || contains(reader.line(), "NUMBER OF")) return reader.push_back();
    if (shell_row(words)) {
      if (log.basis.empty()) reader.fail("a shell before the first atom");
      add_shell_row(reader, log.basis.back());
    } else if (words.size() <= 2) {
      log.basis.push_back({std::string(words[0]), {}});
    } else {
      return reader.push_back();
    }
  }
}

/// Blocks between two blank lines are the shells of one atom; sharing is shown by the shells' numbers: a printed atom
/// with two shells numbered 3 and 4 after 0 represents two atoms.
std::vector<const PrintedAtom*> atoms_of_basis(const Log& log, std::size_t atoms, const LineReader& reader) {
  std::vector<const PrintedAtom*> owners;
  long last = 0;
  for (const PrintedAtom& printed : log.basis) {
    if (printed.shells.empty()) {
      owners.push_back(&printed);  // an atom without functions
      continue;
    }
    const long span = printed.shells.back().number - last;
    const auto count = static_cast<long>(printed.shells.size());
    if (span < count || span % count != 0 || span / count > static_cast<long>(atoms)) {
      reader.fail_at(printed.shells.back().line, "the shells' numbers do not show which atoms share them");
    }
    owners.insert(owners.end(), static_cast<std::size_t>(span / count), &printed);
    last = printed.shells.back().number;
  }
  if (owners.size() != atoms) {
    reader.fail_at(log.basis_line,
                   fmt::format("the basis set is for {} atoms, but there are {}", owners.size(), atoms));
  }
  return owners;
}

BasisSet make_basis(const Log& log, std::size_t atoms, const LineReader& reader) {
  static constexpr std::string_view letters = "SPDFGH";
  BasisSet basis;
  const auto owners = atoms_of_basis(log, atoms, reader);
  for (std::size_t atom = 0; atom < atoms; ++atom) {
    for (const PrintedShell& printed : owners[atom]->shells) {
      Shell shell;
      shell.atom = static_cast<int>(atom);
      shell.exponents = printed.exponents;
      const bool both = printed.type == "L";
      shell.coefficients = printed.coefficients[0];
      shell.angular_momentum = both ? 0 : static_cast<int>(letters.find(printed.type));
      basis.shells.push_back(shell);
      if (!both) continue;
      shell.angular_momentum = 1;
      shell.coefficients = printed.coefficients[1];
      basis.shells.push_back(std::move(shell));
    }
  }
  return basis;
}

// --- orbitals
// ------------------------------------------------------------------------------------------------------

constexpr std::size_t label_width = 15;
constexpr std::size_t column_width = 11;

/// "1 2 3 4 5", continuing at `first`: the number of columns, 0 if the line is something else.
std::size_t column_head(const std::vector<std::string_view>& words, std::size_t first) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (parse_integer(words[i]) != static_cast<long>(first + i)) return 0;
  }
  return words.size();
}

/// The run of S, X, Y, Z at the end of the label: "  56  C  1XXXX" -> "XXXX".
std::string_view row_type(std::string_view label) {
  label = trimmed(label);
  const std::size_t before = label.find_last_not_of("SXYZ");
  return before == std::string_view::npos ? label : label.substr(before + 1);
}

/// Values of a row; false if the line is not row `number`.
bool read_row(LineReader& reader, std::size_t number, std::size_t columns, OrbitalTable& table,
              std::vector<double>& values) {
  const std::string_view line = reader.line();
  if (line.size() <= label_width || reader.words().empty()) return false;
  if (parse_integer(reader.words()[0]) != static_cast<long>(number)) return false;
  const std::string_view numbers = line.substr(label_width);
  std::vector<std::string_view> words;
  split_words(numbers, words);
  if (words.size() != columns) {
    words.clear();
    for (std::size_t i = 0; i < columns && i * column_width < numbers.size(); ++i) {
      words.push_back(trimmed(numbers.substr(i * column_width, column_width)));
    }
  }
  if (words.size() != columns)
    reader.fail(fmt::format("expected {} orbital coefficients, found {}", columns, words.size()));
  for (const std::string_view word : words) values.push_back(reader.real(word, "orbital coefficient"));
  if (number > table.row_types.size()) table.row_types.emplace_back(row_type(line.substr(0, label_width)));
  return true;
}

/// Energies (or occupations) and symmetry labels between the column numbers and the first row.
void read_column_properties(LineReader& reader, std::size_t columns, bool occupations, OrbitalTable& table) {
  const std::size_t first = table.orbitals.size() - columns;
  for (int lines = 0; lines < 4 && reader.next(); ++lines) {
    const auto& words = reader.words();
    if (words.empty()) continue;
    if (parse_integer(words[0]) == 1 && words.size() > 2) return reader.push_back();
    if (contains(reader.line(), "***")) reader.fail("expected the energies or occupations of orbitals");
    const bool numbers =
        std::all_of(words.begin(), words.end(), [](std::string_view w) { return parse_real(w).has_value(); });
    for (std::size_t i = 0; i < std::min(columns, words.size()); ++i) {
      Orbital& orbital = table.orbitals[first + i];
      if (!numbers) {
        orbital.symmetry = words[i];
      } else if (words.size() == columns && occupations) {
        orbital.occupation = *parse_real(words[i]);
      } else if (words.size() == columns) {
        orbital.energy_hartree = *parse_real(words[i]);
      }
    }
  }
}

/// One printed matrix of orbitals, five (or ten) columns at a time. Nothing if no columns follow the title.
std::optional<OrbitalTable> read_table(LineReader& reader, Spin spin, bool occupations) {
  OrbitalTable table;
  table.line = reader.line_number();
  std::vector<double> values;  // row by row of one group of columns
  for (;;) {
    std::size_t columns = 0;
    for (int lines = 0; lines < 5 && columns == 0 && reader.next(); ++lines) {
      columns = column_head(reader.words(), table.orbitals.size() + 1);
      const bool rule = trimmed(reader.line()).find_first_not_of('-') == std::string_view::npos;
      if (columns == 0 && !rule) {
        check_end_of_table(reader, 1, table.orbitals.size());
        reader.push_back();
        break;
      }
    }
    if (columns == 0) break;
    for (std::size_t i = 0; i < columns; ++i) {
      table.orbitals.emplace_back();
      table.orbitals.back().spin = spin;
    }
    read_column_properties(reader, columns, occupations, table);
    const bool first_group = table.values.empty();
    values.clear();
    std::size_t rows = 0;
    while (reader.next()) {
      if (!read_row(reader, rows + 1, columns, table, values)) {
        reader.push_back();
        break;
      }
      ++rows;
    }
    if (rows == 0 || (!first_group && rows != table.row_types.size())) {
      reader.fail(
          fmt::format("expected the coefficients of {} functions, found {}", table.row_types.size(), rows),
          "The log is truncated: copy it again.");
    }
    for (std::size_t column = 0; column < columns; ++column) {
      for (std::size_t row = 0; row < rows; ++row) table.values.push_back(values[row * columns + column]);
    }
  }
  table.ends_file = reader.remaining() == 0;
  if (table.orbitals.empty()) return std::nullopt;
  return table;
}

std::optional<std::size_t> kind_of_set(std::string_view line) {
  const std::string_view text = trimmed(line);
  for (std::size_t i = 0; i < set_kinds.size(); ++i) {
    if (set_kinds[i].whole_line ? text == set_kinds[i].phrase : contains(text, set_kinds[i].phrase)) return i;
  }
  return std::nullopt;
}

// --- the file
// ------------------------------------------------------------------------------------------------------

void read_counts(std::string_view line, Log& log) {
  if (!contains(line, "=")) return;
  const auto whole = [](double value) { return static_cast<int>(std::clamp(value, -1e6, 1e6)); };
  if (const auto value = number_behind(line, "NUMBER OF OCCUPIED ORBITALS (ALPHA)")) log.alpha = *value;
  if (const auto value = number_behind(line, "NUMBER OF OCCUPIED ORBITALS (BETA )")) log.beta = *value;
  if (const auto value = number_behind(line, "CHARGE OF MOLECULE")) log.charge = whole(*value);
  for (const std::string_view phrase : {"SPIN MULTIPLICITY", "STATE MULTIPLICITY"}) {
    if (const auto value = number_behind(line, phrase)) log.multiplicity = whole(*value);
  }
}

/// "FINAL RHF ENERGY IS  -382.05 AFTER  17 ITERATIONS", and the three numbers below "DX DY DZ /D/ (DEBYE)".
void read_properties(LineReader& reader, Log& log) {
  const auto& words = reader.words();
  if (words.size() > 4 && words[0] == "FINAL" && words[2] == "ENERGY" && words[3] == "IS") {
    const auto energy = parse_real(words[4]);
    const bool converged = log.failure.scf_ended();
    log.energy.reset();
    // GAMESS prints an energy of 0 for an SCF that did not converge.
    if (energy && (converged || *energy != 0)) log.energy = Energy{*energy, "SCF"};
    return;
  }
  if (words.size() != 5 || words[0] != "DX" || words[4] != "(DEBYE)" || !reader.next()) return;
  Eigen::Vector3d dipole;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto value = axis < reader.words().size() ? parse_real(reader.words()[axis]) : std::nullopt;
    if (!value) return reader.push_back();
    dipole[static_cast<Eigen::Index>(axis)] = *value;
  }
  log.dipole_debye = dipole;
}

/// `PARAMETERS FOR "CL-ECP" ON ATOM 3 WITH ZCORE 10 AND ...` and `... ON ATOM 4 ARE THE SAME AS ATOM 3`.
void read_core(std::string_view line, Log& log) {
  const std::size_t behind = line.find("ON ATOM");
  if (behind == std::string_view::npos) return;
  std::vector<std::string_view> words;
  split_words(line.substr(behind + 7), words);
  if (words.size() < 3) return;
  const auto atom = parse_integer(words[0]);
  if (!atom) return;
  if (words[1] == "WITH" && words[2] == "ZCORE" && words.size() > 3) {
    if (const auto core = parse_real(words[3])) log.cores[*atom] = *core;
  } else if (const auto other = parse_integer(words.back()); other && log.cores.contains(*other)) {
    log.cores[*atom] = log.cores[*other];
  }
}

/// Several phrases may have the same name (the orbitals of the first and of the last geometry).
std::size_t first_of_name(std::size_t kind) {
  std::size_t first = 0;
  while (set_kinds[first].name != set_kinds[kind].name) ++first;
  return first;
}

void read_set(LineReader& reader, std::size_t kind, Log& log) {
  // Natural orbitals belong to both spins, although they may follow a heading of beta orbitals.
  const Spin spin = set_kinds[kind].occupations ? Spin::alpha : log.spin;
  auto table = read_table(reader, spin, set_kinds[kind].occupations);
  if (!table) return;
  table->geometry = log.geometries.size();
  table->unrestricted = log.unrestricted && !set_kinds[kind].occupations;
  auto& both = log.sets[first_of_name(kind)];
  if (spin == Spin::alpha) both[1].reset();  // a new set replaces an older one completely
  both[spin == Spin::alpha ? 0 : 1] = std::move(table);
}

Jobs<Log> read_jobs(LineReader& reader) {
  Jobs<Log> jobs;
  Log log;
  const auto end_job = [&] {
    const bool geometry = !log.geometries.empty(), orbitals = !log.sets.empty() && !log.basis.empty();
    jobs.add(std::exchange(log, {}), geometry, orbitals);
  };
  while (reader.next()) {
    const std::string_view line = reader.line();
    if (contains(line, "INPUT CARD")) continue;
    if (contains(line, "GAMESS VERSION") || contains(line, "Firefly version")) {
      end_job();
    } else if (contains(line, "COORDINATES (BOHR)") && contains(line, "ATOM")) {
      read_geometry(reader, 1, log);
    } else if (contains(line, "COORDINATES OF ALL ATOMS ARE (ANGS)")) {
      read_geometry(reader, units::bohr_per_angstrom, log);
    } else if (contains(line, "SHELL") && contains(line, "TYPE") && contains(line, "PRIM") &&
               contains(line, "EXPONENT")) {
      read_basis(reader, log);
    } else if (contains(line, "ALPHA SET") || contains(line, "ALPHA ORBITAL LOCALIZATION")) {
      log.spin = Spin::alpha;
      log.unrestricted = true;
    } else if (contains(line, "BETA SET") || contains(line, "BETA ORBITAL LOCALIZATION")) {
      log.spin = Spin::beta;
      log.unrestricted = true;
    } else if (contains(line, "SCF IS UNCONVERGED")) {
      log.failure.scf(reader);
    } else if (contains(line, "GEOMETRY SEARCH IS NOT CONVERGED") ||
               contains(line, "TERMINATED -ABNORMALLY-") || contains(line, "TERMINATED ABNORMALLY")) {
      log.failure.job(reader);
    } else if (trimmed(line) == "RUN TITLE" && reader.next() && reader.next()) {
      log.title = trimmed(reader.line());
    } else if (contains(line, "PARAMETERS FOR")) {
      read_core(line, log);
    } else if (const auto kind = kind_of_set(line)) {
      read_set(reader, *kind, log);
    } else {
      read_counts(line, log);
      read_properties(reader, log);
    }
  }
  end_job();
  return jobs;
}

Molecule make_molecule(const Log& log, std::size_t geometry) {
  Molecule molecule;
  molecule.title = log.title;
  molecule.charge = log.charge;
  molecule.multiplicity = log.multiplicity;
  molecule.atoms = log.geometries[geometry];
  for (const auto& [number, electrons] : log.cores) {
    if (number < 1 || number > static_cast<long>(molecule.atoms.size())) continue;
    molecule.atoms[static_cast<std::size_t>(number - 1)].nuclear_charge -= electrons;
  }
  return molecule;
}

OrbitalSet make_set(const Log& log, std::size_t kind,
                    const std::array<std::optional<OrbitalTable>, 2>& tables, std::size_t functions,
                    const LineReader& reader) {
  OrbitalSet set;
  set.name = set_kinds[kind].name;
  // Localised orbitals are the occupied ones, whose numbers may differ.
  if (set.name == "canonical" && (tables[1] || tables[0]->unrestricted))
    check_spins(tables[0] ? tables[0]->orbitals.size() : 0, tables[1] ? tables[1]->orbitals.size() : 0,
                (tables[1] ? tables[1] : tables[0])->line, reader);
  std::vector<double> values;
  for (const auto& table : tables) {
    if (!table) continue;
    if (table->row_types.size() != functions) {
      reader.fail_at(table->line, fmt::format("the orbitals have {} functions, but the basis set has {}",
                                              table->row_types.size(), functions));
    }
    set.orbitals.insert(set.orbitals.end(), table->orbitals.begin(), table->orbitals.end());
    values.insert(values.end(), table->values.begin(), table->values.end());
  }
  set.coefficients = Eigen::Map<const Eigen::MatrixXd>(values.data(), static_cast<Eigen::Index>(functions),
                                                       static_cast<Eigen::Index>(set.orbitals.size()));
  const bool told = std::any_of(set.orbitals.begin(), set.orbitals.end(),
                                [](const Orbital& o) { return o.occupation != 0; });
  // Occupations of an MCSCF are fractional, and only printed with its natural orbitals.
  if (!told && !contains(set_kinds[kind].name, "MCSCF")) fill_occupations(set, log.alpha, log.beta);
  return set;
}

/// The rows name their functions, so that the order is read rather than assumed.
Rearrangement order_of_rows(const BasisSet& basis, const OrbitalTable& table) {
  Rearrangement result;
  std::size_t first = 0;
  for (const Shell& shell : basis.shells) {
    const auto count = static_cast<std::size_t>(shell.function_count());
    std::string names;
    for (std::size_t i = first; i < first + count; ++i) {
      names += lower_case(table.row_types[i]);
      names += ' ';
    }
    Rearrangement one;
    try {
      one =
          rearrangement(shell.angular_momentum == 0 ? std::string_view("1") : names, isolume_order.of(shell));
    } catch (const std::invalid_argument&) {
      one = rearrangement(gamess_order.of(shell), isolume_order.of(shell));
    }
    for (std::size_t i = 0; i < count; ++i) {
      result.source.push_back(static_cast<int>(first) + one.source[i]);
      result.sign.push_back(one.sign[i]);
    }
    first += count;
  }
  return result;
}

/// The sets of the geometry that the latest canonical orbitals (or the latest of all) belong to.
std::size_t geometry_of_sets(const Log& log) {
  const auto canonical = log.sets.find(0);
  std::size_t latest = 0;
  for (const auto& [kind, tables] : log.sets) {
    for (const auto& table : tables) latest = std::max(latest, table ? table->geometry : 0);
  }
  if (canonical == log.sets.end() || !canonical->second[0]) return latest;
  return log.sets.size() == 1 ? canonical->second[0]->geometry : latest;
}

std::shared_ptr<Wavefunction> make_wavefunction(const Log& log, const Molecule& molecule,
                                                std::size_t geometry, Remarks& remarks,
                                                const LineReader& reader) {
  auto wavefunction = std::make_shared<Wavefunction>();
  wavefunction->basis = make_basis(log, molecule.atoms.size(), reader);
  const std::size_t functions = wavefunction->basis.function_count();
  for (const auto& [kind, tables] : log.sets) {
    const auto& first = tables[0] ? tables[0] : tables[1];
    if (!first) continue;
    if (first->geometry != geometry) {
      remarks.dropped(
          fmt::format("The orbitals \"{}\" belong to another geometry than the others: they were left out.",
                      set_kinds[kind].name),
          first->orbitals.size());
      continue;
    }
    OrbitalSet set = make_set(log, kind, tables, functions, reader);
    if (set.name == "canonical") report_end(first->ends_file, first->orbitals.size(), functions, remarks);
    rearrange_rows(order_of_rows(wavefunction->basis, *first), set.coefficients);
    wavefunction->sets.push_back(std::move(set));
  }
  return wavefunction;
}

}  // namespace

bool looks_like_gamess(std::string_view text) {
  const std::string_view beginning = text.substr(0, 200000);
  const bool named =
      contains(beginning, "GAMESS") || contains(beginning, "Firefly") || contains(beginning, "FIREFLY");
  const bool american = contains(beginning, "IOWA STATE") || contains(beginning, "PC GAMESS") ||
                        contains(beginning, "irefly") || contains(beginning, "GAMESS VERSION");
  return named && american;
}

FileContents read_gamess(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  Jobs<Log> jobs = read_jobs(reader);
  const Log& log = jobs.chosen();
  FileContents contents;
  jobs.report(contents.document.remarks);
  log.failure.report(contents.document.remarks);
  contents.document.program = "gamess";
  contents.document.energy = log.energy;
  contents.document.dipole_debye = log.dipole_debye;
  contents.order = &gamess_order;
  if (log.geometries.empty()) {
    reader.fail_at(0, "expected the coordinates of the atoms, found none",
                   "The log is truncated: copy it again.");
  }
  if (log.sets.empty() || log.basis.empty()) {
    contents.document.molecule = make_molecule(log, log.geometries.size() - 1);
    add_frames(contents.document, log.geometries);
    contents.document.remarks.warn(
        log.sets.empty() ? "The log has no orbitals (EIGENVECTORS)."
                         : "The log has no basis set: it was printed with too small an NPRINT.");
    return contents;
  }
  const std::size_t geometry = geometry_of_sets(log);
  if (geometry == 0) reader.fail_at(0, "the orbitals come before the first coordinates");
  contents.document.molecule = make_molecule(log, geometry - 1);
  add_frames(contents.document, log.geometries);
  contents.wavefunction =
      make_wavefunction(log, contents.document.molecule, geometry, contents.document.remarks, reader);
  contents.rounding.orbitals = 0.5e-6;
  return contents;
}

}  // namespace isolume::molecules

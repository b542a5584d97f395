// Outputs of NWChem that print all coefficients of the orbitals.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/molecules/element.h"
#include "core/molecules/outputs.h"

namespace isolume::molecules {
namespace {

constexpr double nwchem_rounding = 0.5e-5;

struct Calculation {
  Output output;
  std::vector<std::string> tags;              ///< of the atoms, which name their basis sets
  std::map<std::string, PrintedBasis> basis;  ///< by tag
  bool spherical = false;
  bool inherited = false;               ///< the geometry is that of the previous task
  std::vector<Atom> atoms_of_orbitals;  ///< positions at which the orbitals were printed
  std::vector<std::string> tags_of_orbitals;
  std::array<std::map<std::size_t, Orbital>, 2> told;  ///< energies and occupations, by spin and position
};

/// "O1" and "oxygen" begin with a symbol; -1 if neither two letters nor one are a symbol.
int element_of_tag(std::string_view tag) {
  if (starts_with_ignoring_case(tag, "bq")) tag.remove_prefix(2);
  for (const std::size_t letters : {std::size_t{2}, std::size_t{1}}) {
    if (tag.size() < letters) continue;
    if (const int number = atomic_number(tag.substr(0, letters)); number > 0) return number;
  }
  return -1;
}

/// After "Output coordinates in angstroms (scale by ...": "   1 O    8.0000   0.0   0.0   0.1414".
void read_geometry(LineReader& reader, Calculation& calculation) {
  const double factor = contains(reader.line(), "angstroms") ? units::bohr_per_angstrom : 1;
  std::vector<Atom> atoms;
  std::vector<std::string> tags;
  for (int skipped = 0; reader.next();) {
    const auto& words = reader.words();
    const auto charge = words.size() == 6 && parse_integer(words[0]) ? parse_real(words[2]) : std::nullopt;
    const int element = charge ? element_of_tag(words[1]) : -1;
    if (element < 0 || !(*charge >= 0 && *charge <= 118)) {
      check_no_stars(reader, atoms.size());
      if (!atoms.empty() || ++skipped > 4) break;
      continue;
    }
    Atom atom;
    atom.nuclear_charge = *charge;
    atom.atomic_number = *charge == 0 ? 0 : element;
    atom.ghost_of = *charge == 0 ? element : 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      atom.position_bohr[static_cast<Eigen::Index>(axis)] =
          reader.real(words[3 + axis], "coordinate") * factor;
    }
    atoms.push_back(atom);
    tags.emplace_back(words[1]);
  }
  if (atoms.empty()) return;
  calculation.output.geometries.push_back(atoms);
  calculation.output.atoms = std::move(atoms);
  calculation.tags = std::move(tags);
  calculation.inherited = false;
}

/// "  1 S  1.30709320E+02  0.154329": the first number counts the shells of the tag.
void read_primitive(const LineReader& reader, const std::vector<std::string_view>& words, long& last,
                    PrintedBasis& basis) {
  static constexpr std::string_view letters = "spdfgh";
  const std::string letter = lower_case(words[1]);
  const std::size_t l = letter.size() == 1 ? letters.find(letter) : std::string_view::npos;
  if (l == std::string_view::npos)
    reader.fail(fmt::format("expected a shell (S, P, D, F, G or H), found {}", isolume::quoted(words[1])),
                "Use a basis set with functions up to h.");
  const long number = reader.integer(words[0], "number of the shell");
  if (number != last || basis.shells.empty()) {
    basis.shells.emplace_back();
    basis.shells.back().angular_momentum = static_cast<int>(l);
    last = number;
  }
  const double exponent = reader.real(words[2], "exponent");
  if (!(exponent > 0)) reader.fail("the exponent is not positive");
  basis.shells.back().exponents.push_back(exponent);
  basis.shells.back().coefficients.push_back(reader.real(words[3], "contraction coefficient"));
}

/// After `Basis "ao basis" -> "ao basis" (cartesian)`: for each tag a heading, "  O (Oxygen)", and its shells.
void read_basis(LineReader& reader, Calculation& calculation) {
  calculation.spherical = contains(reader.line(), "spherical");
  calculation.basis.clear();
  PrintedBasis* basis = nullptr;
  long last = 0;
  while (reader.next()) {
    const auto& words = reader.words();
    if (!words.empty() && words[0] == "Summary") return;
    if (words.size() == 2 && words[1].starts_with('(') && words[1].ends_with(')')) {
      basis = &calculation.basis[std::string(words[0])];
      *basis = {std::string(words[0]), {}};
    } else if (basis != nullptr && words.size() == 4 && parse_integer(words[0])) {
      read_primitive(reader, words, last, *basis);
    }
  }
}

/// The rows below a heading: a number, and one coefficient per column.
std::vector<double> read_rows(LineReader& reader, std::size_t columns) {
  std::vector<double> values;
  for (long row = 1; reader.next(); ++row) {
    const auto& words = reader.words();
    if (!words.empty() && words[0].starts_with("---")) {
      --row;
      continue;
    }
    if (words.size() != columns + 1 || parse_integer(words[0]) != row || !contains(words[1], ".")) {
      reader.push_back();
      break;
    }
    for (std::size_t i = 0; i < columns; ++i)
      values.push_back(reader.real(words[1 + i], "orbital coefficient"));
  }
  return values;
}

/// "alpha evecs[1:60,1:58]" has 58 orbitals; 0 if the line does not state them.
std::size_t orbitals_announced(std::string_view line) {
  const std::size_t bracket = line.find(']');
  const std::size_t before = bracket == std::string_view::npos ? bracket : line.rfind(':', bracket);
  if (before == std::string_view::npos) return 0;
  return static_cast<std::size_t>(
      std::max(0L, parse_integer(line.substr(before + 1, bracket - before - 1)).value_or(0)));
}

/// After "global array: alpha evecs[1:60,1:60]": six orbitals at a time, a row for each function.
void read_vectors(LineReader& reader, Calculation& calculation) {
  const bool beta = contains(reader.line(), "beta");
  const std::size_t announced = orbitals_announced(reader.line());
  Table table;
  table.line = reader.line_number();
  std::size_t functions = 0;
  while (reader.next()) {
    if (reader.words().empty()) continue;
    const std::size_t columns = column_head(reader.words(), 1 + static_cast<long>(table.orbitals.size()));
    if (columns == 0) {
      check_end_of_table(reader, 1, table.orbitals.size());
      reader.push_back();
      break;
    }
    const std::vector<double> values = read_rows(reader, columns);
    const std::size_t rows = values.size() / columns;
    if (functions == 0) functions = rows;
    if (rows == 0 || rows != functions)
      reader.fail(fmt::format("expected the coefficients of {} functions, found {}", functions, rows),
                  "The output is truncated: copy it again.");
    Orbital orbital;
    orbital.spin = beta ? Spin::beta : Spin::alpha;
    table.orbitals.resize(table.orbitals.size() + columns, orbital);
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t row = 0; row < rows; ++row) table.values.push_back(values[row * columns + i]);
    }
  }
  if (table.orbitals.size() < announced)
    reader.fail(fmt::format("expected {} orbitals, found {}", announced, table.orbitals.size()),
                "The output is truncated: copy it again.");
  table.names.resize(functions);
  calculation.output.tables[beta ? 1 : 0] = std::move(table);
  if (!beta) calculation.output.tables[1] = {};
  calculation.atoms_of_orbitals = calculation.output.atoms;
  calculation.tags_of_orbitals = calculation.tags;
}

/// " Vector    1  Occ=2.000000D+00  E=-1.136493D+01  Symmetry=a1".
void read_vector_line(std::string_view line, bool beta, Calculation& calculation) {
  const auto behind = [line](std::string_view key) -> std::string_view {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = trimmed(line.substr(at + key.size()));
    return rest.substr(0, rest.find(' '));
  };
  const auto number = parse_integer(behind("Vector"));
  const auto occupation = parse_real(behind("Occ="));
  const auto energy = parse_real(behind(" E="));
  if (!number || *number < 1 || !occupation || !energy) return;
  Orbital orbital;
  orbital.occupation = *occupation;
  orbital.energy_hartree = *energy;
  orbital.symmetry = behind("Symmetry=");
  calculation.told[beta ? 1 : 0][static_cast<std::size_t>(*number - 1)] = orbital;
}

/// Properties are only printed for orbitals near the frontier: lower ones have the occupation of the lowest of these.
void take_properties(const std::map<std::size_t, Orbital>& told, Table& table) {
  if (told.empty()) return;
  for (std::size_t i = 0; i < table.orbitals.size(); ++i) {
    Orbital& orbital = table.orbitals[i];
    if (const auto found = told.find(i); found != told.end()) {
      orbital.occupation = found->second.occupation;
      orbital.energy_hartree = found->second.energy_hartree;
      orbital.symmetry = found->second.symmetry;
    } else if (i < told.begin()->first) {
      orbital.occupation = told.begin()->second.occupation;
    }
  }
}

/// A basis set for each atom, by its tag or else by its element's symbol, and the names of the rows.
void take_basis(Calculation& calculation) {
  Output& output = calculation.output;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < output.atoms.size(); ++i) {
    auto found = calculation.basis.find(calculation.tags[i]);
    if (found == calculation.basis.end()) {
      const int wanted = element_of_tag(calculation.tags[i]);
      found = std::ranges::find_if(calculation.basis,
                                   [&](const auto& one) { return element_of_tag(one.first) == wanted; });
    }
    if (found == calculation.basis.end()) return;
    output.basis.push_back(found->second);
    for (const Shell& shell : found->second.shells) {
      const bool spherical = calculation.spherical && shell.angular_momentum > 1;  // p are x, y, z
      for (std::string& name : systematic_names(shell.angular_momentum, spherical))
        names.push_back(std::move(name));
    }
  }
  for (Table& table : output.tables) {
    if (table.names.size() == names.size()) table.names = names;
  }
}

void set_energy(double hartree, Output& output) {
  output.energy = Energy{hartree, "SCF"};
  output.failure.scf_ended();
}

/// "charge = 0.00", "Charge : 0", "Spin multiplicity: 1", "open shells = 1".
void read_counts(std::string_view text, const std::vector<std::string_view>& words,
                 Calculation& calculation) {
  if (words.size() < 3) return;
  const auto value = parse_real(words.back());
  if (!value) return;
  const int whole = static_cast<int>(std::clamp(*value, -1000.0, 1000.0));
  if (text.starts_with("charge  ") || text.starts_with("Charge  ")) calculation.output.charge = whole;
  if (text.starts_with("Spin multiplicity")) calculation.output.multiplicity = whole;
  if (text.starts_with("open shells")) calculation.output.multiplicity = 1 + whole;
  if (text.starts_with("Total SCF energy") || text.starts_with("Total DFT energy"))
    set_energy(*value, calculation.output);
}

/// A task keeps geometry and basis set of the previous ones unless the input changes them.
Calculation next_task(const Calculation& calculation) {
  Calculation next;
  next.output.atoms = calculation.output.atoms;
  if (!next.output.atoms.empty()) next.output.geometries = {next.output.atoms};
  next.output.charge = calculation.output.charge;
  next.output.multiplicity = calculation.output.multiplicity;
  next.tags = calculation.tags;
  next.basis = calculation.basis;
  next.spherical = calculation.spherical;
  next.inherited = true;
  return next;
}

Jobs<Calculation> read_calculations(LineReader& reader) {
  Jobs<Calculation> jobs;
  Calculation calculation;
  const auto worked = [&] {
    return calculation.output.energy || !calculation.output.tables[0].orbitals.empty();
  };
  const auto end_job = [&] {
    const bool orbitals = !calculation.output.tables[0].orbitals.empty() && !calculation.basis.empty();
    const bool geometry = !calculation.output.atoms.empty() && (worked() || !calculation.inherited);
    jobs.add(std::exchange(calculation, {}), geometry, orbitals);
  };
  bool beta = false;
  while (reader.next()) {
    const std::string_view text = trimmed(reader.line());
    if (contains(text, "Northwest Computational Chemistry Package")) {
      end_job();
    } else if (text == "NWChem Input Module" && worked()) {
      Calculation next = next_task(calculation);
      end_job();
      calculation = std::move(next);
    } else if (text.starts_with("Output coordinates in ")) {
      read_geometry(reader, calculation);
    } else if (text.starts_with("Basis \"ao basis\"")) {
      read_basis(reader, calculation);
    } else if (contains(text, "Molecular Orbital Analysis")) {
      beta = contains(text, "Beta");
      calculation.told[beta ? 1 : 0].clear();
      if (!beta) calculation.told[1].clear();
      calculation.output.unrestricted = beta || contains(text, "Alpha");
    } else if (text.starts_with("Vector ")) {
      read_vector_line(text, beta, calculation);
    } else if (text.starts_with("global array:") && (contains(text, "MOs[") || contains(text, "evecs["))) {
      read_vectors(reader, calculation);
    } else if (contains(text, "Calculation failed to converge")) {
      calculation.output.failure.scf(reader);
    } else if (text.starts_with("There is an error in") || text.starts_with("This error has not yet been")) {
      calculation.output.failure.job(reader);
    } else {
      read_counts(text, reader.words(), calculation);
    }
  }
  end_job();
  return jobs;
}

}  // namespace

bool looks_like_nwchem(std::string_view text) {
  return contains(text, "Northwest Computational Chemistry Package");
}

FileContents read_nwchem(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  Jobs<Calculation> jobs = read_calculations(reader);
  Calculation& calculation = jobs.chosen();
  jobs.report(calculation.output.remarks);
  if (!calculation.atoms_of_orbitals.empty()) {
    calculation.output.atoms = std::move(calculation.atoms_of_orbitals);
    calculation.tags = std::move(calculation.tags_of_orbitals);
  }
  take_basis(calculation);
  for (std::size_t spin = 0; spin < 2; ++spin)
    take_properties(calculation.told[spin], calculation.output.tables[spin]);
  return finish(std::move(calculation.output),
                {"nwchem", nwchem_rounding, false,
                 "Add print \"final vectors\" \"final vectors analysis\" to the scf or dft block, or use the "
                 "moldenfile keyword and open the Molden file."},
                reader);
}

}  // namespace isolume::molecules

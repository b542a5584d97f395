// Outputs of Psi4 that print basis set and orbitals.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/letter_case.h"
#include "core/base/units.h"
#include "core/molecules/element.h"
#include "core/molecules/outputs.h"

namespace isolume::molecules {
namespace {

constexpr std::size_t psi4_label_width = 16;
constexpr std::size_t psi4_column_width = 13;
constexpr double psi4_rounding = 0.5e-7;

/// "O  0.0  0.0  -0.0667  15.99"; a ghost is "Gh(O)".
std::optional<Atom> atom_of(const std::vector<std::string_view>& words, double factor) {
  if (words.size() < 4 || words.size() > 5) return std::nullopt;
  std::string_view symbol = words[0];
  const bool ghost = symbol.starts_with("Gh(") && symbol.ends_with(')');
  if (ghost) symbol = symbol.substr(3, symbol.size() - 4);
  const int number = atomic_number(symbol);
  if (number < 0) return std::nullopt;
  Atom atom;
  atom.atomic_number = ghost ? 0 : number;
  atom.ghost_of = ghost ? number : 0;
  atom.nuclear_charge = atom.atomic_number;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto value = parse_real(words[1 + axis]);
    if (!value) return std::nullopt;
    atom.position_bohr[static_cast<Eigen::Index>(axis)] = *value * factor;
  }
  return atom;
}

/// Molecule of one heading "Geometry (in Angstrom), charge = 0, multiplicity = 1:".
struct Geometry {
  std::vector<Atom> atoms;
  std::optional<int> charge, multiplicity;

  /// Another molecule belongs to another calculation; other positions may be a step of an optimisation.
  bool same_molecule(const Output& output) const {
    return charge.value_or(output.charge.value_or(0)) == output.charge.value_or(0) &&
           multiplicity.value_or(output.multiplicity.value_or(1)) == output.multiplicity.value_or(1) &&
           std::ranges::equal(atoms, output.atoms, [](const Atom& a, const Atom& b) {
             return a.atomic_number == b.atomic_number && a.ghost_of == b.ghost_of;
           });
  }
};

/// The heading and the atoms.
Geometry read_geometry(LineReader& reader) {
  Geometry geometry;
  const auto& head = reader.words();
  const double factor = head[2].starts_with("Bohr") ? 1 : units::bohr_per_angstrom;
  for (std::size_t i = 0; i + 2 < head.size(); ++i) {
    std::string_view value = head[i + 2];
    value = value.substr(0, value.find_first_of(",:"));
    const auto number = parse_integer(value);
    if (!number) continue;
    const int clamped = static_cast<int>(std::clamp(*number, -1000L, 1000L));
    if (head[i] == "charge") geometry.charge = clamped;
    if (head[i] == "multiplicity") geometry.multiplicity = clamped;
  }
  for (int skipped = 0; reader.next();) {
    if (const auto atom = atom_of(reader.words(), factor)) {
      geometry.atoms.push_back(*atom);
      continue;
    }
    check_no_stars(reader, geometry.atoms.size());
    if (!geometry.atoms.empty() || ++skipped > 4) break;
  }
  return geometry;
}

/// Deviation of the shell from a normalised one, as a logarithm.
double distance_from_norm(const Shell& shell) {
  double self_overlap = 0;
  for (std::size_t i = 0; i < shell.exponents.size(); ++i) {
    for (std::size_t j = 0; j < shell.exponents.size(); ++j) {
      const double mean = 2 * std::sqrt(shell.exponents[i] * shell.exponents[j]);
      self_overlap +=
          shell.coefficients[i] * shell.coefficients[j] *
          std::pow(mean / (shell.exponents[i] + shell.exponents[j]), shell.angular_momentum + 1.5);
    }
  }
  return std::abs(std::log(std::max(self_overlap, 1e-30)));
}

/// In some versions the coefficients include the norms of their primitives: the variant closer to normalised shells
/// is chosen.
void take_out_norms(std::vector<PrintedBasis>& printed) {
  double with_norms = 0, without_norms = 0;
  std::vector<PrintedBasis> changed = printed;
  for (std::size_t block = 0; block < printed.size(); ++block) {
    for (std::size_t i = 0; i < printed[block].shells.size(); ++i) {
      Shell& shell = changed[block].shells[i];
      for (std::size_t p = 0; p < shell.exponents.size(); ++p)
        shell.coefficients[p] /= primitive_norm(shell.exponents[p], {shell.angular_momentum, 0, 0});
      with_norms += distance_from_norm(shell);
      without_norms += distance_from_norm(printed[block].shells[i]);
    }
  }
  if (with_norms < without_norms) printed = std::move(changed);
}

/// Only symmetry-unique atoms are printed, with their numbers: a missing one has the shells of the last printed one
/// of its element.
std::vector<PrintedBasis> read_basis(LineReader& reader, const Output& output) {
  std::vector<PrintedBasis> printed(output.atoms.size());
  bool began = false;
  while (reader.next()) {
    const auto& words = reader.words();
    if (words.empty() && began) break;
    const auto number = words.size() == 2 ? parse_integer(words[1]) : std::nullopt;
    if (!number || atomic_number(words[0]) < 0) continue;
    if (*number < 1 || *number > static_cast<long>(printed.size()))
      reader.fail(fmt::format("the basis set of atom {}, but there are {}", *number, printed.size()));
    began = true;
    printed[static_cast<std::size_t>(*number - 1)] = read_shells(reader, std::string(words[0]));
  }
  take_out_norms(printed);
  for (std::size_t i = 0; i < printed.size(); ++i) {
    for (std::size_t j = i; j-- > 0 && printed[i].shells.empty();) {
      const auto element = [&](const Atom& atom) { return atom.atomic_number + atom.ghost_of; };
      if (element(output.atoms[j]) == element(output.atoms[i])) printed[i] = printed[j];
    }
  }
  return printed;
}

bool same_basis(const std::vector<PrintedBasis>& a, const std::vector<PrintedBasis>& b) {
  const auto same_shell = [](const Shell& x, const Shell& y) {
    return x.angular_momentum == y.angular_momentum && x.exponents == y.exponents &&
           x.coefficients == y.coefficients;
  };
  return std::ranges::equal(a, b, [&](const PrintedBasis& x, const PrintedBasis& y) {
    return std::ranges::equal(x.shells, y.shells, same_shell);
  });
}

/// "O1 s0" -> "s", "O1 p+1" -> "px", "O1 d+1" and "O1 dxx" as they are.
std::string function_name(std::string_view label) {
  std::vector<std::string_view> words;
  split_words(label, words);
  if (words.empty()) return {};
  const std::string name = lower_case(words.back());
  if (name == "s0") return "s";
  if (name == "p0") return "pz";
  if (name == "p+1") return "px";
  if (name == "p-1") return "py";
  return name;
}

/// The rows below the coefficients: "Ene", "Sym", "Occ". True after the last.
bool read_property(LineReader& reader, std::size_t columns, Table& table) {
  const auto& words = reader.words();
  const std::size_t first = table.orbitals.size() - columns;
  if (words.size() != columns + 1)
    reader.fail(fmt::format("expected a value for each of {} orbitals, found {}", columns, words.size() - 1));
  for (std::size_t i = 0; i < columns; ++i) {
    Orbital& orbital = table.orbitals[first + i];
    if (words[0] == "Ene") orbital.energy_hartree = reader.real(words[1 + i], "energy of the orbital");
    if (words[0] == "Occ") orbital.occupation = reader.real(words[1 + i], "occupation");
    if (words[0] == "Sym") orbital.symmetry = words[1 + i];
  }
  return words[0] == "Occ";
}

void read_row(LineReader& reader, std::size_t columns, std::vector<double>& values) {
  const std::string_view line = reader.line();
  std::vector<std::string_view> words;
  split_words(line.substr(std::min(psi4_label_width, line.size())), words);
  if (words.size() != columns)
    split_columns(line.substr(std::min(psi4_label_width, line.size())), psi4_column_width, words);
  if (words.size() != columns)
    reader.fail(fmt::format("expected the coefficients of {} orbitals, found {}", columns, words.size()),
                "The output is truncated: copy it again.");
  for (const std::string_view word : words) values.push_back(reader.real(word, "orbital coefficient"));
}

/// Five orbitals at a time: their numbers, a row for each function, and their properties.
Table read_orbitals(LineReader& reader, Spin spin) {
  Table table;
  table.line = reader.line_number();
  while (reader.next()) {
    if (reader.words().empty()) continue;
    const std::size_t columns = column_head(reader.words(), 1 + static_cast<long>(table.orbitals.size()));
    if (columns == 0) {
      check_end_of_table(reader, 1, table.orbitals.size());
      reader.push_back();
      break;
    }
    const bool first_group = table.orbitals.empty();
    table.orbitals.resize(table.orbitals.size() + columns,
                          {spin, 0, std::numeric_limits<double>::quiet_NaN(), {}});
    std::vector<double> values;
    for (bool more = true; more;) {
      reader.require("the coefficients, energies and occupations of orbitals");
      const auto& words = reader.words();
      if (words.empty()) continue;
      if (words[0] == "Ene" || words[0] == "Sym" || words[0] == "Occ") {
        more = !read_property(reader, columns, table);
        continue;
      }
      if (first_group) table.names.push_back(function_name(reader.line().substr(0, psi4_label_width)));
      read_row(reader, columns, values);
    }
    if (values.size() != columns * table.names.size())
      reader.fail(fmt::format("expected the coefficients of {} functions, found {}", table.names.size(),
                              values.size() / columns),
                  "The output is truncated: copy it again.");
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t row = 0; row < table.names.size(); ++row)
        table.values.push_back(values[row * columns + i]);
    }
  }
  table.ends_file = reader.remaining() == 0;
  return table;
}

/// "X:  0.1  Y:  0.2  Z:  0.3  Total:  0.4", in debye.
void read_older_dipole(const std::vector<std::string_view>& words, Output& output) {
  Eigen::Vector3d dipole;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto value = words.size() == 8 ? parse_real(words[2 * axis + 1]) : std::nullopt;
    if (!value) return;
    dipole[static_cast<Eigen::Index>(axis)] = *value;
  }
  output.dipole_debye = dipole;
}

/// "Dipole X            :   -0.33    0.99    0.66": electrons, nuclei, both, in atomic units.
void read_dipole(const std::vector<std::string_view>& words, Output& output) {
  const std::size_t axis = words.size() == 6 && words[0] == "Dipole" ? std::string_view("XYZ").find(words[1])
                                                                     : std::string_view::npos;
  const auto value = axis == std::string_view::npos ? std::nullopt : parse_real(words[5]);
  if (!value) return;
  if (!output.dipole_debye) output.dipole_debye = Eigen::Vector3d::Zero();
  (*output.dipole_debye)[static_cast<Eigen::Index>(axis)] = *value * debye_per_e_bohr;
}

}  // namespace

bool looks_like_psi4(std::string_view text) {
  return text.find("Psi4: An Open-Source") != std::string_view::npos;
}

FileContents read_psi4(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  Output output;
  std::vector<Atom> atoms_of_orbitals;
  Jobs<Output> jobs;
  const auto end_job = [&] {
    if (!atoms_of_orbitals.empty()) output.atoms = std::move(atoms_of_orbitals);
    atoms_of_orbitals.clear();
    const bool geometry = !output.atoms.empty(), orbitals = output.has_orbitals();
    jobs.add(std::exchange(output, {}), geometry, orbitals);
  };
  while (reader.next()) {
    const std::string_view text = trimmed(reader.line());
    if (text.starts_with("Psi4: An Open-Source")) {
      end_job();
    } else if (text.starts_with("Geometry (in ") && reader.words().size() > 2) {
      Geometry geometry = read_geometry(reader);
      if (geometry.atoms.empty()) continue;
      if (!output.atoms.empty() && !geometry.same_molecule(output)) end_job();
      if (geometry.charge) output.charge = geometry.charge;
      if (geometry.multiplicity) output.multiplicity = geometry.multiplicity;
      output.geometries.push_back(geometry.atoms);
      output.atoms = std::move(geometry.atoms);
    } else if (text == "==> AO Basis Functions <==") {
      std::vector<PrintedBasis> basis = read_basis(reader, output);
      if (output.has_orbitals() && !same_basis(basis, output.basis)) {
        Output next;  // another calculation with the same molecule
        next.charge = output.charge;
        next.multiplicity = output.multiplicity;
        next.atoms = output.atoms;
        next.geometries = {output.atoms};
        end_job();
        output = std::move(next);
      }
      output.basis = std::move(basis);
    } else if (text == "==> Molecular Orbitals <==" || text == "==> Alpha-Spin Molecular Orbitals <==") {
      output.unrestricted = contains(text, "Alpha");
      output.tables = {read_orbitals(reader, Spin::alpha), Table()};
      atoms_of_orbitals = output.atoms;
    } else if (text == "==> Beta-Spin Molecular Orbitals <==") {
      output.tables[1] = read_orbitals(reader, Spin::beta);
    } else if (text.starts_with("Total Energy =") && reader.words().size() == 4) {
      if (const auto energy = parse_real(reader.words()[3])) output.energy = Energy{*energy, "SCF"};
      output.failure.scf_ended();
    } else if (contains(text, "Could not converge SCF") || text.starts_with("Failed to converge") ||
               contains(text, "did not converge, but proceeding")) {
      output.failure.scf(reader);
    } else if (text.starts_with("Psi4 encountered an error") ||
               contains(text, "Could not converge geometry")) {
      output.failure.job(reader);
    } else if (text == "Dipole Moment: [D]" && reader.next()) {
      read_older_dipole(reader.words(), output);
    } else if (text.starts_with("Dipole ")) {
      read_dipole(reader.words(), output);
    }
  }
  end_job();
  jobs.report(jobs.chosen().remarks);
  return finish(
      std::move(jobs.chosen()),
      {"psi4", psi4_rounding, false,
       "Add \"set print_basis true\" and \"set print_mos true\" to the input, or call molden() or fchk() "
       "there and open that file."},
      reader);
}

}  // namespace isolume::molecules

// Molekel files (.mkl), as ORCA and IOData write them.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/units.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

struct MklFile {
  Molecule molecule;
  BasisSet basis;
  OrbitalSet set;
  std::vector<double> coefficients;  ///< one orbital after the other
  PrintedDigits coefficient_digits;
  Rounding rounding;
};

bool ends(std::string_view line) {
  return starts_with_ignoring_case(trimmed(line), "$end");
}

void read_atoms(LineReader& reader, Molecule& molecule, Rounding& rounding) {
  PrintedDigits digits;
  while (reader.next() && !ends(reader.line())) {
    const auto& words = reader.words();
    if (words.empty()) continue;
    if (words.size() < 4) reader.fail("expected an atom (atomic number, x, y, z)");
    Atom atom;
    atom.atomic_number = static_cast<int>(reader.integer(words[0], "atomic number", 0, 118));
    atom.nuclear_charge = atom.atomic_number;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      atom.position_bohr[static_cast<Eigen::Index>(axis)] =
          reader.real(words[1 + axis], "coordinate") * units::bohr_per_angstrom;
      digits.see(words[1 + axis]);
    }
    molecule.atoms.push_back(atom);
  }
  rounding.position_bohr = digits.half_unit(1) * units::bohr_per_angstrom;
}

/// " 5 D 1.0", the number of functions and the kind, then its primitives; "$$" between atoms.
void read_basis(LineReader& reader, BasisSet& basis, Rounding& rounding) {
  static constexpr std::string_view letters = "SPDFGH";
  int atom = 0;
  while (reader.next() && !ends(reader.line())) {
    const auto& words = reader.words();
    if (words.empty()) continue;
    if (words[0] == "$$") {
      ++atom;
    } else if (words.size() >= 2 && parse_integer(words[0]) && words[1].size() == 1) {
      const std::size_t l = letters.find(words[1]);
      if (l == std::string_view::npos)
        reader.fail(fmt::format("expected a shell (S, P, D, F, G or H), found {}", quoted(words[1])),
                    "Use a basis set with functions up to h.");
      Shell shell;
      shell.atom = atom;
      shell.angular_momentum = static_cast<int>(l);
      const long functions = reader.integer(words[0], "number of functions");
      shell.spherical = l > 1 && functions == static_cast<long>(2 * l + 1);
      if (functions != shell.function_count())
        reader.fail(fmt::format("a shell {} cannot have {} functions", words[1], functions));
      basis.shells.push_back(std::move(shell));
    } else {
      if (basis.shells.empty() || words.size() < 2)
        reader.fail(fmt::format("expected a primitive (exponent, coefficient), found {}",
                                quoted(trimmed(reader.line()))));
      const double exponent = reader.real(words[0], "exponent");
      if (!(exponent > 0)) reader.fail("the exponent is not positive");
      basis.shells.back().exponents.push_back(exponent);
      basis.shells.back().coefficients.push_back(reader.real(words[1], "contraction coefficient"));
      rounding.exponents.see(words[0]);
      rounding.contractions.see(words[1]);
    }
  }
}

/// Five orbitals at a time: their symmetries, their energies, and a row for each function.
void read_orbitals(LineReader& reader, Spin spin, std::size_t functions, MklFile& file) {
  while (reader.next() && !ends(reader.line())) {
    const std::size_t columns = reader.words().size();
    if (columns == 0) continue;
    const std::size_t first = file.set.orbitals.size();
    for (const std::string_view word : reader.words()) {
      Orbital orbital;
      orbital.spin = spin;
      orbital.symmetry = word;
      file.set.orbitals.push_back(std::move(orbital));
    }
    for (std::size_t row = 0; row <= functions; ++row) {
      reader.require(row == 0 ? "energies of orbitals" : "orbital coefficients");
      const auto& words = reader.words();
      if (words.size() != columns)
        reader.fail(fmt::format("expected {} numbers of as many orbitals, found {}", columns, words.size()));
      if (row == 0) file.coefficients.resize((first + columns) * functions);
      for (std::size_t i = 0; i < columns; ++i) {
        const double value = reader.real(words[i], row == 0 ? "energy" : "orbital coefficient");
        if (row == 0) {
          file.set.orbitals[first + i].energy_hartree = value;
        } else {
          file.coefficients[(first + i) * functions + row - 1] = value;
        }
      }
      if (row > 0) file.coefficient_digits.see(words[0]);
    }
  }
}

void read_occupations(LineReader& reader, Spin spin, OrbitalSet& set) {
  std::vector<int> positions = set.of_spin(spin);
  std::size_t next = 0;
  while (reader.next() && !ends(reader.line())) {
    for (const std::string_view word : reader.words()) {
      if (next == positions.size()) reader.fail("more occupations than orbitals");
      set.orbitals[static_cast<std::size_t>(positions[next++])].occupation = reader.real(word, "occupation");
    }
  }
  if (next != positions.size()) reader.fail("expected the occupation of each orbital");
}

MklFile read_mkl_file(LineReader& reader) {
  MklFile file;
  std::size_t functions = 0;
  while (reader.next()) {
    const std::string name = lower_case(trimmed(reader.line()));
    if (name == "$char_mult") {
      reader.require("charge and multiplicity");
      if (reader.words().size() < 2) reader.fail("expected charge and multiplicity");
      file.molecule.charge = static_cast<int>(reader.integer(reader.words()[0], "charge", -1000, 1000));
      file.molecule.multiplicity =
          static_cast<int>(reader.integer(reader.words()[1], "multiplicity", 0, 1000));
    } else if (name == "$coord" && file.molecule.atoms.empty()) {
      read_atoms(reader, file.molecule, file.rounding);
    } else if (name == "$basis" && file.basis.shells.empty()) {
      read_basis(reader, file.basis, file.rounding);
      for (const Shell& shell : file.basis.shells) {
        if (shell.exponents.empty()) reader.fail("a shell without primitives");
        if (shell.atom >= static_cast<int>(file.molecule.atoms.size()))
          reader.fail(fmt::format("the basis set is for more than the {} atoms", file.molecule.atoms.size()));
      }
      functions = file.basis.function_count();
    } else if (name == "$coeff_alpha" || name == "$coeff_beta") {
      if (functions == 0) reader.fail("orbital coefficients before the basis set ($BASIS)");
      read_orbitals(reader, name == "$coeff_beta" ? Spin::beta : Spin::alpha, functions, file);
    } else if (name == "$occ_alpha" || name == "$occ_beta") {
      read_occupations(reader, name == "$occ_beta" ? Spin::beta : Spin::alpha, file.set);
    }
  }
  return file;
}

}  // namespace

bool looks_like_mkl(std::string_view text) {
  return trimmed(text.substr(0, 200)).starts_with("$MKL");
}

FileContents read_mkl(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  MklFile file = read_mkl_file(reader);
  if (file.molecule.atoms.empty()) reader.fail_at(0, "expected the section $COORD with atoms, found none");
  FileContents contents;
  if (source.text.substr(0, 400).find("ORCA") != std::string_view::npos) contents.document.program = "orca";
  contents.order = &molden_order;
  contents.document.molecule = std::move(file.molecule);
  if (file.set.orbitals.empty()) {
    contents.document.remarks.warn("The file has no orbitals ($COEFF_ALPHA).");
    return contents;
  }
  auto wavefunction = std::make_shared<Wavefunction>();
  wavefunction->basis = std::move(file.basis);
  file.set.coefficients = Eigen::Map<const Eigen::MatrixXd>(
      file.coefficients.data(), static_cast<Eigen::Index>(wavefunction->basis.function_count()),
      static_cast<Eigen::Index>(file.set.orbitals.size()));
  file.set.name = name_by_occupations(file.set);
  const double largest = file.set.coefficients.cwiseAbs().maxCoeff();
  rearrange_rows(rearrangement(wavefunction->basis, molden_order, isolume_order), file.set.coefficients);
  wavefunction->sets.push_back(std::move(file.set));
  contents.rounding = std::move(file.rounding);
  contents.rounding.orbitals = file.coefficient_digits.half_unit(largest);
  contents.wavefunction = std::move(wavefunction);
  return contents;
}

}  // namespace isolume::molecules

// NBO input files (.47, FILE47): basis set, overlap and density matrices, optionally orbitals. F. Weinhold and
// others, NBO manual, section B.7.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/units.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/overlap.h"
#include "core/molecules/readers.h"
#include "core/molecules/sections.h"

namespace isolume::molecules {
namespace {

/// Labels of the functions: hundreds for the angular momentum, from 1 Cartesian, from 51 spherical.
const AngularOrder nbo_order{lexicographic_order.cartesian,
                             {"c0", "c1 s1 c0", "s2 c1 s1 c2 c0", "c0 c1 s1 c2 s2 c3 s3",
                              "c0 c1 s1 c2 s2 c3 s3 c4 s4", "c0 c1 s1 c2 s2 c3 s3 c4 s4 c5 s5"}};

/// "$NAME words $END", over one line or many.
Sections read_sections(LineReader& reader) {
  Sections sections{"${}", {}};
  Section* current = nullptr;
  bool title_follows = false;  // the title may be an empty line
  while (reader.next()) {
    if (current != nullptr && title_follows) current->title = trimmed(reader.line());
    title_follows = false;
    for (const std::string_view word : reader.words()) {
      if (!word.starts_with('$')) {
        if (current != nullptr) current->words.push_back(word);
        continue;
      }
      const std::string name = lower_case(word.substr(1));
      current = name == "end" ? nullptr : &sections.by_name[name];
      title_follows = current != nullptr;
      if (current != nullptr && current->line == 0) current->line = reader.line_number();
    }
  }
  return sections;
}

double real(std::string_view word, const Section& section, const LineReader& reader) {
  const auto value = parse_real(word);
  if (!value)
    reader.fail_at(
        section.line,
        fmt::format("expected a finite number in the section that begins here, found {}", quoted(word)));
  return *value;
}

/// What follows "NAME =" up to the next name.
std::vector<double> values_of(const Section& section, std::string_view name, const LineReader& reader) {
  std::vector<double> numbers;
  const auto& words = section.words;
  const std::string wanted = lower_case(name), joined = wanted + "=";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const std::string word = lower_case(words[i]); word != wanted && word != joined) continue;
    std::size_t k = i + (words[i].ends_with('=') ? 1 : 2);
    for (; k < words.size() && parse_real(words[k]); ++k) numbers.push_back(*parse_real(words[k]));
    const bool at_name =
        k >= words.size() || (k + 1 < words.size() && words[k + 1] == "=") || words[k].ends_with('=');
    if (!at_name) return {real(words[k], section, reader)};  // fails with a message
    return numbers;
  }
  return numbers;
}

std::vector<long> integers_of(const Section& section, std::string_view name, const LineReader& reader) {
  std::vector<long> numbers;
  for (const double value : values_of(section, name, reader)) {
    if (value != std::floor(value) || std::abs(value) > 1e9)
      reader.fail_at(section.line, fmt::format("expected whole numbers at {}", name));
    numbers.push_back(static_cast<long>(value));
  }
  return numbers;
}

/// Compares a number that the file states ("NATOMS=2", "NSHELL = 11") with that of what it lists.
void check_count(const Section& section, std::string_view name, std::size_t listed, std::string_view what,
                 const LineReader& reader) {
  const std::string wanted = lower_case(name);
  const auto& words = section.words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!lower_case(words[i]).starts_with(wanted)) continue;
    std::string_view rest = words[i].substr(name.size());
    if (rest.starts_with('=')) rest.remove_prefix(1);
    while (rest.empty() && ++i < words.size()) {
      rest = words[i];
      if (rest.starts_with('=')) rest.remove_prefix(1);
    }
    const auto stated = parse_integer(rest);
    if (stated && *stated == static_cast<long>(listed)) return;
    reader.fail_at(section.line,
                   fmt::format("{} is {}, but the file lists {} {}", name, quoted(rest), listed, what),
                   "The file is damaged, or its parts do not belong together: write it again.");
  }
}

bool has_keyword(const Section& section, std::string_view keyword) {
  return std::any_of(section.words.begin(), section.words.end(),
                     [keyword](std::string_view word) { return lower_case(word) == keyword; });
}

Molecule make_molecule(const Section& general, const Section& places, const LineReader& reader) {
  const double factor = has_keyword(general, "bohr") ? 1 : units::bohr_per_angstrom;
  Molecule molecule;
  molecule.title = places.title;
  std::vector<std::string_view> title;
  split_words(places.title, title);
  if (places.words.size() < title.size() || (places.words.size() - title.size()) % 5 != 0)
    reader.fail_at(places.line, "expected lines of atomic number, nuclear charge, x, y and z");
  for (std::size_t i = title.size(); i < places.words.size(); i += 5) {
    const auto number = [&](std::size_t k) { return real(places.words[i + k], places, reader); };
    Atom atom;
    const double z = number(0), charge = number(1);
    if (!(z >= 0 && z <= 118 && charge >= 0 && charge <= 118))
      reader.fail_at(places.line, "the atomic number must lie between 0 and 118");
    atom.atomic_number = static_cast<int>(std::lround(z));
    atom.nuclear_charge = charge;
    if (charge == 0) {
      atom.ghost_of = atom.atomic_number;
      atom.atomic_number = 0;
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
      atom.position_bohr[static_cast<Eigen::Index>(axis)] = number(2 + axis) * factor;
    molecule.atoms.push_back(atom);
  }
  if (molecule.atoms.empty()) reader.fail_at(places.line, "there are no atoms");
  return molecule;
}

/// A function of the list as a shell's kind and its index there.
struct Label {
  int angular_momentum = 0;
  bool spherical = false;
  int place = 0;
};

std::optional<Label> read_label(long number) {
  Label label;
  const long l = number / 100;
  long index = number % 100;
  if (number <= 0 || l > max_angular_momentum || index == 0) return std::nullopt;
  label.angular_momentum = static_cast<int>(l);
  label.spherical = index > 50;
  if (label.spherical) index -= 50;
  Shell shell;
  shell.angular_momentum = label.angular_momentum;
  shell.spherical = label.spherical && l > 1;
  // p functions are x, y, z under either name.
  if (index > shell.function_count()) return std::nullopt;
  label.spherical = shell.spherical;
  label.place = static_cast<int>(index - 1);
  return label;
}

/// The basis set and, for each of its functions in our order, the row of the file.
struct Basis {
  BasisSet set;
  std::vector<int> rows;
};

/// $CONTRACT lists shells, each for one or several angular momenta; $BASIS names the functions one after the other,
/// with those of a shell together.
Basis make_basis(const Sections& sections, std::size_t atoms, const LineReader& reader) {
  const Section& functions = require(sections, "basis", reader);
  const Section& contract = require(sections, "contract", reader);
  const auto centres = integers_of(functions, "CENTER", reader);
  const auto labels = integers_of(functions, "LABEL", reader);
  const auto components = integers_of(contract, "NCOMP", reader);
  const auto counts = integers_of(contract, "NPRIM", reader);
  const auto pointers = integers_of(contract, "NPTR", reader);
  const auto exponents = values_of(contract, "EXP", reader);
  check_count(contract, "NSHELL", components.size(), "shells (NCOMP)", reader);
  check_count(contract, "NEXP", exponents.size(), "exponents (EXP)", reader);
  std::array<std::vector<double>, max_angular_momentum + 1> coefficients;
  constexpr std::array<std::string_view, max_angular_momentum + 1> names{"CS", "CP", "CD", "CF", "CG", "CH"};
  for (std::size_t l = 0; l < names.size(); ++l) coefficients[l] = values_of(contract, names[l], reader);
  if (centres.size() != labels.size() || centres.empty())
    reader.fail_at(functions.line, "expected a centre and a label for each function (CENTER, LABEL)");
  if (components.size() != counts.size() || counts.size() != pointers.size())
    reader.fail_at(contract.line, "expected NCOMP, NPRIM and NPTR for each shell");
  Basis basis;
  std::size_t next = 0;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const auto end = next + static_cast<std::size_t>(std::clamp(components[i], 0L, 1000L));
    if (end > labels.size())
      reader.fail_at(contract.line, "the shells have more functions than $BASIS lists");
    if (counts[i] < 1 || pointers[i] < 1 || static_cast<std::size_t>(counts[i]) > exponents.size() ||
        static_cast<std::size_t>(pointers[i]) - 1 > exponents.size() - static_cast<std::size_t>(counts[i]))
      reader.fail_at(contract.line,
                     fmt::format("the primitives of shell {} are not those of the list", i + 1));
    while (next < end) {
      const auto first = read_label(labels[next]);
      if (!first)
        reader.fail_at(functions.line, fmt::format("the label {} names no function up to h", labels[next]));
      Shell shell;
      shell.atom = static_cast<int>(std::clamp(centres[next], 0L, 1L << 30) - 1);
      if (shell.atom < 0 || shell.atom >= static_cast<int>(atoms))
        reader.fail_at(functions.line, fmt::format("a function belongs to centre {}, but there are {}",
                                                   centres[next], atoms));
      shell.angular_momentum = first->angular_momentum;
      shell.spherical = first->spherical;
      const auto& list = coefficients[static_cast<std::size_t>(first->angular_momentum)];
      for (long p = 0; p < counts[i]; ++p) {
        const auto k = static_cast<std::size_t>(pointers[i] - 1 + p);
        if (k >= list.size() || !(exponents[k] > 0))
          reader.fail_at(contract.line, fmt::format("the primitives of shell {} are incomplete", i + 1));
        if (list[k] == 0 && counts[i] > 1) continue;
        shell.exponents.push_back(exponents[k]);
        // The file's coefficients include the norm of the primitive.
        shell.coefficients.push_back(list[k] / primitive_norm(exponents[k], {shell.angular_momentum, 0, 0}));
      }
      if (shell.exponents.empty())
        reader.fail_at(contract.line, fmt::format("shell {} has no primitives", i + 1));
      const auto size = static_cast<std::size_t>(shell.function_count());
      std::vector<int> rows(size, -1);
      const Rearrangement how = rearrangement(isolume_order.of(shell), nbo_order.of(shell));
      for (std::size_t k = 0; k < size; ++k, ++next) {
        const auto label = next < end ? read_label(labels[next]) : std::nullopt;
        if (!label || label->angular_momentum != shell.angular_momentum ||
            label->spherical != shell.spherical)
          reader.fail_at(functions.line, fmt::format("the functions of shell {} are not complete", i + 1));
        rows[static_cast<std::size_t>(how.source[static_cast<std::size_t>(label->place)])] =
            static_cast<int>(next);
      }
      if (std::find(rows.begin(), rows.end(), -1) != rows.end())
        reader.fail_at(functions.line, fmt::format("the functions of shell {} are not complete", i + 1));
      const double square = self_overlap(shell);
      if (!(square > 0) || !std::isfinite(square))
        reader.fail_at(contract.line, fmt::format("shell {} cannot be normalised", i + 1));
      for (double& coefficient : shell.coefficients) coefficient /= std::sqrt(square);
      basis.rows.insert(basis.rows.end(), rows.begin(), rows.end());
      basis.set.shells.push_back(std::move(shell));
    }
  }
  if (next != labels.size())
    reader.fail_at(contract.line,
                   fmt::format("the shells have {} functions, but $BASIS lists {}", next, labels.size()));
  return basis;
}

/// Symmetric matrices of one or two spins, upper triangles or whole.
std::vector<Eigen::MatrixXd> matrices(const Section& section, std::size_t size, bool upper,
                                      const LineReader& reader) {
  const std::size_t each = upper ? size * (size + 1) / 2 : size * size;
  if (section.words.empty() || section.words.size() % each != 0 || section.words.size() / each > 2) {
    reader.fail_at(section.line,
                   fmt::format("expected {} numbers a matrix, found {}", each, section.words.size()),
                   "The file is truncated or damaged: write it again.");
  }
  std::vector<Eigen::MatrixXd> all;
  for (std::size_t at = 0; at < section.words.size();) {
    Eigen::MatrixXd matrix(static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(size));
    for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
      for (Eigen::Index row = 0; row < (upper ? column + 1 : matrix.rows()); ++row) {
        matrix(row, column) = real(section.words[at++], section, reader);
        if (upper) matrix(column, row) = matrix(row, column);
      }
    }
    all.push_back(std::move(matrix));
  }
  return all;
}

/// Electronic data in the file, in its own functions.
struct Electrons {
  Eigen::MatrixXd overlap;
  std::vector<Eigen::MatrixXd> densities;  ///< P, one or two spins
};

Electrons read_electrons(const Sections& sections, const Section& general, std::size_t functions,
                         const LineReader& reader) {
  const bool upper = has_keyword(general, "upper");
  Electrons electrons;
  electrons.overlap = matrices(require(sections, "overlap", reader), functions, upper, reader).front();
  electrons.densities = matrices(require(sections, "density", reader), functions, upper, reader);
  return electrons;
}

/// Natural orbitals: eigenvectors of S^1/2 P S^1/2, transformed back by S^-1/2. Those without electrons are arbitrary
/// and left out.
OrbitalSet natural_orbitals(const Electrons& electrons, bool bond_order, const LineReader& reader) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> metric(electrons.overlap);
  if (metric.info() != Eigen::Success || !(metric.eigenvalues()[0] > 1e-10))
    reader.fail_at(0, "the overlap matrix of the file is not positive");
  const Eigen::MatrixXd root = metric.operatorSqrt(), inverse = metric.operatorInverseSqrt();
  OrbitalSet set;
  set.name = "natural";
  for (std::size_t spin = 0; spin < electrons.densities.size(); ++spin) {
    // Without BODM the matrix is S P S.
    const Eigen::MatrixXd& side = bond_order ? root : inverse;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(side * electrons.densities[spin] * side);
    if (solved.info() != Eigen::Success)
      reader.fail_at(0, "the density matrix of the file has no eigenvalues");
    const Eigen::Index size = electrons.overlap.rows();
    Eigen::Index count = 0;
    while (count < size && solved.eigenvalues()[size - 1 - count] > 1e-5) ++count;
    const Eigen::Index first = set.coefficients.cols();
    set.coefficients.conservativeResize(size, first + count);
    for (Eigen::Index i = 0; i < count; ++i) {
      Orbital orbital;
      orbital.spin = spin == 1 ? Spin::beta : Spin::alpha;
      orbital.occupation = solved.eigenvalues()[size - 1 - i];
      set.orbitals.push_back(orbital);
      set.coefficients.col(first + i) = inverse * solved.eigenvectors().col(size - 1 - i);
    }
  }
  return set;
}

/// The orbitals of $LCAOMO, column by column; occupations from the density.
std::optional<OrbitalSet> listed_orbitals(const Sections& sections, const Electrons& electrons,
                                          bool bond_order, bool upper, const LineReader& reader) {
  const Section* section = find(sections, "lcaomo");
  if (section == nullptr) return std::nullopt;
  const auto size = static_cast<std::size_t>(electrons.overlap.rows());
  const auto tables = matrices(*section, size, false, reader);
  const Section* fock_section = find(sections, "fock");
  const auto focks =
      fock_section == nullptr ? std::vector<Eigen::MatrixXd>() : matrices(*fock_section, size, upper, reader);
  OrbitalSet set;
  for (std::size_t spin = 0; spin < tables.size(); ++spin) {
    const Eigen::MatrixXd& density = electrons.densities[std::min(spin, electrons.densities.size() - 1)];
    const Eigen::Index first = set.coefficients.cols();
    set.coefficients.conservativeResize(electrons.overlap.rows(), first + tables[spin].cols());
    set.coefficients.rightCols(tables[spin].cols()) = tables[spin];
    for (Eigen::Index i = 0; i < tables[spin].cols(); ++i) {
      const Eigen::VectorXd column = tables[spin].col(i);
      const Eigen::VectorXd image = bond_order ? Eigen::VectorXd(electrons.overlap * column) : column;
      Orbital orbital;
      orbital.spin = spin == 1 ? Spin::beta : Spin::alpha;
      orbital.occupation = image.dot(density * image);
      if (std::abs(orbital.occupation - std::round(orbital.occupation)) < 1e-4)
        orbital.occupation = std::round(orbital.occupation);
      if (spin < focks.size()) orbital.energy_hartree = column.dot(focks[spin] * column);
      set.orbitals.push_back(orbital);
    }
  }
  set.name = name_by_occupations(set);
  return set;
}

}  // namespace

bool looks_like_nbo(std::string_view text) {
  return lower_case(trimmed(text.substr(0, 4000)).substr(0, 7)) == "$gennbo";
}

FileContents read_nbo(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  const Sections sections = read_sections(reader);
  const Section& general = require(sections, "gennbo", reader);
  FileContents contents;
  contents.document.program = "nbo";
  contents.document.molecule = make_molecule(general, require(sections, "coord", reader), reader);
  check_count(general, "NATOMS", contents.document.molecule.atoms.size(), "atoms ($COORD)", reader);
  Basis basis = make_basis(sections, contents.document.molecule.atoms.size(), reader);
  const std::size_t functions = basis.rows.size();
  check_count(general, "NBAS", functions, "functions ($BASIS)", reader);
  check_matrix_size(functions, functions, source.text.size());
  const Electrons electrons = read_electrons(sections, general, functions, reader);
  const bool bond_order = has_keyword(general, "bodm");
  auto set = listed_orbitals(sections, electrons, bond_order, has_keyword(general, "upper"), reader);
  if (!set) {
    set = natural_orbitals(electrons, bond_order, reader);
    contents.document.remarks.converted(
        "The file has no orbitals ($LCAOMO): these are natural orbitals made from its density.");
  }
  // The functions of the file need not be normalised: its overlap matrix gives their norms.
  const Eigen::MatrixXd as_listed = set->coefficients;
  for (std::size_t i = 0; i < functions; ++i) {
    const Eigen::Index row = basis.rows[i];
    set->coefficients.row(static_cast<Eigen::Index>(i)) =
        std::sqrt(std::max(0.0, electrons.overlap(row, row))) * as_listed.row(row);
  }
  contents.wavefunction = std::make_shared<Wavefunction>();
  contents.wavefunction->basis = std::move(basis.set);
  contents.wavefunction->sets.push_back(std::move(*set));
  return contents;
}

}  // namespace isolume::molecules

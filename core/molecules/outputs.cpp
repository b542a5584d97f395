// Outputs of Gaussian, ORCA and Q-Chem that print basis set and orbitals.
#include "core/molecules/outputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/molecules/element.h"
#include "core/molecules/line_reader.h"

namespace isolume::molecules {
namespace {

/// Layout of a program's tables of orbitals.
struct Layout {
  std::size_t label_width;   ///< characters before the first number of a row
  std::size_t column_width;  ///< of the numbers
  long first_number;         ///< of the orbitals
  double rounding;           ///< half a unit of the last digit
};
constexpr Layout gaussian_layout{21, 10, 1, 0.5e-5};
constexpr Layout orca_layout{16, 10, 0, 0.5e-6};
constexpr Layout qchem_layout{18, 10, 1, 0.5e-5};

// --- tables of orbitals
// --------------------------------------------------------------------------------------------

/// The numbers of a row, even without spaces between them; nothing if it is not a row.
std::optional<std::vector<double>> row_values(std::string_view line, const Layout& layout,
                                              std::size_t columns) {
  if (line.size() <= layout.label_width || trimmed(line.substr(0, layout.label_width)).empty())
    return std::nullopt;
  const std::string_view numbers = line.substr(layout.label_width);
  std::vector<std::string_view> words;
  split_words(numbers, words);
  if (words.size() != columns) split_columns(numbers, layout.column_width, words);
  if (words.size() != columns) return std::nullopt;
  std::vector<double> values;
  for (const std::string_view word : words) {
    const auto value = parse_real(word);
    if (!value || !contains(word, ".")) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// The function's name at the end of a row's label: "   9        5D 0 ", "  0C   1s   ", "   1  C 1   d 3 ".
std::string function_name(std::string_view label, const Layout& layout) {
  if (&layout == &gaussian_layout)
    return lower_case(trimmed(label.substr(std::min<std::size_t>(11, label.size()))));
  std::vector<std::string_view> words;
  split_words(label, words);
  if (&layout == &orca_layout) return words.empty() ? std::string() : lower_case(words.back());
  std::string name;
  for (const std::string_view word : words) {
    const bool begins = !name.empty() || (word.front() >= 'a' && word.front() <= 'z');
    if (begins) name += word;
  }
  return name;
}

/// Energies, occupations and symmetries between the numbers of the columns and the first row.
void read_property(const LineReader& reader, const std::vector<std::string_view>& line_words,
                   std::size_t columns, const Layout& layout, int& numbers_seen, Table& table) {
  const std::size_t first = table.orbitals.size() - columns;
  const bool energies = starts_with_ignoring_case(trimmed(reader.line()), "eigenvalues");
  std::vector<std::string_view> words;
  if (energies) {
    const std::string_view numbers = reader.line().substr(std::min(layout.label_width, reader.line().size()));
    split_words(numbers, words);
    if (words.size() != columns) split_columns(numbers, layout.column_width, words);
  } else {
    words = line_words;
  }
  if (words.size() != columns) {
    if (energies)
      reader.fail(fmt::format("expected the energies of {} orbitals, found {}", columns, words.size()));
    return;
  }
  const bool all =
      std::all_of(words.begin(), words.end(), [](std::string_view w) { return parse_real(w).has_value(); });
  if (energies && !all) reader.fail("expected the energies of orbitals");
  for (std::size_t i = 0; i < columns; ++i) {
    Orbital& orbital = table.orbitals[first + i];
    if (!all) {
      if (!contains(words[i], "--") && words[i] != "O" && words[i] != "V") orbital.symmetry = words[i];
    } else if (energies || numbers_seen == 0) {
      orbital.energy_hartree = *parse_real(words[i]);
    } else {
      orbital.occupation = *parse_real(words[i]);
    }
  }
  if (all) ++numbers_seen;
}

Table read_table(LineReader& reader, const Layout& layout, Spin spin) {
  Table table;
  table.line = reader.line_number();
  for (;;) {
    std::size_t columns = 0;
    for (int lines = 0; lines < 4 && columns == 0 && reader.next(); ++lines) {
      columns = column_head(reader.words(), layout.first_number + static_cast<long>(table.orbitals.size()));
      const bool rule = trimmed(reader.line()).find_first_not_of('-') == std::string_view::npos;
      if (columns == 0 && !rule) {
        check_end_of_table(reader, layout.first_number, table.orbitals.size());
        reader.push_back();
        break;
      }
    }
    if (columns == 0) {
      table.ends_file = reader.remaining() == 0;
      return table;
    }
    for (std::size_t i = 0; i < columns; ++i) {
      table.orbitals.emplace_back();
      table.orbitals.back().spin = spin;
    }
    const bool first_group = table.values.empty();
    std::vector<double> values;
    std::size_t rows = 0;
    int numbers_seen = 0, before = 0;
    while (reader.next()) {
      const auto row = row_values(reader.line(), layout, columns);
      const bool property = starts_with_ignoring_case(trimmed(reader.line()), "eigenvalues");
      if (!row || property) {
        if (rows > 0 || ++before > 4) {
          reader.push_back();
          break;
        }
        read_property(reader, reader.words(), columns, layout, numbers_seen, table);
        continue;
      }
      if (first_group)
        table.names.push_back(function_name(reader.line().substr(0, layout.label_width), layout));
      values.insert(values.end(), row->begin(), row->end());
      ++rows;
    }
    if (rows == 0 || rows != table.names.size()) {
      reader.fail(
          fmt::format("expected the coefficients of {} functions, found {}", table.names.size(), rows),
          "The output is truncated: copy it again.");
    }
    for (std::size_t column = 0; column < columns; ++column) {
      for (std::size_t row = 0; row < rows; ++row) table.values.push_back(values[row * columns + column]);
    }
  }
}

// --- basis sets
// ----------------------------------------------------------------------------------------------------

/// ORCA: " NewGTO C", " S 3", rows of number, exponent and coefficient, "  end;".
PrintedBasis read_orca_shells(LineReader& reader, std::string owner) {
  static constexpr std::string_view letters = "SPDFGH";
  PrintedBasis basis;
  basis.owner = std::move(owner);
  while (reader.next()) {
    const auto& words = reader.words();
    if (words.empty()) continue;
    if (starts_with_ignoring_case(words[0], "end")) return basis;
    const std::size_t l = words[0].size() == 1 ? letters.find(words[0]) : std::string_view::npos;
    if (words.size() < 2 || l == std::string_view::npos)
      reader.fail(
          fmt::format("expected a shell (S, P, D, F, G or H), found {}", quoted(trimmed(reader.line()))),
          "Use a basis set with functions up to h.");
    const std::size_t count = reader.count(words[1], "number of primitives", 6);
    if (count == 0) reader.fail("a shell needs at least one primitive");
    Shell shell;
    shell.angular_momentum = static_cast<int>(l);
    for (std::size_t p = 0; p < count; ++p) {
      reader.require("a primitive (number, exponent, coefficient)");
      if (reader.words().size() < 3) reader.fail("expected a primitive (number, exponent, coefficient)");
      const double exponent = reader.real(reader.words()[1], "exponent");
      if (!(exponent > 0)) reader.fail("the exponent is not positive");
      shell.exponents.push_back(exponent);
      shell.coefficients.push_back(reader.real(reader.words()[2], "contraction coefficient"));
    }
    basis.shells.push_back(std::move(shell));
  }
  return basis;
}

/// One block for each atom, or one for each element. Empty if neither fits.
BasisSet make_basis(const Output& output) {
  BasisSet basis;
  const bool by_atom = output.basis.size() == output.atoms.size();
  for (std::size_t atom = 0; atom < output.atoms.size(); ++atom) {
    const PrintedBasis* block = nullptr;
    if (by_atom) {
      block = &output.basis[atom];
    } else {
      for (const PrintedBasis& one : output.basis) {
        if (atomic_number(one.owner) != output.atoms[atom].atomic_number) continue;
        if (block != nullptr) return {};
        block = &one;
      }
    }
    if (block == nullptr) return {};
    for (Shell shell : block->shells) {
      shell.atom = static_cast<int>(atom);
      basis.shells.push_back(std::move(shell));
    }
  }
  return basis;
}

/// AngularOrder's word for a function of angular momentum l that an output names "3px", "5d+1", "d 1" or "xx".
std::string function_word(std::string name, int l, bool orca) {
  name.erase(0, name.find_first_not_of("0123456789 "));
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
  const char letter = "spdfgh"[l];
  if (l == 0) return name == "s" ? "1" : name;
  if (!name.empty() && name.front() == letter) name.erase(0, 1);
  if (orca && l == 2) {
    static const std::map<std::string, std::string> words{
        {"z2", "c0"}, {"xz", "c1"}, {"yz", "s1"}, {"x2y2", "c2"}, {"xy", "s2"}};
    const auto word = words.find(name);
    return word == words.end() ? name : word->second;
  }
  const auto number = parse_integer(name);
  if (!number || l == 1) return name;
  const bool counted = name.front() != '+' && name.front() != '-' && name != "0";
  const long m = counted ? *number - 1 - l : *number;
  // ORCA's functions of |m| = 3 and 4 have the opposite sign.
  const bool opposite = orca && (std::labs(m) == 3 || std::labs(m) == 4);
  return fmt::format("{}{}{}", opposite ? "-" : "", m < 0 ? "s" : "c", std::labs(m));
}

/// Determines from the names of the rows which shells are spherical, and how the rows are ordered.
Rearrangement order_of_rows(BasisSet& basis, const Table& table, bool orca, const LineReader& reader) {
  Rearrangement result;
  std::size_t first = 0;
  for (Shell& shell : basis.shells) {
    if (first >= table.names.size()) break;
    const int l = shell.angular_momentum;
    const std::string begin = function_word(table.names[first], l, orca);
    shell.spherical = l > 1 && begin.find_first_not_of("xyz") != std::string::npos;
    const auto count = static_cast<std::size_t>(shell.function_count());
    std::string words;
    for (std::size_t i = first; i < std::min(first + count, table.names.size()); ++i)
      words += function_word(table.names[i], l, orca) + ' ';
    try {
      const Rearrangement one = rearrangement(words, isolume_order.of(shell));
      for (std::size_t i = 0; i < count; ++i) {
        result.source.push_back(static_cast<int>(first) + one.source[i]);
        result.sign.push_back(one.sign[i]);
      }
    } catch (const std::invalid_argument&) {
      reader.fail_at(table.line,
                     fmt::format("the functions {} of the orbitals are not those of the basis set",
                                 quoted(trimmed(words))));
    }
    first += count;
  }
  if (first != table.names.size() || result.source.size() != first) {
    reader.fail_at(table.line, fmt::format("the orbitals have {} functions, but the basis set {}",
                                           table.names.size(), basis.function_count()));
  }
  return result;
}

}  // namespace

std::size_t column_head(const std::vector<std::string_view>& words, long first) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (parse_integer(words[i]) != first + static_cast<long>(i)) return 0;
  }
  return words.size();
}

void check_end_of_table(LineReader& reader, long first, std::size_t read) {
  const auto& words = reader.words();
  if (read == 0 || words.empty()) return;
  if (column_head(words, first) > 0) return;  // the first orbitals of another table
  const auto number = [](std::string_view word) { return parse_real(word).has_value(); };
  // Gaussian prints "O V" or "(A1)--O (A1)--V" above the energies.
  const auto of_table = [&](std::string_view word) {
    return number(word) || word == "O" || word == "V" || word.ends_with("--O") || word.ends_with("--V");
  };
  const bool row =
      words.size() > 2 && parse_integer(words[0]) && number(words.back()) && contains(words.back(), ".");
  if (!row && !starts_with_ignoring_case(words[0], "eigenvalues") && !std::ranges::all_of(words, of_table))
    return;
  reader.fail(fmt::format("expected the numbers of orbitals from {}, found {}",
                          first + static_cast<long>(read), quoted(trimmed(reader.line()))),
              "Lines are missing: copy the output again.");
}

void check_no_stars(const LineReader& reader, std::size_t atoms_before) {
  if (contains(reader.line(), "**"))
    reader.fail(
        fmt::format("expected atom {}, found {}", atoms_before + 1, quoted(trimmed(reader.line()))),
        "A number is too large for its columns: write the geometry in another format or shift the molecule.");
}

void check_spins(std::size_t alpha, std::size_t beta, std::size_t line, const LineReader& reader) {
  if (alpha != beta)
    reader.fail_at(
        line, fmt::format("expected as many beta as alpha orbitals, found {} alpha and {} beta", alpha, beta),
        "The output is truncated: copy it again.");
}

void report_end(bool ends_file, std::size_t orbitals, std::size_t functions, Remarks& remarks) {
  if (ends_file && orbitals < functions)
    remarks.warn(fmt::format("The file ends after {} orbitals of {} functions: it may be truncated.",
                             orbitals, functions));
}

void Failure::scf(const LineReader& reader) {
  scf_ = fmt::format("{} (line {})", quoted(trimmed(reader.line())), reader.line_number());
  since_last_scf_ = true;
}

void Failure::job(const LineReader& reader) {
  if (job_.empty()) job_ = fmt::format("{} (line {})", quoted(trimmed(reader.line())), reader.line_number());
}

bool Failure::scf_ended() {
  if (!since_last_scf_) scf_.clear();
  since_last_scf_ = false;
  return scf_.empty();
}

void Failure::report(Remarks& remarks) const {
  if (!scf_.empty())
    remarks.warn(fmt::format("The SCF did not converge: {}. Energy and orbitals are not final.", scf_));
  if (!job_.empty())
    remarks.warn(fmt::format("The job ended with an error: {}. Its results may be incomplete.", job_));
}

PrintedBasis read_shells(LineReader& reader, std::string owner) {
  static constexpr std::string_view letters = "spdfgh";
  PrintedBasis basis;
  basis.owner = std::move(owner);
  while (reader.next()) {
    const auto& words = reader.words();
    if (words.empty()) continue;
    if (words[0].starts_with("***")) return basis;
    const std::string label = lower_case(words[0]);
    const bool both = label == "sp" || label == "l";
    const std::size_t l = both ? 0 : letters.find(label);
    if (words.size() < 2 || label.size() > 2 || l == std::string_view::npos)
      reader.fail(
          fmt::format("expected a shell (s, p, sp, d, f, g or h), found {}", quoted(trimmed(reader.line()))),
          "Use a basis set with functions up to h.");
    const std::size_t count = reader.count(words[1], "number of primitives", 4);
    if (count == 0) reader.fail("a shell needs at least one primitive");
    std::array<Shell, 2> shells;
    shells[0].angular_momentum = static_cast<int>(l);
    shells[1].angular_momentum = 1;
    for (std::size_t p = 0; p < count; ++p) {
      reader.require("a primitive (exponent, coefficient)");
      if (reader.words().size() < (both ? 3u : 2u))
        reader.fail("expected a primitive (exponent, coefficient)");
      const double exponent = reader.real(reader.words()[0], "exponent");
      if (!(exponent > 0)) reader.fail("the exponent is not positive");
      for (std::size_t i = 0; i < (both ? 2u : 1u); ++i) {
        shells[i].exponents.push_back(exponent);
        shells[i].coefficients.push_back(reader.real(reader.words()[1 + i], "contraction coefficient"));
      }
    }
    basis.shells.push_back(std::move(shells[0]));
    if (both) basis.shells.push_back(std::move(shells[1]));
  }
  return basis;
}

std::vector<std::string> systematic_names(int angular_momentum, bool spherical) {
  if (angular_momentum == 0) return {"s"};
  if (angular_momentum == 1 && spherical) return {"y", "z", "x"};
  Shell shell;
  shell.angular_momentum = angular_momentum;
  shell.spherical = spherical;
  std::vector<std::string_view> words;
  split_words(lexicographic_order.of(shell), words);
  return {words.begin(), words.end()};
}

void check_primitives(const Shell& shell, const LineReader& reader) {
  if (shell.exponents.empty() || shell.exponents.size() != shell.coefficients.size())
    reader.fail_at(0, "a shell needs as many contraction coefficients as exponents");
  if (!std::ranges::all_of(shell.exponents, [](double exponent) { return exponent > 0; }))
    reader.fail_at(0, "an exponent is not positive");
}

namespace {

/// Q-Chem and Gaussian can print the same number of virtual orbitals for each spin, not all.
bool same_virtuals(const Output& output, std::size_t functions) {
  const double alpha = static_cast<double>(output.tables[0].orbitals.size());
  const double beta = static_cast<double>(output.tables[1].orbitals.size());
  return output.electrons && alpha < static_cast<double>(functions) && beta > 0 &&
         alpha - beta == output.electrons->alpha - output.electrons->beta;
}

}  // namespace

FileContents finish(Output output, const Dialect& dialect, const LineReader& reader) {
  FileContents contents;
  Document& document = contents.document;
  document.program = dialect.program;
  if (output.atoms.empty())
    reader.fail_at(0, "expected the coordinates of the atoms, found none",
                   "The output is truncated: copy it again.");
  document.molecule.atoms = output.atoms;
  document.molecule.charge = output.charge;
  document.molecule.multiplicity = output.multiplicity;
  document.energy = output.energy;
  document.dipole_debye = output.dipole_debye;
  document.remarks = output.remarks;
  output.failure.report(document.remarks);
  add_frames(document, output.geometries);
  const auto& [alpha, beta] = output.tables;
  BasisSet basis = make_basis(output);
  if (alpha.orbitals.empty() || basis.shells.empty()) {
    document.remarks.warn(fmt::format("The file has no {}. {}",
                                      alpha.orbitals.empty() ? "orbitals" : "basis set of each atom",
                                      dialect.remedy));
    return contents;
  }
  const Rearrangement how = order_of_rows(basis, alpha, dialect.orca_functions, reader);
  const std::size_t functions = basis.function_count();
  if ((output.unrestricted || !beta.orbitals.empty()) && !same_virtuals(output, functions))
    check_spins(alpha.orbitals.size(), beta.orbitals.size(), beta.orbitals.empty() ? alpha.line : beta.line,
                reader);
  report_end(alpha.ends_file || beta.ends_file, alpha.orbitals.size(), functions, document.remarks);
  OrbitalSet set;
  std::vector<double> values;
  for (const Table* table : {&alpha, &beta}) {
    if (!table->orbitals.empty() && table->names.size() != functions)
      reader.fail_at(table->line, "the orbitals of both spins have different functions");
    set.orbitals.insert(set.orbitals.end(), table->orbitals.begin(), table->orbitals.end());
    values.insert(values.end(), table->values.begin(), table->values.end());
  }
  set.coefficients = Eigen::Map<const Eigen::MatrixXd>(values.data(), static_cast<Eigen::Index>(functions),
                                                       static_cast<Eigen::Index>(set.orbitals.size()));
  const bool told = std::any_of(set.orbitals.begin(), set.orbitals.end(),
                                [](const Orbital& o) { return o.occupation != 0; });
  if (!told && output.electrons) {
    fill_occupations(set, output.electrons->alpha, output.electrons->beta);
  } else if (!told) {
    assume_neutral(set, document);
  }
  set.name = name_by_occupations(set);
  rearrange_rows(how, set.coefficients);
  contents.wavefunction = std::make_shared<Wavefunction>();
  contents.wavefunction->basis = std::move(basis);
  contents.wavefunction->sets.push_back(std::move(set));
  contents.rounding.orbitals = dialect.rounding;
  return contents;
}

namespace {

// --- geometry
// ------------------------------------------------------------------------------------------------------

/// Rows after a heading of a few lines, as long as `read` converts them to atoms. A row with the same number of words
/// that cannot be converted because a number is printed as stars would drop all following atoms.
template <class Read>
std::vector<Atom> read_atoms(LineReader& reader, const Read& read) {
  std::vector<Atom> atoms;
  std::size_t columns = 0;
  for (int skipped = 0; reader.next();) {
    if (const auto atom = read(reader.words())) {
      columns = reader.words().size();
      atoms.push_back(*atom);
      continue;
    }
    check_no_stars(reader, atoms.size());
    if (!atoms.empty() || ++skipped > 6) {
      if (!atoms.empty() && reader.words().size() == columns)
        reader.fail(
            fmt::format("expected atom {}, found {}", atoms.size() + 1, quoted(trimmed(reader.line()))));
      reader.push_back();
      break;
    }
  }
  return atoms;
}

std::optional<Atom> make_atom(int number, const std::vector<std::string_view>& words, std::size_t first,
                              double factor) {
  if (number < 0 || number > 118 || words.size() < first + 3) return std::nullopt;
  Atom atom;
  atom.atomic_number = number;
  atom.nuclear_charge = number;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto value = parse_real(words[first + axis]);
    if (!value) return std::nullopt;
    atom.position_bohr[static_cast<Eigen::Index>(axis)] = *value * factor;
  }
  return atom;
}

/// The integer after the last "=" or in the last word.
std::optional<int> last_integer(std::string_view line) {
  std::vector<std::string_view> words;
  split_words(line, words);
  const auto value = words.empty() ? std::nullopt : parse_integer(words.back());
  if (!value) return std::nullopt;
  return static_cast<int>(std::clamp(*value, -1000000L, 1000000L));
}

/// The word after a phrase as an energy; nothing if it is not a number.
std::optional<Energy> energy_behind(std::string_view line, std::string_view phrase, std::string_view kind) {
  std::vector<std::string_view> words;
  split_words(line.substr(line.find(phrase) + phrase.size()), words);
  if (!words.empty() && words.front() == "=") words.erase(words.begin());
  const auto value = words.empty() ? std::nullopt : parse_real(words.front());
  return value ? std::optional(Energy{*value, std::string(kind)}) : std::nullopt;
}

/// Words `first`, `first + step`, `first + 2 step` as a vector.
std::optional<Eigen::Vector3d> vector_of(const std::vector<std::string_view>& words, std::size_t first,
                                         std::size_t step, double factor) {
  Eigen::Vector3d vector;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t place = first + axis * step;
    const auto value = place < words.size() ? parse_real(words[place]) : std::nullopt;
    if (!value) return std::nullopt;
    vector[static_cast<Eigen::Index>(axis)] = *value * factor;
  }
  return vector;
}

/// "26 alpha electrons  26 beta electrons", "There are 35 alpha and 35 beta electrons".
void read_electrons(const std::vector<std::string_view>& words, Output& output) {
  std::optional<double> alpha, beta;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "alpha") alpha = parse_real(words[i - 1]);
    if (words[i] == "beta") beta = parse_real(words[i - 1]);
  }
  if (alpha && beta) output.electrons = ElectronCount{*alpha, *beta};
}

/// "Mo1-ECP   3 28": the name of an atom with its number, and the electrons in its core.
void read_core(const std::vector<std::string_view>& words, std::map<long, double>& cores) {
  if (words.size() != 3 || !words[0].ends_with("-ECP")) return;
  const std::string_view name = words[0].substr(0, words[0].size() - 4);
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits == std::string_view::npos) return;
  const auto atom = parse_integer(name.substr(digits));
  const auto core = parse_real(words[2]);
  if (atom && core) cores[*atom] = *core;
}

/// One kind of orientation of a Gaussian job.
struct Orientation {
  std::vector<std::vector<Atom>> geometries;
  std::size_t dummies = 0;  ///< left out of the last geometry

  std::vector<Atom> last() const { return geometries.empty() ? std::vector<Atom>() : geometries.back(); }
};

struct GaussianJob {
  Output output;
  Orientation standard, input;
  std::map<long, double> cores;

  /// Jobs with nosymm have no standard orientation.
  const Orientation& orientation() const { return standard.geometries.empty() ? input : standard; }
};

constexpr int gaussian_dummy = -1;  ///< atomic number of X in a Z-matrix

void read_orientation(LineReader& reader, Orientation& orientation) {
  std::vector<Atom> atoms =
      read_atoms(reader, [](const std::vector<std::string_view>& words) -> std::optional<Atom> {
        if (words.size() != 6 || !parse_integer(words[0]) || !parse_integer(words[2])) return std::nullopt;
        const auto number = parse_integer(words[1]);
        if (!number) return std::nullopt;
        const bool dummy = *number == gaussian_dummy;
        auto atom = make_atom(dummy ? 0 : static_cast<int>(std::clamp(*number, -2L, 119L)), words, 3,
                              units::bohr_per_angstrom);
        if (atom && dummy) atom->atomic_number = gaussian_dummy;
        return atom;
      });
  orientation.dummies =
      std::erase_if(atoms, [](const Atom& atom) { return atom.atomic_number == gaussian_dummy; });
  if (!atoms.empty()) orientation.geometries.push_back(std::move(atoms));
}

Output finished(GaussianJob job) {
  Output output = std::move(job.output);
  output.geometries = job.orientation().geometries;
  if (output.atoms.empty()) output.atoms = job.orientation().last();
  if (job.orientation().dummies > 0)
    output.remarks.dropped("Dummy atoms (X, atomic number -1) are left out.", job.orientation().dummies);
  for (const auto& [number, electrons] : job.cores) {
    if (number < 1 || number > static_cast<long>(output.atoms.size())) continue;
    Atom& atom = output.atoms[static_cast<std::size_t>(number - 1)];
    atom.nuclear_charge = std::max(0.0, atom.nuclear_charge - electrons);
  }
  return output;
}

/// Leaves `output` and `atoms`, its last geometry, empty for the next job.
void add_job(Output& output, std::vector<Atom>& atoms, Jobs<Output>& jobs) {
  if (output.atoms.empty()) output.atoms = atoms;
  atoms.clear();
  const bool geometry = !output.atoms.empty(), orbitals = output.has_orbitals();
  jobs.add(std::exchange(output, {}), geometry, orbitals);
}

}  // namespace

bool looks_like_gaussian_log(std::string_view text) {
  return contains(text, "Entering Gaussian System");
}

FileContents read_gaussian_log(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  GaussianJob job;
  Jobs<Output> jobs;
  const auto end_job = [&] {
    Output done = finished(std::move(job));
    job = {};
    const bool geometry = !done.atoms.empty(), orbitals = done.has_orbitals();
    jobs.add(std::move(done), geometry, orbitals);
  };
  while (reader.next()) {
    const std::string_view line = reader.line();
    const std::string_view text = trimmed(line);
    Output& output = job.output;
    if (text.starts_with("Entering Gaussian System") || text.starts_with("Initial command")) {
      end_job();
    } else if (text == "Standard orientation:") {
      read_orientation(reader, job.standard);
    } else if (text == "Input orientation:" || text == "Z-Matrix orientation:") {
      read_orientation(reader, job.input);
    } else if (contains(line, "AO basis set in the form of general basis input")) {
      output.basis.clear();
      while (reader.next() && reader.words().size() == 2 && parse_integer(reader.words()[0]) &&
             reader.words()[1] == "0") {
        output.basis.push_back(read_shells(reader, std::string(reader.words()[0])));
      }
      reader.push_back();
    } else if (text.starts_with("Charge =") && contains(text, "Multiplicity =")) {
      const auto& words = reader.words();
      if (words.size() >= 6) {
        if (const auto charge = parse_integer(words[2]))
          output.charge = static_cast<int>(std::clamp(*charge, -1000L, 1000L));
        output.multiplicity = last_integer(line);
      }
    } else if (contains(line, "alpha electrons") && contains(line, "beta electrons")) {
      read_electrons(reader.words(), output);
    } else if (contains(line, "-ECP ")) {
      read_core(reader.words(), job.cores);
    } else if (text.starts_with("SCF Done:") && contains(text, "=")) {
      output.energy = energy_behind(text, "=", "SCF");
      output.failure.scf_ended();
    } else if (contains(text, "Convergence criterion not met") || text.starts_with("Convergence failure")) {
      output.failure.scf(reader);
    } else if (text.starts_with("Error termination")) {
      output.failure.job(reader);
    } else if (text.starts_with("Dipole moment (") && contains(text, "Debye)") && reader.next()) {
      output.dipole_debye = vector_of(reader.words(), 1, 2, 1);  // X= 0.1 Y= 0.2 Z= 0.3 Tot= 0.4
    } else if (text == "Molecular Orbital Coefficients:" || text == "Alpha Molecular Orbital Coefficients:") {
      output.tables[0] = read_table(reader, gaussian_layout, Spin::alpha);
      output.tables[1] = {};
      output.unrestricted = text.starts_with("Alpha");
      output.atoms = job.orientation().last();
    } else if (text.ends_with("Natural Orbital Coefficients:")) {
      output.remarks.dropped(fmt::format("{} are not read.", text.substr(0, text.size() - 1)));
    } else if (text == "Beta Molecular Orbital Coefficients:") {
      output.tables[1] = read_table(reader, gaussian_layout, Spin::beta);
    }
  }
  end_job();
  jobs.report(jobs.chosen().remarks);
  return finish(std::move(jobs.chosen()),
                {"gaussian", gaussian_layout.rounding, false,
                 "Add gfinput and pop=full to the route section, or convert the checkpoint with formchk."},
                reader);
}

bool looks_like_orca_output(std::string_view text) {
  return contains(text, "* O   R   C   A *");
}

FileContents read_orca_output(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  Output output;
  std::vector<Atom> atoms;
  Jobs<Output> jobs;
  const auto end_job = [&] { add_job(output, atoms, jobs); };
  const auto row = [](const std::vector<std::string_view>& words) -> std::optional<Atom> {
    if (words.size() != 8 || !parse_integer(words[0])) return std::nullopt;
    auto atom = make_atom(atomic_number(words[1]), words, 5, 1);
    const auto charge =
        parse_real(words[2].ends_with('*') ? words[2].substr(0, words[2].size() - 1) : words[2]);
    if (!atom || !charge || !(*charge >= 0 && *charge <= 118)) return std::nullopt;
    atom->nuclear_charge = *charge;
    if (*charge == 0) {
      atom->ghost_of = atom->atomic_number;
      atom->atomic_number = 0;
    }
    return atom;
  };
  while (reader.next()) {
    const std::string_view text = trimmed(reader.line());
    if (text == "* O   R   C   A *" || (text.starts_with("$$$") && contains(text, "JOB NUMBER"))) {
      end_job();
    } else if (text == "CARTESIAN COORDINATES (A.U.)") {
      atoms = read_atoms(reader, row);
      output.geometries.push_back(atoms);
    } else if (text == "BASIS SET IN INPUT FORMAT") {
      output.basis.clear();
    } else if (text.starts_with("NewGTO") && reader.words().size() == 2) {
      output.basis.push_back(read_orca_shells(reader, std::string(reader.words()[1])));
    } else if (text.starts_with("Total Charge")) {
      output.charge = last_integer(text);
    } else if (text.starts_with("FINAL SINGLE POINT ENERGY")) {
      output.energy = energy_behind(text, "ENERGY", "total");
    } else if (contains(text, "HFTyp") && contains(text, "....")) {
      output.unrestricted = contains(text, "UHF") || contains(text, "UKS");
    } else if (contains(text, "SCF NOT CONVERGED")) {
      output.failure.scf(reader);
    } else if (contains(text, "SCF CONVERGED AFTER")) {
      output.failure.scf_converged();
    } else if (contains(text, "ORCA finished by error termination")) {
      output.failure.job(reader);
    } else if (text.starts_with("Total Dipole Moment")) {
      output.dipole_debye = vector_of(reader.words(), 4, 1, debye_per_e_bohr);
    } else if (text.starts_with("Multiplicity ") && contains(text, "....")) {
      output.multiplicity = last_integer(text);
    } else if (text == "MOLECULAR ORBITALS (RHF, ROHF)" || text == "MOLECULAR ORBITALS" ||
               text == "MOLECULAR ORBITALS (UHF)") {
      output.atoms = atoms;
      output.tables[1] = {};
      reader.require("a rule");
      output.tables[0] = read_table(reader, orca_layout, Spin::alpha);
      if (!output.tables[0].orbitals.empty() && reader.next()) {
        // A second table that begins again at zero belongs to the other spin.
        reader.push_back();
        output.tables[1] = read_table(reader, orca_layout, Spin::beta);
      }
    }
  }
  end_job();
  jobs.report(jobs.chosen().remarks);
  return finish(
      std::move(jobs.chosen()),
      {"orca", orca_layout.rounding, true,
       "Add \"! PrintBasis PrintMOs\" to the input, or run orca_2mkl NAME -molden and open the Molden file."},
      reader);
}

bool looks_like_qchem_output(std::string_view text) {
  return contains(text, "Q-Chem, Inc.");
}

FileContents read_qchem_output(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  Output output;
  std::vector<Atom> atoms;
  Jobs<Output> jobs;
  const auto end_job = [&] { add_job(output, atoms, jobs); };
  const auto row = [](const std::vector<std::string_view>& words) -> std::optional<Atom> {
    if (words.size() != 5 || !parse_integer(words[0])) return std::nullopt;
    return make_atom(atomic_number(words[1]), words, 2, units::bohr_per_angstrom);
  };
  bool printed = false;
  while (reader.next()) {
    const std::string_view text = trimmed(reader.line());
    if (text == "Welcome to Q-Chem" || text.starts_with("User input: ") || text.starts_with("Running Job ")) {
      end_job();
      printed = false;
    } else if (contains(text, "Standard Nuclear Orientation (Angstroms)")) {
      atoms = read_atoms(reader, row);
      output.geometries.push_back(atoms);
    } else if (contains(text, "Basis set in general basis input format")) {
      printed = true;
    } else if (printed && text == "$basis") {
      printed = false;
      output.basis.clear();
      while (reader.next() && trimmed(reader.line()) != "$end") {
        if (reader.words().empty()) continue;
        output.basis.push_back(read_shells(reader, std::string(reader.words()[0])));
      }
    } else if (text.starts_with("Total energy in the final basis set =")) {
      output.energy = energy_behind(text, "=", "SCF");
      output.failure.scf_ended();
    } else if (contains(text, "SCF failed to converge")) {
      output.failure.scf(reader);
    } else if (contains(text, "Q-Chem fatal error")) {
      output.failure.job(reader);
    } else if (text == "Dipole Moment (Debye)" && reader.next()) {
      output.dipole_debye = vector_of(reader.words(), 1, 2, 1);  // X 0.1 Y 0.2 Z 0.3
    } else if (text.starts_with("There are") && contains(text, "alpha and")) {
      read_electrons(reader.words(), output);
    } else if (text.ends_with("MOLECULAR ORBITAL COEFFICIENTS")) {
      const bool beta = text.starts_with("BETA");
      output.tables[beta ? 1 : 0] = read_table(reader, qchem_layout, beta ? Spin::beta : Spin::alpha);
      if (!beta) {
        output.tables[1] = {};
        output.unrestricted = text.starts_with("ALPHA");
      }
      output.atoms = atoms;
    }
  }
  end_job();
  jobs.report(jobs.chosen().remarks);
  return finish(std::move(jobs.chosen()),
                {"q-chem", qchem_layout.rounding, false,
                 "Set print_general_basis = true and print_orbitals = true in $rem, or ask for a checkpoint "
                 "(gui = 2) and open the .fchk file."},
                reader);
}

}  // namespace isolume::molecules

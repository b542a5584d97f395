// Punch file of GAMESS (.dat): $DATA with the basis set and $VEC with the orbitals.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/units.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

struct Data {
  Molecule molecule;
  BasisSet basis;
  std::string named_basis;  ///< a built-in basis set, which is not written out in the file
  bool symmetric = false;   ///< only one atom of each symmetry class is listed
};

bool is_group(std::string_view line, std::string_view name) {
  return starts_with_ignoring_case(trimmed(line), name);
}

/// "   S   6" and rows "number exponent coefficient"; L has two coefficients.
void read_shell(LineReader& reader, int atom, Data& data) {
  static constexpr std::string_view letters = "SPDFGH";
  const bool both = reader.words()[0] == "L";
  const std::size_t l = letters.find(reader.words()[0]);
  if (!both && l == std::string_view::npos)
    reader.fail(fmt::format("expected a shell (S, P, L, D, F, G or H), found {}", quoted(reader.words()[0])),
                "Use a basis set with functions up to h.");
  const std::size_t count = reader.count(reader.words()[1], "number of primitives", 6);
  if (count == 0) reader.fail("a shell needs at least one primitive");
  std::array<Shell, 2> shells;
  for (std::size_t i = 0; i < 2; ++i) {
    shells[i].atom = atom;
    shells[i].angular_momentum = static_cast<int>(both ? i : l);
  }
  for (std::size_t p = 0; p < count; ++p) {
    reader.require("a primitive (number, exponent, coefficient)");
    const auto& words = reader.words();
    if (words.size() < (both ? 4u : 3u)) reader.fail("expected a primitive (number, exponent, coefficient)");
    const double exponent = reader.real(words[1], "exponent");
    if (!(exponent > 0)) reader.fail("the exponent is not positive");
    for (std::size_t i = 0; i < (both ? 2u : 1u); ++i) {
      shells[i].exponents.push_back(exponent);
      shells[i].coefficients.push_back(reader.real(words[2 + i], "contraction coefficient"));
    }
  }
  data.basis.shells.push_back(std::move(shells[0]));
  if (both) data.basis.shells.push_back(std::move(shells[1]));
}

/// Title, point group, then each atom with its shells up to a blank line. A built-in basis set is only named.
Data read_data(LineReader& reader) {
  Data data;
  reader.require("the title");
  data.molecule.title = trimmed(reader.line());
  reader.require("the point group");
  data.symmetric = reader.words().empty() || lower_case(reader.words()[0]) != "c1";
  if (data.symmetric) {
    // Groups other than C1 are followed by a card for the axes, blank as a rule.
    reader.require("an atom");
    if (!reader.words().empty() && reader.words().size() == 5 && parse_real(reader.words()[1]))
      reader.push_back();
  }
  bool in_atom = false;
  while (reader.next() && !is_group(reader.line(), "$END")) {
    const auto& words = reader.words();
    if (words.empty()) {
      in_atom = false;
      continue;
    }
    if (!in_atom) {
      if (words.size() < 5) reader.fail("expected an atom (name, charge, x, y, z)");
      Atom atom;
      atom.nuclear_charge = std::abs(reader.real(words[1], "nuclear charge"));
      if (!(atom.nuclear_charge <= 118)) reader.fail("the nuclear charge must lie between 0 and 118");
      atom.atomic_number = static_cast<int>(std::lround(atom.nuclear_charge));
      for (std::size_t axis = 0; axis < 3; ++axis) {
        atom.position_bohr[static_cast<Eigen::Index>(axis)] =
            reader.real(words[2 + axis], "coordinate") * units::bohr_per_angstrom;
      }
      data.molecule.atoms.push_back(atom);
      in_atom = true;
    } else if (words[0].size() == 1 && words.size() >= 2 && parse_integer(words[1])) {
      read_shell(reader, static_cast<int>(data.molecule.atoms.size()) - 1, data);
    } else if (data.named_basis.empty()) {
      data.named_basis =
          fmt::format("{}{}{}", words[0], words.size() > 1 ? " " : "", words.size() > 1 ? words[1] : "");
    }
  }
  return data;
}

struct Vectors {
  std::vector<double> values;  ///< one orbital after the other
  std::vector<bool> starts;    ///< for each orbital: its number begins again at one
  std::size_t line = 0;
};

/// Cards of two columns for the orbital, three for the card, and five numbers of fifteen. Orbital numbers are
/// printed modulo 100.
Vectors read_vectors(LineReader& reader, std::size_t functions) {
  Vectors vectors;
  vectors.line = reader.line_number();
  const std::size_t cards = (functions + 4) / 5;
  long last = 0;
  std::vector<std::string_view> words;
  while (reader.next() && !is_group(reader.line(), "$END")) {
    for (std::size_t card = 0; card < cards; ++card) {
      if (card > 0) reader.require("the coefficients of an orbital");
      const std::string_view line = reader.line();
      if (line.size() < 5) reader.fail("expected a card of orbital coefficients");
      if (card == 0) {
        const long number = reader.integer(trimmed(line.substr(0, 2)), "number of the orbital", 0, 99);
        vectors.starts.push_back(number == 1 && last != 0);
        last = number;
      }
      split_columns(line.substr(5), 15, words);
      const std::size_t wanted = std::min<std::size_t>(5, functions - 5 * card);
      if (words.size() != wanted)
        reader.fail(fmt::format("expected {} orbital coefficients, found {}", wanted, words.size()));
      for (const std::string_view word : words)
        vectors.values.push_back(reader.real(word, "orbital coefficient"));
    }
  }
  return vectors;
}

/// The orbitals of beta spin follow those of alpha spin, numbered from one again.
OrbitalSet make_set(const Vectors& vectors, std::size_t functions) {
  OrbitalSet set;
  const std::size_t count = vectors.starts.size();
  auto beta = static_cast<std::size_t>(std::find(vectors.starts.begin(), vectors.starts.end(), true) -
                                       vectors.starts.begin());
  if (beta == count && count == 2 * functions) beta = functions;  // a hundred orbitals of each spin
  for (std::size_t i = 0; i < count; ++i) {
    Orbital orbital;
    orbital.spin = i < beta ? Spin::alpha : Spin::beta;
    set.orbitals.push_back(orbital);
  }
  set.coefficients = Eigen::Map<const Eigen::MatrixXd>(
      vectors.values.data(), static_cast<Eigen::Index>(functions), static_cast<Eigen::Index>(count));
  return set;
}

}  // namespace

/// An input file begins with other groups; a punch file with $DATA or the results of a run.
bool looks_like_punch(std::string_view text) {
  LineReader reader({}, text, {});
  bool first = true;
  while (reader.next()) {
    const std::string_view line = reader.line();
    if (line.starts_with(" $DATA") || line.starts_with(" $data")) return true;
    if (first && is_group(line, "$DATA")) return true;
    first = first && reader.words().empty();
  }
  return false;
}

FileContents read_punch(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  std::optional<Data> data;
  std::optional<Vectors> vectors;
  std::size_t groups = 0;
  while (reader.next()) {
    if (is_group(reader.line(), "$DATA")) {
      data = read_data(reader);
    } else if (is_group(reader.line(), "$VEC") && data && data->named_basis.empty() && !data->symmetric &&
               data->basis.function_count() > 0) {
      vectors = read_vectors(reader, data->basis.function_count());
      ++groups;
    }
  }
  if (!data || data->molecule.atoms.empty()) reader.fail_at(0, "expected atoms in $DATA, found none");
  FileContents contents;
  Document& document = contents.document;
  document.program = "gamess";
  document.molecule = data->molecule;
  contents.order = &gamess_order;
  if (data->symmetric) {
    document.remarks.warn(
        "$DATA lists only one atom of each symmetry class: open the log, or run with the group C1.");
  }
  if (!data->named_basis.empty()) {
    document.remarks.warn(
        fmt::format("$DATA names a built-in basis set ({}) instead of listing its functions, without which "
                    "$VEC means nothing: open the log of the same run.",
                    data->named_basis));
  }
  if (!vectors || vectors->starts.empty()) {
    if (document.remarks.empty()) document.remarks.warn("The file has no orbitals ($VEC).");
    return contents;
  }
  if (groups > 1) {
    document.remarks.dropped(
        fmt::format("The file has {} groups of orbitals ($VEC): those of the last one were read.", groups),
        groups - 1);
  }
  contents.wavefunction = std::make_shared<Wavefunction>();
  contents.wavefunction->basis = std::move(data->basis);
  OrbitalSet set = make_set(*vectors, contents.wavefunction->basis.function_count());
  assume_neutral(set, document);
  rearrange_rows(rearrangement(contents.wavefunction->basis, gamess_order, isolume_order), set.coefficients);
  contents.wavefunction->sets.push_back(std::move(set));
  return contents;
}

}  // namespace isolume::molecules

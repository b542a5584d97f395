// Wavefunctions of the theory of atoms in molecules: WFN, and WFX
// (https://aim.tkgristmill.com/wfxformat.html). Both list orbitals over Cartesian primitives, each with its
// centre, its type and its exponent.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/text.h"
#include "core/molecules/element.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"
#include "core/molecules/sections.h"

namespace isolume::molecules {
namespace {

constexpr std::size_t type_count = 56;  ///< s to h

/// A primitive type's angular momentum and its index among that shell's functions in our order.
struct Type {
  int angular_momentum = 0;
  int place = 0;
};

const std::vector<Type>& types() {
  static const std::vector<Type> all = [] {
    std::vector<Type> made;
    for (int l = 0; l <= max_angular_momentum; ++l) {
      Shell shell;
      shell.angular_momentum = l;
      const Rearrangement how = rearrangement(isolume_order.of(shell), aim_order.of(shell));
      for (const int place : how.source) made.push_back({l, place});
    }
    return made;
  }();
  return all;
}

/// Content common to both formats.
struct Primitives {
  Molecule molecule;
  std::vector<long> centres;  ///< from 1
  std::vector<long> kinds;    ///< from 1
  std::vector<double> exponents;
  std::size_t centres_line = 0, kinds_line = 0, exponents_line = 0;
  std::vector<Orbital> orbitals;
  std::vector<double> coefficients;  ///< one orbital after the other
  std::vector<long> numbers;         ///< of the orbitals, if the file gives them
  StatedSpins spins;
  Rounding rounding;
  StatedElectrons electrons;
  Remarks remarks;
  double energy_hartree = 0;  ///< 0: unknown, as some programs write it
};

/// Creates a shell for each centre, angular momentum and exponent. Primitives used in several contractions are listed
/// once for each; they are one function.
std::shared_ptr<Wavefunction> make_wavefunction(const Primitives& from, const LineReader& reader) {
  const std::size_t count = from.exponents.size();
  auto made = std::make_shared<Wavefunction>();
  std::map<std::tuple<long, int, double>, std::size_t> known;
  std::vector<std::size_t> shell_of(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto atoms = static_cast<long>(from.molecule.atoms.size());
    if (from.centres[i] < 1 || from.centres[i] > atoms) {
      reader.fail_at(from.centres_line, fmt::format("a primitive belongs to centre {}, but there are {}",
                                                    from.centres[i], atoms));
    }
    if (from.kinds[i] < 1 || from.kinds[i] > static_cast<long>(type_count)) {
      reader.fail_at(
          from.kinds_line,
          fmt::format("primitive type {} does not lie between 1 and {}", from.kinds[i], type_count),
          "Use a basis set with functions up to h.");
    }
    if (!(from.exponents[i] > 0))
      reader.fail_at(from.exponents_line, fmt::format("the exponent {} is not positive", from.exponents[i]));
    const int l = types()[static_cast<std::size_t>(from.kinds[i] - 1)].angular_momentum;
    const auto [place, fresh] =
        known.emplace(std::tuple(from.centres[i], l, from.exponents[i]), made->basis.shells.size());
    shell_of[i] = place->second;
    if (!fresh) continue;
    Shell shell;
    shell.atom = static_cast<int>(from.centres[i] - 1);
    shell.angular_momentum = l;
    shell.exponents = {from.exponents[i]};
    shell.coefficients = {1};
    made->basis.shells.push_back(std::move(shell));
  }
  std::vector<Eigen::Index> first_function;
  Eigen::Index functions = 0;
  for (const Shell& shell : made->basis.shells) {
    first_function.push_back(functions);
    functions += shell.function_count();
  }
  OrbitalSet set;
  set.orbitals = from.orbitals;
  check_matrix_size(static_cast<std::size_t>(functions), set.orbitals.size(), reader.size());
  set.coefficients = Eigen::MatrixXd::Zero(functions, static_cast<Eigen::Index>(set.orbitals.size()));
  for (std::size_t i = 0; i < count; ++i) {
    const Type type = types()[static_cast<std::size_t>(from.kinds[i] - 1)];
    const auto& powers = cartesian_powers(type.angular_momentum)[static_cast<std::size_t>(type.place)];
    const double norm = primitive_norm(from.exponents[i], powers);
    const Eigen::Index row = first_function[shell_of[i]] + type.place;
    for (std::size_t k = 0; k < set.orbitals.size(); ++k)
      set.coefficients(row, static_cast<Eigen::Index>(k)) += from.coefficients[k * count + i] / norm;
  }
  set.name = name_by_occupations(set);
  made->sets.push_back(std::move(set));
  return made;
}

FileContents finish(Primitives primitives, const LineReader& reader) {
  FileContents contents;
  contents.order = &aim_order;
  contents.document.molecule = primitives.molecule;
  contents.document.remarks = std::move(primitives.remarks);
  if (primitives.energy_hartree != 0) contents.document.energy = {primitives.energy_hartree, "total"};
  if (primitives.orbitals.empty() || primitives.exponents.empty()) {
    contents.document.remarks.warn("The file has no orbitals.");
    return contents;
  }
  contents.wavefunction = make_wavefunction(primitives, reader);
  contents.rounding = std::move(primitives.rounding);
  contents.spins = primitives.spins;
  contents.electrons = primitives.electrons;
  return contents;
}

/// Whether electrons can be assigned to spins by the overlaps: each orbital of the set holds at most one.
bool holds_single_electrons(const std::vector<Orbital>& orbitals) {
  return std::none_of(orbitals.begin(), orbitals.end(),
                      [](const Orbital& one) { return one.occupation > 1.0001; });
}

Atom make_atom(long atomic_number, double charge, const LineReader& reader) {
  if (atomic_number < 0 || atomic_number > 118)
    reader.fail(fmt::format("the atomic number {} does not lie between 0 and 118", atomic_number));
  if (!(charge >= 0) || charge > 118) reader.fail("the nuclear charge must lie between 0 and 118");
  Atom atom;
  atom.atomic_number = static_cast<int>(atomic_number);
  atom.nuclear_charge = charge;
  if (charge == 0) {
    atom.ghost_of = atom.atomic_number;
    atom.atomic_number = 0;
  }
  return atom;
}

// --- WFN
// -----------------------------------------------------------------------------------------------------------

struct Counts {
  std::size_t orbitals = 0, primitives = 0, nuclei = 0;
};

/// "GAUSSIAN  16 MOL ORBITALS  72 PRIMITIVES  2 NUCLEI"
Counts read_counts(LineReader& reader) {
  reader.require("the numbers of orbitals, primitives and nuclei");
  const auto& words = reader.words();
  Counts counts;
  if (!words.empty() && starts_with_ignoring_case(words[0], "slater"))
    reader.fail("Slater-type orbitals are not supported", "Export Gaussian-type orbitals.");
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "MOL") counts.orbitals = reader.count(words[i - 1], "number of orbitals", 10);
    if (words[i] == "PRIMITIVES") counts.primitives = reader.count(words[i - 1], "number of primitives", 10);
    if (words[i] == "NUCLEI") counts.nuclei = reader.count(words[i - 1], "number of nuclei", 10);
  }
  if (counts.nuclei == 0 || counts.primitives == 0)
    reader.fail("expected the numbers of orbitals, primitives and nuclei");
  return counts;
}

/// "  O    1    (CENTRE  1)   0.00000000  0.00000000  1.09452498  CHARGE =  8.0"
Atom read_nucleus(LineReader& reader) {
  reader.require("a nucleus");
  const std::string_view line = reader.line();
  const std::size_t start = line.find(')'), charge_at = line.find("CHARGE"), equals = line.rfind('=');
  if (reader.words().empty() || start == std::string_view::npos || charge_at == std::string_view::npos ||
      equals == std::string_view::npos || charge_at < start)
    reader.fail("expected a nucleus (name, centre, x, y, z, charge)");
  const double charge = reader.real(trimmed(line.substr(equals + 1)), "nuclear charge");
  const int named = atomic_number(reader.words()[0]);
  const long whole = std::lround(std::clamp(charge, 0.0, 1e6));
  Atom atom = make_atom(named > 0 ? named : whole, charge, reader);
  const std::string_view place = line.substr(start + 1, charge_at - start - 1);
  std::vector<std::string_view> words;
  split_words(place, words);
  if (words.size() != 3)
    split_columns(place.substr(std::min<std::size_t>(1, place.size())), 12, words);  // a blank, 3F12.8
  if (words.size() < 3) reader.fail("expected 3 coordinates of the nucleus");
  for (std::size_t axis = 0; axis < 3; ++axis)
    atom.position_bohr[static_cast<Eigen::Index>(axis)] = reader.real(words[axis], "coordinate");
  return atom;
}

/// Rows "CENTRE ASSIGNMENTS    1  1  1". Numbers of three digits touch each other.
std::vector<long> read_assignments(LineReader& reader, std::string_view phrase, std::size_t count) {
  std::vector<long> numbers;
  std::vector<std::string_view> words;
  while (numbers.size() < count) {
    reader.require(fmt::format("{} {} of {}", phrase, numbers.size() + 1, count));
    if (trimmed(reader.line()).empty()) continue;
    const std::size_t at = reader.line().find(phrase);
    if (at == std::string_view::npos) reader.fail(fmt::format("expected \"{}\"", phrase));
    const std::string_view rest = reader.line().substr(at + phrase.size());
    split_words(rest, words);
    const bool glued =
        std::any_of(words.begin(), words.end(), [](std::string_view word) { return word.size() > 5; });
    if (glued) split_columns(reader.line().substr(std::min<std::size_t>(20, reader.line().size())), 3, words);
    for (const std::string_view word : words) numbers.push_back(reader.integer(word, lower_case(phrase)));
  }
  if (numbers.size() != count)
    reader.fail(fmt::format("expected {} {}, found {}", count, lower_case(phrase), numbers.size()));
  return numbers;
}

void read_exponents(LineReader& reader, std::size_t count, std::vector<double>& numbers,
                    PrintedDigits& digits) {
  std::vector<std::string_view> words;
  while (numbers.size() < count) {
    reader.require(fmt::format("exponent {} of {}", numbers.size() + 1, count));
    if (trimmed(reader.line()).empty()) continue;
    const std::size_t at = reader.line().find("EXPONENTS");
    if (at == std::string_view::npos) reader.fail("expected \"EXPONENTS\"");
    split_words(reader.line().substr(at + 9), words);
    for (const std::string_view word : words) {
      numbers.push_back(reader.real(word, "exponent"));
      digits.see(word);
    }
  }
  if (numbers.size() != count)
    reader.fail(fmt::format("expected {} exponents, found {}", count, numbers.size()));
}

void read_orbital(LineReader& reader, Primitives& primitives) {
  do {
    reader.require(fmt::format("orbital {}", primitives.orbitals.size() + 1));
  } while (trimmed(reader.line()).empty());
  if (!trimmed(reader.line()).starts_with("MO"))
    reader.fail("expected the head of an orbital (MO ... OCC NO =)");
  if (reader.words().size() > 1) {
    if (const auto number = parse_integer(reader.words()[1])) primitives.numbers.push_back(*number);
  }
  Orbital orbital;
  const auto occupation = number_behind(reader.line(), "OCC NO");
  if (!occupation) reader.fail("expected the occupation of the orbital (OCC NO =)");
  orbital.occupation = *occupation;
  if (const auto energy = number_behind(reader.line(), "ENERGY")) orbital.energy_hartree = *energy;
  primitives.orbitals.push_back(orbital);
  const std::size_t wanted = primitives.orbitals.size() * primitives.exponents.size();
  std::vector<std::string_view> words;
  while (primitives.coefficients.size() < wanted) {
    reader.require("the coefficients of the orbital");
    split_words(reader.line(), words);
    const bool glued =
        std::any_of(words.begin(), words.end(), [](std::string_view word) { return !parse_real(word); });
    if (glued) split_columns(reader.line(), 16, words);
    if (primitives.coefficients.size() + words.size() > wanted)
      reader.fail(fmt::format("more coefficients than the {} primitives", primitives.exponents.size()));
    for (const std::string_view word : words)
      primitives.coefficients.push_back(reader.real(word, "orbital coefficient"));
  }
}

/// Orbitals are numbered within a spin, or all of them including virtual ones that the file leaves out: the only
/// position where the numbers are not consecutive is where beta begins.
std::optional<std::size_t> only_jump(const std::vector<long>& numbers) {
  std::optional<std::size_t> jump;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] == numbers[i - 1] + 1) continue;
    if (jump) return std::nullopt;
    jump = i;
  }
  return jump;
}

void read_stated_spins(LineReader& reader, std::vector<Orbital>& orbitals) {
  std::vector<long> spins;
  while (spins.size() < orbitals.size() && reader.next()) {
    for (const std::string_view word : reader.words())
      spins.push_back(reader.integer(word, "spin of the orbital", 1, 3));
  }
  if (spins.size() != orbitals.size()) reader.fail("expected the spin of each orbital ($MOSPIN)");
  for (std::size_t i = 0; i < spins.size(); ++i) orbitals[i].spin = spins[i] == 2 ? Spin::beta : Spin::alpha;
}

/// Reads what follows the orbitals: " TOTAL ENERGY =  -149.664 THE VIRIAL(-V/T)= 1.9997" (in older programs " THE  HF
/// ENERGY = ..."), and Multiwfn's addition: "$MOSPIN $END" and a number for each orbital: 1 alpha, 2 beta, 3 both.
/// Returns whether the spins were given. A further calculation in the file has an energy of its own.
bool read_end(LineReader& reader, Primitives& primitives) {
  bool told = false;
  while (reader.next()) {
    if (contains(reader.line(), "OCC NO")) {
      reader.fail(fmt::format("there are more orbitals than the {} that the second line announces",
                              primitives.orbitals.size()),
                  "The file is damaged: export it again.");
    }
    if (contains(reader.line(), "MOL ORBITALS")) {
      primitives.remarks.dropped("The file holds more than one calculation: the first one was read.");
      break;
    }
    if (const auto energy = number_behind(reader.line(), "ENERGY =")) primitives.energy_hartree = *energy;
    if (!trimmed(reader.line()).starts_with("$MOSPIN")) continue;
    read_stated_spins(reader, primitives.orbitals);
    told = true;
  }
  return told;
}

// --- WFX
// -----------------------------------------------------------------------------------------------------------

/// "<Name>" -> "Name"; "</Name>" -> "/Name".
std::optional<std::string_view> tag_of(std::string_view line) {
  line = trimmed(line);
  if (line.size() < 3 || line.front() != '<' || line.back() != '>') return std::nullopt;
  return line.substr(1, line.size() - 2);
}

constexpr std::string_view coefficients_name = "Molecular Orbital Primitive Coefficients";

/// The numbers of the orbitals are between the coefficients, in sections of their own.
void read_coefficients(LineReader& reader, Primitives& primitives) {
  bool in_number = false;
  while (reader.next()) {
    if (const auto tag = tag_of(reader.line())) {
      if (tag->starts_with('/') && tag->substr(1) == coefficients_name) return;
      in_number = *tag == "MO Number";
      continue;
    }
    if (in_number) continue;
    for (const std::string_view word : reader.words())
      primitives.coefficients.push_back(reader.real(word, "orbital coefficient"));
  }
  reader.require("the end of the orbital coefficients");
}

Sections read_sections(LineReader& reader, Primitives& primitives) {
  Sections sections{"<{}>", {}};
  while (reader.next()) {
    const auto tag = tag_of(reader.line());
    if (!tag || tag->starts_with('/')) continue;
    if (*tag == coefficients_name) {
      read_coefficients(reader, primitives);
      continue;
    }
    const std::string end = fmt::format("/{}", *tag);
    Section section;
    section.line = reader.line_number();
    for (;;) {
      const auto inner = reader.next() ? tag_of(reader.line()) : std::optional<std::string_view>();
      if (inner && *inner == end) break;
      if (inner) {  // nested sections, such as those of the core density
        reader.push_back();
        break;
      }
      if (reader.line().empty() && reader.remaining() == 0) break;
      if (*tag == "Title") {
        if (primitives.molecule.title.empty()) primitives.molecule.title = trimmed(reader.line());
        continue;
      }
      section.words.insert(section.words.end(), reader.words().begin(), reader.words().end());
    }
    const bool first = sections.by_name.emplace(*tag, std::move(section)).second;
    if (!first) {
      primitives.remarks.dropped(
          fmt::format("The file has the section <{}> more than once: the first one was read.", *tag), 1);
    }
  }
  return sections;
}

double real_at(const Section& section, std::size_t i, const LineReader& reader) {
  const auto value = parse_real(section.words[i]);
  if (!value)
    reader.fail_at(section.line,
                   fmt::format("expected a finite number in the section that begins here, found {}",
                               quoted(section.words[i])));
  return *value;
}

std::optional<double> scalar(const Sections& sections, std::string_view name) {
  const Section* section = find(sections, name);
  return section == nullptr || section->words.empty() ? std::nullopt : parse_real(section->words.front());
}

std::vector<double> reals(const Section& section, std::size_t count, std::string_view name,
                          const LineReader& reader) {
  if (section.words.size() != count)
    reader.fail_at(section.line,
                   fmt::format("expected {} words in <{}>, found {}", count, name, section.words.size()));
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(real_at(section, i, reader));
  return numbers;
}

std::vector<long> integers(const Section& section, std::size_t count, std::string_view name,
                           const LineReader& reader) {
  std::vector<long> numbers;
  for (const double value : reals(section, count, name, reader)) {
    if (value != std::floor(value) || std::abs(value) > 1e9)
      reader.fail_at(section.line, fmt::format("expected whole numbers in <{}>, found {}", name, value));
    numbers.push_back(static_cast<long>(value));
  }
  return numbers;
}

/// Compares a number that the file announces, if it does, with the items of another section.
void check_count(const Sections& sections, std::string_view announcing, std::size_t found,
                 std::string_view listing, const LineReader& reader) {
  const Section* section = find(sections, announcing);
  if (section == nullptr) return;
  const long announced = integers(*section, 1, announcing, reader).front();
  if (announced == static_cast<long>(found)) return;
  reader.fail_at(section->line,
                 fmt::format("<{}> announces {}, but <{}> lists {}", announcing, announced, listing, found),
                 "The file is truncated or damaged: copy or export it again.");
}

void make_molecule(const Sections& sections, Molecule& molecule, const LineReader& reader) {
  const Section& numbers = require(sections, "Atomic Numbers", reader);
  const std::size_t count = numbers.words.size();
  if (count == 0) reader.fail_at(numbers.line, "there are no atoms");
  check_count(sections, "Number of Nuclei", count, "Atomic Numbers", reader);
  const auto elements = integers(numbers, count, "Atomic Numbers", reader);
  const auto charges = reals(require(sections, "Nuclear Charges", reader), count, "Nuclear Charges", reader);
  constexpr std::string_view places_name = "Nuclear Cartesian Coordinates";
  const auto places = reals(require(sections, places_name, reader), 3 * count, places_name, reader);
  for (std::size_t i = 0; i < count; ++i) {
    Atom atom = make_atom(elements[i], charges[i], reader);
    for (std::size_t axis = 0; axis < 3; ++axis)
      atom.position_bohr[static_cast<Eigen::Index>(axis)] = places[3 * i + axis];
    molecule.atoms.push_back(atom);
  }
  const auto whole = [](double value) { return static_cast<int>(std::clamp(value, -1e6, 1e6)); };
  if (const auto charge = scalar(sections, "Net Charge")) molecule.charge = whole(*charge);
  if (const auto spin = scalar(sections, "Electronic Spin Multiplicity"))
    molecule.multiplicity = whole(*spin);
}

/// Programs differ on whether the numbers of electrons include those that an effective core replaces.
StatedElectrons stated_electrons(const Sections& sections) {
  if (scalar(sections, "Number of Core Electrons").value_or(0) != 0) return {};
  return {scalar(sections, "Number of Electrons"), scalar(sections, "Number of Alpha Electrons"),
          scalar(sections, "Number of Beta Electrons")};
}

/// If there are separate beta orbitals, those of both spins are listed once for each spin.
void separate_spins(const std::vector<bool>& both, Primitives& primitives) {
  const std::size_t primitive_count = primitives.exponents.size();
  for (std::size_t i = 0; i < both.size(); ++i) {
    if (!both[i]) continue;
    primitives.orbitals[i].occupation /= 2;
    primitives.orbitals.push_back(primitives.orbitals[i]);
    primitives.orbitals.back().spin = Spin::beta;
    for (std::size_t p = 0; p < primitive_count; ++p)
      primitives.coefficients.push_back(primitives.coefficients[i * primitive_count + p]);
  }
}

/// Some writers mark all orbitals as alpha, in contradiction to the numbers of electrons.
void check_spins(const Sections& sections, Primitives& primitives) {
  const double alpha = scalar(sections, "Number of Alpha Electrons").value_or(0);
  const double beta = scalar(sections, "Number of Beta Electrons").value_or(0);
  if (!(beta > 0.5) || !holds_single_electrons(primitives.orbitals)) return;
  primitives.spins.known = false;
  if (std::abs(alpha + beta - static_cast<double>(primitives.orbitals.size())) < 0.5)
    primitives.spins.first_beta = static_cast<std::size_t>(std::lround(std::clamp(alpha, 0.0, 1e6)));
  primitives.spins.energy_fall = only_energy_fall(primitives.orbitals);
}

/// "Alpha", "Beta" or "Alpha and Beta" for each orbital.
void read_spins(const Sections& sections, Primitives& primitives, const LineReader& reader) {
  const Section& spins = require(sections, "Molecular Orbital Spin Types", reader);
  std::vector<Orbital>& orbitals = primitives.orbitals;
  std::vector<bool> both;
  std::size_t contradictory = 0;
  for (std::size_t i = 0; i < spins.words.size() && both.size() < orbitals.size(); ++i) {
    Orbital& orbital = orbitals[both.size()];
    const std::string word = lower_case(spins.words[i]);
    if (word != "alpha" && word != "beta")
      reader.fail_at(spins.line,
                     fmt::format("expected Alpha, Beta or Alpha and Beta, found {}", quoted(spins.words[i])));
    both.push_back(i + 2 < spins.words.size() && lower_case(spins.words[i + 1]) == "and");
    if (both.back()) {
      i += 2;
    } else if (orbital.occupation > 1.0001) {
      both.back() = true;
      ++contradictory;
    } else if (word == "beta") {
      orbital.spin = Spin::beta;
    }
  }
  if (both.size() != orbitals.size())
    reader.fail_at(spins.line, fmt::format("expected the spin types of {} orbitals, found {}",
                                           orbitals.size(), both.size()));
  if (contradictory > 0) {
    primitives.remarks.corrected(fmt::format("{} orbitals hold two electrons, but are stated to be of one "
                                             "spin: they were taken as those of both.",
                                             contradictory),
                                 contradictory);
  }
  const bool any_both = std::find(both.begin(), both.end(), true) != both.end();
  const bool any_beta = std::any_of(orbitals.begin(), orbitals.end(),
                                    [](const Orbital& one) { return one.spin == Spin::beta; });
  if (any_both && any_beta) {
    separate_spins(both, primitives);
  } else if (!any_both && !any_beta) {
    check_spins(sections, primitives);
  }
}

void make_orbitals(const Sections& sections, Primitives& primitives, const LineReader& reader) {
  constexpr std::string_view occupations_name = "Molecular Orbital Occupation Numbers";
  const Section& occupations = require(sections, occupations_name, reader);
  const std::size_t count = occupations.words.size();
  primitives.orbitals.resize(count);
  for (std::size_t i = 0; i < count; ++i) primitives.orbitals[i].occupation = real_at(occupations, i, reader);
  // The format counts all listed orbitals there. A writer that lists empty ones too may count as the name says.
  constexpr std::string_view announcing = "Number of Occupied Molecular Orbitals";
  const auto occupied =
      std::ranges::count_if(primitives.orbitals, [](const Orbital& one) { return one.occupation != 0; });
  if (scalar(sections, announcing) != static_cast<double>(occupied))
    check_count(sections, announcing, count, occupations_name, reader);
  if (const Section* energies = find(sections, "Molecular Orbital Energies")) {
    const auto values = reals(*energies, count, "Molecular Orbital Energies", reader);
    for (std::size_t i = 0; i < count; ++i) primitives.orbitals[i].energy_hartree = values[i];
  }
  if (primitives.coefficients.size() != count * primitives.exponents.size()) {
    reader.fail_at(0,
                   fmt::format("expected {} coefficients of {} orbitals over {} primitives, found {}",
                               count * primitives.exponents.size(), count, primitives.exponents.size(),
                               primitives.coefficients.size()),
                   "The file is truncated or damaged: export it again.");
  }
  read_spins(sections, primitives, reader);
}

}  // namespace

bool looks_like_wfn(std::string_view text) {
  const std::size_t second = text.find('\n');
  if (second == std::string_view::npos) return false;
  const std::string_view line = text.substr(second + 1, text.find('\n', second + 1) - second - 1);
  const std::size_t orbitals = line.find("MOL ORBITALS");
  return orbitals != std::string_view::npos && line.find("PRIMITIVES", orbitals) != std::string_view::npos;
}

FileContents read_wfn(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  Primitives primitives;
  reader.require("the title");
  primitives.molecule.title = trimmed(reader.line());
  const Counts counts = read_counts(reader);
  for (std::size_t i = 0; i < counts.nuclei; ++i) primitives.molecule.atoms.push_back(read_nucleus(reader));
  primitives.centres_line = reader.line_number() + 1;
  primitives.centres = read_assignments(reader, "CENTRE ASSIGNMENTS", counts.primitives);
  primitives.kinds_line = reader.line_number() + 1;
  primitives.kinds = read_assignments(reader, "TYPE ASSIGNMENTS", counts.primitives);
  primitives.exponents_line = reader.line_number() + 1;
  read_exponents(reader, counts.primitives, primitives.exponents, primitives.rounding.exponents);
  while (primitives.orbitals.size() < counts.orbitals) read_orbital(reader, primitives);
  primitives.spins.known = read_end(reader, primitives) || !holds_single_electrons(primitives.orbitals);
  if (primitives.numbers.size() == primitives.orbitals.size())
    primitives.spins.first_beta = only_jump(primitives.numbers);
  primitives.spins.energy_fall = only_energy_fall(primitives.orbitals);
  return finish(std::move(primitives), reader);
}

bool looks_like_wfx(std::string_view text) {
  // Lines before the first tag are comments.
  const auto begins_line = [text](std::string_view tag) {
    for (std::size_t at = text.find(tag); at != std::string_view::npos; at = text.find(tag, at + 1)) {
      const std::size_t line = at == 0 ? 0 : text.find_last_of("\r\n", at - 1) + 1;
      if (trimmed(text.substr(line, at - line)).empty()) return true;
    }
    return false;
  };
  return trimmed(text.substr(0, 1000)).starts_with("<Title>") ||
         (begins_line("<Title>") && begins_line("<Number of Nuclei>"));
}

FileContents read_wfx(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  Primitives primitives;
  const Sections sections = read_sections(reader, primitives);
  const auto keywords = find(sections, "Keywords");
  if (keywords != nullptr && !keywords->words.empty() && lower_case(keywords->words.front()) == "sto")
    reader.fail_at(keywords->line, "Slater-type orbitals are not supported",
                   "Export Gaussian-type orbitals.");
  make_molecule(sections, primitives.molecule, reader);
  const Section& centres = require(sections, "Primitive Centers", reader);
  const std::size_t count = centres.words.size();
  check_count(sections, "Number of Primitives", count, "Primitive Centers", reader);
  const Section& kinds = require(sections, "Primitive Types", reader);
  const Section& exponents = require(sections, "Primitive Exponents", reader);
  primitives.centres = integers(centres, count, "Primitive Centers", reader);
  primitives.kinds = integers(kinds, count, "Primitive Types", reader);
  primitives.exponents = reals(exponents, count, "Primitive Exponents", reader);
  primitives.centres_line = centres.line;
  primitives.kinds_line = kinds.line;
  primitives.exponents_line = exponents.line;
  for (const std::string_view word : exponents.words) primitives.rounding.exponents.see(word);
  make_orbitals(sections, primitives, reader);
  primitives.electrons = stated_electrons(sections);
  primitives.energy_hartree = scalar(sections, "Energy = T + Vne + Vee + Vnn").value_or(0);
  if (find(sections, "Additional Electron Density Function (EDF)") != nullptr) {
    const double core = scalar(sections, "Number of Core Electrons").value_or(0);
    primitives.remarks.dropped(
        fmt::format(
            "The file adds the density of {:.6g} core electrons (EDF): orbitals and densities here are "
            "those of the other electrons.",
            core),
        static_cast<std::size_t>(std::clamp(core, 0.0, 1e9)));
  }
  return finish(std::move(primitives), reader);
}

}  // namespace isolume::molecules

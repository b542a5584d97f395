// Interprets the sections of a Molden file together: atoms, basis set and sets of orbitals.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/molecules/element.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/molden_sections.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

/// Indices of atoms by the numbers given in the file, or by order if those numbers are not unique.
std::unordered_map<long, int> atoms_by_number(const MoldenSections& sections) {
  std::unordered_map<long, int> by_number;
  for (std::size_t i = 0; i < sections.atoms.size(); ++i) {
    if (!by_number.emplace(sections.atoms[i].number, static_cast<int>(i)).second) {
      by_number.clear();
      for (std::size_t k = 0; k < sections.atoms.size(); ++k)
        by_number.emplace(static_cast<long>(k) + 1, static_cast<int>(k));
      return by_number;
    }
  }
  return by_number;
}

Molecule make_molecule(const MoldenSections& sections) {
  Molecule molecule;
  molecule.title = sections.title;
  const auto by_number = atoms_by_number(sections);
  for (const MoldenAtom& line : sections.atoms) {
    molecule.atoms.push_back(line.atom);
    const auto charge = sections.valence_charges.find(lower_case(line.label));
    if (charge != sections.valence_charges.end()) molecule.atoms.back().nuclear_charge = charge->second;
  }
  for (const auto& [number, charge] : sections.charges) {
    const auto place = by_number.find(number);
    if (place != by_number.end())
      molecule.atoms[static_cast<std::size_t>(place->second)].nuclear_charge = charge;
  }
  for (const auto& [number, electrons] : sections.cores) {
    const auto place = by_number.find(number);
    if (place == by_number.end()) continue;
    Atom& atom = molecule.atoms[static_cast<std::size_t>(place->second)];
    // "Cr" with a charge of 6 may be a label of a carbon; with a core of 18 electrons it is not.
    const int named = atomic_number(sections.atoms[static_cast<std::size_t>(place->second)].label);
    if (named > 0 && std::abs(named - electrons - atom.nuclear_charge) < 1e-6) {
      atom.atomic_number = named;
    } else if (atom.nuclear_charge == atom.atomic_number) {
      atom.nuclear_charge -= electrons;
    }
  }
  return molecule;
}

/// The molecule of a file without [Atoms] and wavefunction: that of its vibrations, or the first of an optimisation.
std::vector<MoldenAtom> atoms_of_geometries(const MoldenSections& sections, const LineReader& reader) {
  const bool found = !sections.frequency_atoms.empty() || !sections.geometries.empty();
  if (sections.orbitals.empty() && sections.shells.empty() && !found && sections.internal_coordinates > 0) {
    reader.fail_at(sections.internal_coordinates, "the geometries are not in Cartesian coordinates",
                   "Export them as [GEOMETRIES] XYZ, or with a section [Atoms].");
  }
  if (!sections.orbitals.empty() || !sections.shells.empty() || !found) {
    reader.fail_at(0, "expected a section [Atoms] with at least one atom, found none");
  }
  std::vector<MoldenAtom> atoms =
      sections.frequency_atoms.empty() ? sections.geometries.front() : sections.frequency_atoms;
  if (atoms.empty()) reader.fail_at(0, "the first geometry of the file has no atoms");
  for (MoldenAtom& one : atoms) {
    if (one.atom.atomic_number < 0)
      reader.fail_at(one.line,
                     fmt::format("expected an element, found {}", quoted(std::string_view(one.label))));
    one.atom.nuclear_charge = one.atom.atomic_number;
  }
  return atoms;
}

/// Further geometries. Labels that are those of [Atoms] stand for the same elements.
std::vector<std::vector<Atom>> frames_of(const MoldenSections& sections, const Molecule& molecule) {
  std::vector<std::vector<Atom>> frames;
  for (const auto& geometry : sections.geometries) {
    auto& frame = frames.emplace_back();
    for (std::size_t i = 0; i < geometry.size(); ++i) {
      frame.push_back(geometry[i].atom);
      const bool same_label =
          i < sections.atoms.size() && lower_case(geometry[i].label) == lower_case(sections.atoms[i].label);
      if (same_label) frame.back().atomic_number = molecule.atoms[i].atomic_number;
    }
  }
  return frames;
}

BasisSet make_basis(const MoldenSections& sections, const LineReader& reader) {
  const auto by_number = atoms_by_number(sections);
  BasisSet basis;
  for (const MoldenShell& lines : sections.shells) {
    const auto place = by_number.find(lines.atom_number);
    if (place == by_number.end()) {
      reader.fail_at(lines.line, fmt::format("the shell belongs to atom {}, but [Atoms] has no such atom",
                                             lines.atom_number));
    }
    basis.shells.push_back(lines.shell);
    basis.shells.back().atom = place->second;
  }
  return basis;
}

using Spherical = std::array<bool, max_angular_momentum + 1>;

Spherical spherical_by_tags(const MoldenSections& sections) {
  Spherical spherical{};
  for (std::size_t l = 2; l < spherical.size(); ++l) {
    const auto tag = sections.tags.find(std::string(1, shell_letters[l]));
    if (tag != sections.tags.end()) spherical[l] = tag->second;
  }
  if (!sections.tags.contains("h"))
    spherical[5] = spherical[4];  // writers of h functions have no tag for them
  return spherical;
}

void set_spherical(BasisSet& basis, const Spherical& spherical) {
  for (Shell& shell : basis.shells)
    shell.spherical = spherical[static_cast<std::size_t>(shell.angular_momentum)];
}

/// Whether every orbital lists all functions from 1 to the largest one: that number is then the size of the basis.
/// The end of the last orbital may be missing.
bool dense(const MoldenSections& sections) {
  const std::size_t orbitals = sections.orbitals.size();
  if (orbitals == 0) return false;
  const auto functions = static_cast<std::size_t>(sections.largest_function);
  if (sections.entries.size() == orbitals * functions) return true;
  const std::size_t before_last = sections.orbitals.back().first_entry;
  return orbitals > 1 && before_last == (orbitals - 1) * functions &&
         sections.entries.size() - before_last < functions;
}

/// The file ends within a line, or all orbitals but the last one list all functions.
void warn_of_end(MoldenSections& sections, std::size_t functions) {
  const std::size_t listed = sections.entries.size() - sections.orbitals.back().first_entry;
  // Sparse files leave out zeros; truncation is recognised by other orbitals that list all functions, or by a missing
  // line end.
  const bool others_whole =
      sections.orbitals.size() > 1 && static_cast<std::size_t>(sections.largest_function) == functions;
  const bool incomplete =
      dense(sections) && listed < functions && (others_whole || sections.without_line_end);
  if (!sections.cut && !incomplete) return;
  sections.remarks.warn(fmt::format(
      "The file is truncated: its last orbital (number {}) lists {} of {} basis functions, and orbitals "
      "after it may be missing. Copy or export the file again.",
      sections.orbitals.size(), listed, functions));
}

/// Sets the kind of each shell by the tags; if the coefficients contradict them, by what fits the coefficients.
void choose_kinds(BasisSet& basis, MoldenSections& sections, const LineReader& reader) {
  const Spherical tagged = spherical_by_tags(sections);
  set_spherical(basis, tagged);
  const auto wanted = static_cast<std::size_t>(sections.largest_function);
  const std::size_t count = basis.function_count();
  if (wanted == count || (wanted < count && !dense(sections))) return;
  for (unsigned choice = 0; choice < 16; ++choice) {
    Spherical other{};
    for (unsigned bit = 0; bit < 4; ++bit) other[bit + 2] = (choice >> (3 - bit) & 1) == 0;
    set_spherical(basis, other);
    if (basis.function_count() != wanted) continue;
    sections.remarks.assumed(
        fmt::format("The tags such as [5D] ask for {} basis functions, the orbitals have {}: the kinds of "
                    "functions were chosen to fit.",
                    count, wanted));
    return;
  }
  set_spherical(basis, tagged);
  if (wanted > count) {
    reader.fail_at(sections.largest_function_line,
                   fmt::format("function {} is out of range: the basis set has {} functions", wanted, count));
  }
}

/// Orbitals first ... end - 1 of the file.
struct Range {
  std::size_t first;
  std::size_t end;
};

/// Each [MO] is a set of its own, except that a section of beta orbitals belongs to the preceding alpha ones.
std::vector<Range> ranges_of_sets(const MoldenSections& sections) {
  const auto all_of = [&sections](const Range& range, Spin spin) {
    return std::all_of(sections.orbitals.begin() + static_cast<std::ptrdiff_t>(range.first),
                       sections.orbitals.begin() + static_cast<std::ptrdiff_t>(range.end),
                       [spin](const MoldenOrbital& lines) { return lines.orbital.spin == spin; });
  };
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < sections.set_starts.size(); ++i) {
    const bool last = i + 1 == sections.set_starts.size();
    const Range range{sections.set_starts[i], last ? sections.orbitals.size() : sections.set_starts[i + 1]};
    if (range.first == range.end) continue;
    if (!ranges.empty() && all_of(ranges.back(), Spin::alpha) && all_of(range, Spin::beta)) {
      ranges.back().end = range.end;
    } else {
      ranges.push_back(range);
    }
  }
  return ranges;
}

OrbitalSet make_orbitals(const MoldenSections& sections, const Range& range, std::size_t functions,
                         const LineReader& reader) {
  const std::size_t count = range.end - range.first;
  OrbitalSet set;
  set.coefficients =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(functions), static_cast<Eigen::Index>(count));
  std::vector<std::size_t> last_orbital(functions, range.end);
  for (std::size_t i = range.first; i < range.end; ++i) {
    const MoldenOrbital& lines = sections.orbitals[i];
    const std::size_t end =
        i + 1 < sections.orbitals.size() ? sections.orbitals[i + 1].first_entry : sections.entries.size();
    for (std::size_t e = lines.first_entry; e < end; ++e) {
      const MoldenEntry& entry = sections.entries[e];
      std::size_t& seen = last_orbital[static_cast<std::size_t>(entry.function)];
      if (seen == i) {
        reader.fail_at(lines.line, fmt::format("the orbital that begins here lists function {} twice",
                                               entry.function + 1));
      }
      seen = i;
      set.coefficients(entry.function, static_cast<Eigen::Index>(i - range.first)) = entry.value;
    }
    set.orbitals.push_back(lines.orbital);
  }
  return set;
}

/// Psi4 and others put the occupations of natural orbitals (or half of them) where the energies should be.
void forget_energies_that_are_occupations(OrbitalSet& set) {
  for (const double factor : {1.0, 0.5, -1.0}) {
    const bool same = std::all_of(set.orbitals.begin(), set.orbitals.end(), [factor](const Orbital& o) {
      return std::abs(o.energy_hartree - factor * o.occupation) < 1e-6;
    });
    if (!same) continue;
    for (Orbital& orbital : set.orbitals) orbital.energy_hartree = std::numeric_limits<double>::quiet_NaN();
    return;
  }
}

/// Writers without energies, e.g. for localised orbitals, write zeros.
void forget_energies_that_are_zero(OrbitalSet& set) {
  const bool zero = std::all_of(set.orbitals.begin(), set.orbitals.end(),
                                [](const Orbital& o) { return o.energy_hartree == 0; });
  if (!zero) return;
  if (set.name == "canonical") set.name = "molecular";
  for (Orbital& orbital : set.orbitals) orbital.energy_hartree = std::numeric_limits<double>::quiet_NaN();
}

/// PySCF numbers orbitals without energies from 0 on, those of either spin for themselves.
void forget_energies_that_count(OrbitalSet& set, Document& document) {
  std::array<int, 2> next{};
  for (const Orbital& orbital : set.orbitals) {
    int& number = next.at(orbital.spin == Spin::beta ? 1 : 0);
    if (orbital.energy_hartree != number) return;
    ++number;
  }
  if (next[0] < 2 && next[1] < 2) return;
  for (Orbital& orbital : set.orbitals) orbital.energy_hartree = std::numeric_limits<double>::quiet_NaN();
  if (set.name == "canonical") set.name = "molecular";
  document.remarks.dropped(
      "The energies of the orbitals are 0, 1, 2 ...: they count the orbitals and are no energies. They were "
      "left out.",
      set.orbitals.size());
}

/// CFOUR gives the doubly occupied orbitals of a closed shell an occupation of one.
void double_halved_occupations(OrbitalSet& set, FileContents& contents) {
  double electrons = 0, charge = 0;
  for (const Orbital& orbital : set.orbitals) {
    if (orbital.spin == Spin::beta || (orbital.occupation != 0 && orbital.occupation != 1)) return;
    electrons += orbital.occupation;
  }
  for (const Atom& atom : contents.document.molecule.atoms) charge += atom.nuclear_charge;
  if (electrons < 2 || std::abs(2 * electrons - charge) > 1e-6) return;
  for (Orbital& orbital : set.orbitals) orbital.occupation *= 2;
  contents.document.remarks.corrected(
      "The occupations count one electron for each pair of a neutral closed shell: they were doubled.");
}

void complete_occupations(OrbitalSet& set, const MoldenSections& sections, const Range& range,
                          FileContents& contents) {
  const auto first = sections.orbitals.begin();
  const auto missing = std::count_if(first + static_cast<std::ptrdiff_t>(range.first),
                                     first + static_cast<std::ptrdiff_t>(range.end),
                                     [](const MoldenOrbital& lines) { return !lines.has_occupation; });
  if (missing == static_cast<std::ptrdiff_t>(range.end - range.first)) {
    assume_neutral(set, contents.document);
  } else if (missing > 0) {
    contents.document.remarks.assumed(
        fmt::format("{} orbitals have no occupation (Occup=): they were taken as empty.", missing),
        static_cast<std::size_t>(missing));
  }
}

OrbitalSet make_set(const MoldenSections& sections, const Range& range, const BasisSet& basis,
                    const LineReader& reader, FileContents& contents) {
  OrbitalSet set = make_orbitals(sections, range, basis.function_count(), reader);
  complete_occupations(set, sections, range, contents);
  double_halved_occupations(set, contents);
  set.name = name_by_occupations(set);
  if (set.name == "natural") forget_energies_that_are_occupations(set);
  forget_energies_that_are_zero(set);
  forget_energies_that_count(set, contents.document);
  rearrange_rows(rearrangement(basis, molden_order, isolume_order), set.coefficients);
  return set;
}

/// Some writers leave out the spins (Spin=). Orbitals that hold one electron each at most may then be those of both
/// spins, one list after the other.
StatedSpins stated_spins(const MoldenSections& sections, const Range& range, const OrbitalSet& set) {
  const auto first = sections.orbitals.begin();
  StatedSpins spins;
  spins.known = std::any_of(first + static_cast<std::ptrdiff_t>(range.first),
                            first + static_cast<std::ptrdiff_t>(range.end),
                            [](const MoldenOrbital& lines) { return lines.has_spin; }) ||
                std::any_of(set.orbitals.begin(), set.orbitals.end(),
                            [](const Orbital& one) { return one.occupation > 1.0001; });
  spins.energy_fall = only_energy_fall(set.orbitals);
  return spins;
}

/// Sets with the same name are numbered.
void number_equal_names(std::vector<OrbitalSet>& sets) {
  std::map<std::string, int> seen;
  for (OrbitalSet& set : sets) {
    if (const int number = ++seen[set.name]; number > 1) set.name += fmt::format(" ({})", number);
  }
}

std::string_view program_in(const MoldenSections& sections, std::string_view text) {
  const std::string title = lower_case(sections.title);
  const std::string beginning = lower_case(text.substr(0, 2000));
  static constexpr std::array<std::string_view, 16> names{
      "orca",   "psi4", "turbomole", "cfour", "nwchem", "molpro", "molcas",   "pyscf",
      "q-chem", "xtb",  "dalton",    "cp2k",  "mrcc",   "gamess", "multiwfn", "gaussian"};
  for (const std::string_view name : names) {
    if (title.find(name) != std::string::npos || beginning.find(name) != std::string::npos) return name;
  }
  return {};
}

}  // namespace

bool looks_like_aomix(std::string_view text) {
  const std::string beginning = lower_case(text.substr(0, 1000));
  return trimmed(beginning).starts_with("[aomix format]");
}

bool looks_like_molden(std::string_view text) {
  const std::string beginning = lower_case(text.substr(0, 20000));
  if (beginning.find("[molden format]") != std::string::npos) return true;
  const bool atoms = beginning.find("[atoms]") != std::string::npos;
  return atoms || beginning.find("[gto]") != std::string::npos;
}

FileContents read_molden(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  MoldenSections sections = read_molden_sections(reader);
  const bool has_atoms = !sections.atoms.empty();
  if (!has_atoms) sections.atoms = atoms_of_geometries(sections, reader);

  FileContents contents;
  contents.document.program = program_in(sections, source.text);
  contents.document.molecule = make_molecule(sections);
  add_frames(contents.document, frames_of(sections, contents.document.molecule));
  contents.order = &molden_order;
  if (!sections.orbitals.empty()) {
    if (sections.shells.empty()) reader.fail_at(0, "there are orbitals ([MO]), but no basis set ([GTO])");
    auto wavefunction = std::make_shared<Wavefunction>();
    wavefunction->basis = make_basis(sections, reader);
    choose_kinds(wavefunction->basis, sections, reader);
    warn_of_end(sections, wavefunction->basis.function_count());
    check_matrix_size(wavefunction->basis.function_count(), sections.orbitals.size(), reader.size());
    const std::vector<Range> ranges = ranges_of_sets(sections);
    for (const Range& range : ranges) {
      wavefunction->sets.push_back(make_set(sections, range, wavefunction->basis, reader, contents));
    }
    contents.spins = stated_spins(sections, ranges.front(), wavefunction->sets.front());
    number_equal_names(wavefunction->sets);
    double largest = 0;
    for (const MoldenEntry& entry : sections.entries) largest = std::max(largest, std::abs(entry.value));
    contents.rounding = {sections.coefficient_digits.half_unit(largest), sections.exponent_digits,
                         sections.contraction_digits,
                         sections.position_digits.half_unit(1) * sections.bohr_per_position};
    contents.wavefunction = std::move(wavefunction);
  } else {
    contents.document.remarks.warn(
        has_atoms
            ? "The file has no orbitals ([MO]). If it should have some, it is truncated: copy or export it "
              "again."
            : "The file has geometries only: neither a basis set nor orbitals.");
  }
  sections.remarks.add(contents.document.remarks);
  contents.document.remarks = std::move(sections.remarks);
  return contents;
}

}  // namespace isolume::molecules

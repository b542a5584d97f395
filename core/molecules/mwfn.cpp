// Wavefunctions of Multiwfn: T. Lu and Q. Chen, https://doi.org/10.26434/chemrxiv-2021-lt04f.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"
#include "core/molecules/shell_arrays.h"

namespace isolume::molecules {
namespace {

struct MwfnFile {
  Molecule molecule;
  ShellArrays arrays;
  std::optional<double> alpha, beta;
  std::vector<Orbital> orbitals;
  bool separate_spins = false;       ///< each orbital is of one spin
  std::vector<double> coefficients;  ///< one orbital after the other
  std::size_t functions = 0;
  std::optional<long> orbitals_of_a_spin;  ///< linearly independent functions, as the file states them
  double energy_hartree = 0;               ///< 0: unknown
  long periodic_dimensions = 0;
};

/// "     1 C    6   6.0      0.18972520      0.19096337      0.19096337", in angstrom.
void read_centres(LineReader& reader, std::size_t count, Molecule& molecule) {
  for (std::size_t i = 0; i < count; ++i) {
    reader.require(fmt::format("centre {} of {}", i + 1, count));
    const auto& words = reader.words();
    if (words.size() < 7) reader.fail("expected a centre (number, name, atomic number, charge, x, y, z)");
    Atom atom;
    atom.atomic_number = static_cast<int>(reader.integer(words[2], "atomic number", 0, 118));
    atom.nuclear_charge = reader.real(words[3], "nuclear charge");
    if (!(atom.nuclear_charge >= 0) || atom.nuclear_charge > 118)
      reader.fail("the nuclear charge must lie between 0 and 118");
    if (atom.nuclear_charge == 0) {
      atom.ghost_of = atom.atomic_number;
      atom.atomic_number = 0;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      atom.position_bohr[static_cast<Eigen::Index>(axis)] =
          reader.real(words[4 + axis], "coordinate") * units::bohr_per_angstrom;
    }
    molecule.atoms.push_back(atom);
  }
}

template <class Number>
void read_numbers(LineReader& reader, std::size_t count, std::string_view what,
                  std::vector<Number>& numbers) {
  while (numbers.size() < count) {
    reader.require(fmt::format("{} {} of {}", what, numbers.size() + 1, count));
    if (numbers.size() + reader.words().size() > count)
      reader.fail(fmt::format("more than the promised {} {}", count, what));
    for (const std::string_view word : reader.words()) {
      if constexpr (std::is_same_v<Number, double>) {
        numbers.push_back(reader.real(word, what));
      } else {
        numbers.push_back(reader.integer(word, what));
      }
    }
  }
}

/// "Key= value"
void read_value(LineReader& reader, std::string_view key, std::string_view value, MwfnFile& file,
                std::array<std::size_t, 3>& counts) {
  const auto last = [&]() -> Orbital& {
    if (file.orbitals.empty()) reader.fail("a property of an orbital before the first orbital (Index=)");
    return file.orbitals.back();
  };
  if (key == "Charge") {
    file.molecule.charge = static_cast<int>(std::lround(std::clamp(reader.real(value, "charge"), -1e6, 1e6)));
  } else if (key == "E_tot") {
    file.energy_hartree = reader.real(value, "total energy");
  } else if (key == "Naelec") {
    file.alpha = reader.real(value, "number of alpha electrons");
  } else if (key == "Nbelec") {
    file.beta = reader.real(value, "number of beta electrons");
  } else if (key == "Ndim") {
    file.periodic_dimensions = reader.integer(value, "number of periodic dimensions", 0, 3);
  } else if (key == "Ncenter") {
    counts[0] = reader.count(value, "number of centres", 10);
  } else if (key == "Nshell") {
    counts[1] = reader.count(value, "number of shells", 2);
  } else if (key == "Nprimshell") {
    counts[2] = reader.count(value, "number of primitives", 2);
  } else if (key == "Nbasis") {
    file.functions = reader.count(value, "number of basis functions", 2);
  } else if (key == "Nindbasis") {
    file.orbitals_of_a_spin = reader.integer(value, "number of independent functions", 0, 1 << 24);
  } else if (key == "Index") {
    file.orbitals.emplace_back();
  } else if (key == "Type") {
    const long type = reader.integer(value, "type of the orbital", 0, 2);  // of both spins, alpha, beta
    last().spin = type == 2 ? Spin::beta : Spin::alpha;
    if (type > 0) file.separate_spins = true;
  } else if (key == "Energy") {
    last().energy_hartree = reader.real(value, "energy of the orbital");
  } else if (key == "Occ") {
    last().occupation = reader.real(value, "occupation");
  } else if (key == "Sym" && value != "?") {
    last().symmetry = value;
  }
}

/// The key that announces how long the list of a section is; none for sections that are not read.
std::string_view counted_by(std::string_view section) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> keys{
      {{"$Centers", "Ncenter"},
       {"$Shell types", "Nshell"},
       {"$Shell centers", "Nshell"},
       {"$Shell contraction degrees", "Nshell"},
       {"$Primitive exponents", "Nprimshell"},
       {"$Contraction coefficients", "Nprimshell"},
       {"$Coeff", "Nbasis"}}};
  const auto* found = std::ranges::find(keys, section, [](const auto& key) { return key.first; });
  return found == keys.end() ? std::string_view() : found->second;
}

/// Orbitals of each spin that the file has, fewer than the functions that it states to be independent.
void remark_on_missing_orbitals(const MwfnFile& file, Remarks& remarks) {
  if (!file.orbitals_of_a_spin) return;
  const auto beta =
      std::ranges::count_if(file.orbitals, [](const Orbital& one) { return one.spin == Spin::beta; });
  const auto alpha = static_cast<std::ptrdiff_t>(file.orbitals.size()) - beta;
  const auto remark = [&](std::ptrdiff_t found, std::string_view spin) {
    if (found >= *file.orbitals_of_a_spin) return;
    remarks.warn(fmt::format(
        "The file states {} independent functions (Nindbasis), but lists {} {}orbitals. If it should "
        "list the others too, it is truncated: copy or export it again.",
        *file.orbitals_of_a_spin, found, spin));
  };
  remark(alpha, file.separate_spins ? "alpha " : "");
  if (file.separate_spins) remark(beta, "beta ");
}

MwfnFile read_mwfn_file(LineReader& reader) {
  MwfnFile file;
  std::array<std::size_t, 3> counts{};  // centres, shells, primitives
  ShellArrays& arrays = file.arrays;
  std::string_view counted;  // the key that announces the length of the last list
  while (reader.next()) {
    const std::string_view line = trimmed(reader.line());
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with('$')) counted = counted_by(line);
    if (line == "$Centers") {
      read_centres(reader, counts[0], file.molecule);
    } else if (line == "$Shell types") {
      arrays.types_line = reader.line_number();
      read_numbers(reader, counts[1], "shell types", arrays.types);
    } else if (line == "$Shell centers") {
      arrays.atoms_line = reader.line_number();
      read_numbers(reader, counts[1], "shell centers", arrays.atoms);
    } else if (line == "$Shell contraction degrees") {
      arrays.counts_line = reader.line_number();
      read_numbers(reader, counts[1], "contraction degrees", arrays.counts);
    } else if (line == "$Primitive exponents") {
      arrays.exponents_line = reader.line_number();
      read_numbers(reader, counts[2], "exponents", arrays.exponents);
    } else if (line == "$Contraction coefficients") {
      read_numbers(reader, counts[2], "contraction coefficients", arrays.coefficients);
    } else if (line == "$Coeff") {
      read_numbers(reader, file.orbitals.size() * file.functions, "orbital coefficients", file.coefficients);
    } else if (line.starts_with('$')) {
      if (!file.orbitals.empty()) break;  // matrices after the orbitals
    } else if (const std::size_t equals = line.find('='); equals != std::string_view::npos) {
      read_value(reader, trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)), file, counts);
    } else if (!counted.empty()) {
      reader.fail(fmt::format("the list is longer than {} announces: {} follows it", counted, quoted(line)),
                  "The file is damaged: export it again.");
    }
  }
  return file;
}

}  // namespace

bool looks_like_mwfn(std::string_view text) {
  const std::string_view beginning = text.substr(0, 4000);
  return beginning.find("Wfntype=") != std::string_view::npos &&
         beginning.find("Ncenter=") != std::string_view::npos;
}

FileContents read_mwfn(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  MwfnFile file = read_mwfn_file(reader);
  FileContents contents;
  contents.order = &fchk_order;  // the format uses Gaussian's order
  if (file.molecule.atoms.empty()) reader.fail_at(0, "expected the section $Centers, found none");
  if (file.alpha && file.beta)
    file.molecule.multiplicity =
        1 + static_cast<int>(std::lround(std::clamp(*file.alpha - *file.beta, 0.0, 1e6)));
  contents.document.molecule = file.molecule;
  if (file.energy_hartree != 0) contents.document.energy = {file.energy_hartree, "total"};
  if (file.orbitals.empty() || file.arrays.types.empty()) {
    contents.document.remarks.warn("The file has no orbitals.");
    return contents;
  }
  auto wavefunction = std::make_shared<Wavefunction>();
  wavefunction->basis = make_basis(file.arrays, file.molecule.atoms.size(), reader);
  const std::size_t functions = wavefunction->basis.function_count();
  if (functions != file.functions) {
    reader.fail_at(
        file.arrays.types_line,
        fmt::format("the shells make {} basis functions, but the file says {}", functions, file.functions));
  }
  if (file.coefficients.size() != functions * file.orbitals.size()) {
    reader.fail_at(reader.line_number(),
                   fmt::format("expected the coefficients of {} orbitals, found those of {}",
                               file.orbitals.size(), file.coefficients.size() / functions),
                   "The file is truncated: copy or export it again.");
  }
  remark_on_missing_orbitals(file, contents.document.remarks);
  if (file.periodic_dimensions > 0)
    contents.document.remarks.dropped(fmt::format(
        "The wavefunction is periodic in {} (Ndim), but the functions of neighbouring cells are left "
        "out: near the borders of its cell the values are wrong.",
        counted(static_cast<std::size_t>(file.periodic_dimensions), "dimension")));
  OrbitalSet set;
  set.orbitals = std::move(file.orbitals);
  set.coefficients =
      Eigen::Map<const Eigen::MatrixXd>(file.coefficients.data(), static_cast<Eigen::Index>(functions),
                                        static_cast<Eigen::Index>(set.orbitals.size()));
  set.name = name_by_occupations(set);
  rearrange_rows(rearrangement(wavefunction->basis, fchk_order, isolume_order), set.coefficients);
  wavefunction->sets.push_back(std::move(set));
  contents.wavefunction = std::move(wavefunction);
  return contents;
}

}  // namespace isolume::molecules

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/molecules/angular_order.h"
#include "core/molecules/element.h"
#include "core/molecules/overlap.h"
#include "core/molecules/writers.h"

namespace isolume::molecules {
namespace {

using Kinds = std::array<bool, max_angular_momentum + 1>;

/// Which angular momenta are spherical; rejects what the format cannot express.
Kinds kinds(const BasisSet& basis, const std::filesystem::path& path) {
  std::array<std::optional<bool>, max_angular_momentum + 1> known;
  for (const Shell& shell : basis.shells) {
    auto& kind = known[static_cast<std::size_t>(shell.angular_momentum)];
    if (kind.value_or(shell.spherical) != shell.spherical ||
        (shell.angular_momentum == 1 && shell.spherical)) {
      throw Error(fmt::format(
          "{}: the Molden format cannot say which {} functions are Cartesian and which spherical. "
          "Export a cube file instead.",
          path.string(), shell_letters[static_cast<std::size_t>(shell.angular_momentum)]));
    }
    kind = shell.spherical;
  }
  // The format's description ends at g. ORCA and Psi4 use [9G] for spherical h as well, in the corresponding order,
  // and readers follow them; there is no agreement on the order of Cartesian ones.
  if (known[5] && (!*known[5] || !known[4].value_or(true))) {
    throw Error(fmt::format(
        "{}: the Molden format has h functions only as spherical ones with spherical g functions. Export a "
        "cube file instead.",
        path.string()));
  }
  if (known[5]) known[4] = true;
  Kinds spherical{};
  for (std::size_t l = 0; l < known.size(); ++l) spherical[l] = known[l].value_or(false);
  // An absent f follows d: [5D] is then sufficient, and all readers understand it.
  if (!known[3]) spherical[3] = spherical[2];
  if (!known[2]) spherical[2] = spherical[3];
  return spherical;
}

void write_tags(std::string& out, const Kinds& spherical) {
  if (spherical[2] && spherical[3]) out += "[5D]\n";
  if (spherical[2] && !spherical[3]) out += "[5D10F]\n";
  if (!spherical[2] && spherical[3]) out += "[7F]\n";
  if (spherical[4]) out += "[9G]\n";
}

/// The name gives the element, the number after it the charge seen by the electrons: as in PySCF, IOData and
/// Multiwfn, which have no other place for it. A ghost keeps a name that readers know, with charge zero.
std::string_view symbol_of(const Atom& atom) {
  if (atom.atomic_number > 0) return element(atom.atomic_number).symbol;
  return element(atom.ghost_of > 0 ? atom.ghost_of : 1).symbol;
}

double charge_to_write(const Atom& atom) {
  const bool core = atom.nuclear_charge > 0 && atom.nuclear_charge < atom.atomic_number;
  return core ? atom.nuclear_charge : atom.atomic_number;
}

void write_atoms(std::string& out, const Molecule& molecule) {
  out += "[Atoms] AU\n";
  for (std::size_t i = 0; i < molecule.atoms.size(); ++i) {
    const Atom& atom = molecule.atoms[i];
    const Eigen::Vector3d& p = atom.position_bohr;
    out += fmt::format("{:<2} {:5d} {:3.10g} {:24.16e} {:24.16e} {:24.16e}\n", symbol_of(atom), i + 1,
                       charge_to_write(atom), p.x(), p.y(), p.z());
  }
  const auto core = [](const Atom& atom) { return atom.atomic_number - atom.nuclear_charge; };
  if (std::none_of(molecule.atoms.begin(), molecule.atoms.end(),
                   [&](const Atom& a) { return core(a) > 0.5; }))
    return;
  out += "[Core]\n";
  for (std::size_t i = 0; i < molecule.atoms.size(); ++i) {
    if (core(molecule.atoms[i]) > 0.5)
      out += fmt::format("{} : {}\n", i + 1, std::lround(core(molecule.atoms[i])));
  }
}

/// Indices of the shells, those of one atom together as required by the format.
std::vector<std::size_t> shells_by_atom(const BasisSet& basis) {
  std::vector<std::size_t> order(basis.shells.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return basis.shells[a].atom < basis.shells[b].atom; });
  return order;
}

void write_basis(std::string& out, const BasisSet& basis, const std::vector<std::size_t>& order) {
  out += "[GTO]\n";
  int atom = -1;
  for (const std::size_t i : order) {
    const Shell& shell = basis.shells[i];
    if (shell.atom != atom) out += fmt::format("{}{:5d} 0\n", atom < 0 ? "" : "\n", shell.atom + 1);
    atom = shell.atom;
    out += fmt::format(" {} {:4d} 1.00\n", shell_letters[static_cast<std::size_t>(shell.angular_momentum)],
                       shell.exponents.size());
    for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
      out += fmt::format("{:24.16e} {:24.16e}\n", shell.exponents[p], shell.coefficients[p]);
    }
  }
  out += "\n";
}

/// Rows of the coefficients in the order of the file.
Rearrangement file_order(const BasisSet& basis, const std::vector<std::size_t>& order) {
  std::vector<int> first(basis.shells.size(), 0);
  for (std::size_t i = 1; i < basis.shells.size(); ++i)
    first[i] = first[i - 1] + basis.shells[i - 1].function_count();
  Rearrangement result;
  for (const std::size_t i : order) {
    const Shell& shell = basis.shells[i];
    const Rearrangement one = rearrangement(isolume_order.of(shell), molden_order.of(shell));
    for (std::size_t k = 0; k < one.source.size(); ++k) {
      result.source.push_back(first[i] + one.source[k]);
      result.sign.push_back(one.sign[k]);
    }
  }
  return result;
}

/// Readers such as PySCF normalise every contraction: missing factors are moved to the rows of the functions.
void normalise_contractions(BasisSet& basis, Eigen::MatrixXd& coefficients) {
  constexpr double printed = 1e-6;  // rounding error of printed contractions; smaller deviations are ignored
  Eigen::Index row = 0;
  for (Shell& shell : basis.shells) {
    const double square = self_overlap(shell);
    if (square > 0 && std::isfinite(square) && std::abs(square - 1) > printed) {
      for (double& coefficient : shell.coefficients) coefficient /= std::sqrt(square);
      coefficients.middleRows(row, shell.function_count()) *= std::sqrt(square);
    }
    row += shell.function_count();
  }
}

/// Where a set has no energies: the occupations, as Psi4 and Gaussian do for natural orbitals, or zeros.
std::vector<double> energies_to_write(const OrbitalSet& set) {
  const auto& orbitals = set.orbitals;
  const bool known = std::any_of(orbitals.begin(), orbitals.end(),
                                 [](const Orbital& o) { return std::isfinite(o.energy_hartree); });
  const bool fractional = std::any_of(orbitals.begin(), orbitals.end(), [](const Orbital& o) {
    return std::abs(o.occupation - std::round(o.occupation)) > 1e-4;
  });
  std::vector<double> energies;
  for (const Orbital& orbital : orbitals) {
    const double unknown = !known && fractional ? orbital.occupation : 0;
    energies.push_back(std::isfinite(orbital.energy_hartree) ? orbital.energy_hartree : unknown);
  }
  return energies;
}

void write_orbital(std::string& out, const Orbital& orbital, double energy,
                   const Eigen::MatrixXd& coefficients, Eigen::Index column) {
  out += fmt::format(" Sym= {}\n Ene= {:.16e}\n Spin= {}\n Occup= {:.10f}\n",
                     orbital.symmetry.empty() ? "a" : orbital.symmetry, energy,
                     orbital.spin == Spin::beta ? "Beta" : "Alpha", orbital.occupation);
  for (Eigen::Index i = 0; i < coefficients.rows(); ++i) {
    out += fmt::format("{:6d} {:24.16e}\n", i + 1, coefficients(i, column));
  }
}

}  // namespace

void write_molden(const Wavefunction& wavefunction, const OrbitalSet& set,
                  const std::filesystem::path& path) {
  BasisSet basis = wavefunction.basis;
  const auto spherical = kinds(basis, path);
  const auto order = shells_by_atom(basis);
  Eigen::MatrixXd coefficients = set.coefficients;
  normalise_contractions(basis, coefficients);
  const std::vector<double> energies = energies_to_write(set);
  rearrange_rows(file_order(basis, order), coefficients);

  std::string title = wavefunction.molecule.title;
  std::replace_if(
      title.begin(), title.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '[' || c == ']'; }, ' ');
  std::string out = fmt::format("[Molden Format]\n[Title]\n {}\n", title);
  write_atoms(out, wavefunction.molecule);
  write_tags(out, spherical);
  write_basis(out, basis, order);
  out += "[MO]\n";
  AtomicFile file(path);
  for (std::size_t i = 0; i < set.orbitals.size(); ++i) {
    write_orbital(out, set.orbitals[i], energies[i], coefficients, static_cast<Eigen::Index>(i));
    file.stream().write(out.data(), static_cast<std::streamsize>(out.size()));
    out.clear();
  }
  file.stream().write(out.data(), static_cast<std::streamsize>(out.size()));
  file.commit();
}

}  // namespace isolume::molecules

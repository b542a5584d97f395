#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/version.h"
#include "core/molecules/angular_order.h"
#include "core/molecules/element.h"
#include "core/molecules/writers.h"

namespace isolume::molecules {
namespace {

/// The lists of the format's primitives, and the shell function that each represents.
struct WfxPrimitives {
  std::vector<int> centres, types;
  std::vector<double> exponents;
  Eigen::MatrixXd coefficients;  ///< primitives x orbitals
};

/// Each shell's functions as combinations of its monomials, each monomial with every exponent.
WfxPrimitives make_primitives(const BasisSet& basis, const Eigen::MatrixXd& orbitals) {
  WfxPrimitives primitives;
  std::size_t count = 0;
  for (const Shell& shell : basis.shells)
    count += shell.exponents.size() * cartesian_powers(shell.angular_momentum).size();
  primitives.coefficients.resize(static_cast<Eigen::Index>(count), orbitals.cols());
  Eigen::Index row = 0, function = 0;
  for (const Shell& shell : basis.shells) {
    const int l = shell.angular_momentum;
    Shell cartesian;
    cartesian.angular_momentum = l;
    const Rearrangement how = rearrangement(isolume_order.of(cartesian), aim_order.of(cartesian));
    const Eigen::MatrixXd monomials =
        functions_to_monomials(shell).transpose() * orbitals.middleRows(function, shell.function_count());
    const int first_type = 1 + l * (l + 1) * (l + 2) / 6;
    for (std::size_t i = 0; i < how.source.size(); ++i) {
      for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
        primitives.centres.push_back(shell.atom + 1);
        primitives.types.push_back(first_type + static_cast<int>(i));
        primitives.exponents.push_back(shell.exponents[p]);
        primitives.coefficients.row(row++) = shell.coefficients[p] *
                                             primitive_norm(shell.exponents[p], {l, 0, 0}) *
                                             monomials.row(how.source[i]);
      }
    }
    function += shell.function_count();
  }
  return primitives;
}

void section(std::string& out, std::string_view name, std::string_view content) {
  out += fmt::format("<{0}>\n{1}\n</{0}>\n", name, content);
}

template <class Numbers>
void list(std::string& out, std::string_view name, const Numbers& numbers, std::string_view format,
          int per_line) {
  out += fmt::format("<{}>\n", name);
  int column = 0;
  for (const auto& number : numbers) {
    out += fmt::format(fmt::runtime(format), number);
    if (++column % per_line == 0) out += '\n';
  }
  out += fmt::format("{}</{}>\n", column % per_line == 0 ? "" : "\n", name);
}

constexpr std::string_view real = "{:22.14e}";
constexpr std::string_view whole_number = "{:12d}";

void write_nuclei(std::string& out, const Molecule& molecule) {
  std::vector<std::string> names;
  std::vector<int> numbers;
  std::vector<double> charges, places;
  double core = 0;
  for (const Atom& atom : molecule.atoms) {
    const int number = atom.atomic_number > 0 ? atom.atomic_number : atom.ghost_of;
    names.push_back(fmt::format(" {}{}", element(number).symbol, names.size() + 1));
    numbers.push_back(number);
    charges.push_back(atom.nuclear_charge);
    if (atom.atomic_number > 0) core += atom.atomic_number - atom.nuclear_charge;
    places.insert(places.end(), atom.position_bohr.begin(), atom.position_bohr.end());
  }
  section(out, "Number of Core Electrons", fmt::format("{}", std::lround(core)));
  list(out, "Nuclear Names", names, "{}", 1);
  list(out, "Atomic Numbers", numbers, whole_number, 1);
  list(out, "Nuclear Charges", charges, real, 1);
  list(out, "Nuclear Cartesian Coordinates", places, real, 3);
}

void write_orbitals(std::string& out, const OrbitalSet& set, const std::vector<int>& occupied,
                    const WfxPrimitives& primitives) {
  std::vector<double> occupations, energies;
  std::vector<std::string> spins;
  for (const int i : occupied) {
    const Orbital& orbital = set.orbitals[static_cast<std::size_t>(i)];
    occupations.push_back(orbital.occupation);
    energies.push_back(std::isfinite(orbital.energy_hartree) ? orbital.energy_hartree : 0);
    const bool single = !set.unrestricted() && set.open_shells == OpenShells::high_spin &&
                        std::abs(orbital.occupation - 1) < 1e-4;
    spins.emplace_back(set.unrestricted() ? (orbital.spin == Spin::beta ? " Beta" : " Alpha")
                       : single           ? " Alpha"
                                          : " Alpha and Beta");
  }
  list(out, "Molecular Orbital Occupation Numbers", occupations, real, 1);
  list(out, "Molecular Orbital Energies", energies, real, 1);
  list(out, "Molecular Orbital Spin Types", spins, "{}", 1);
  out += "<Molecular Orbital Primitive Coefficients>\n";
  for (std::size_t k = 0; k < occupied.size(); ++k) {
    section(out, "MO Number", fmt::format("{:12d}", k + 1));
    const auto column = primitives.coefficients.col(static_cast<Eigen::Index>(k));
    for (Eigen::Index i = 0; i < column.size(); ++i)
      out += fmt::format("{:22.14e}{}", column[i], (i + 1) % 5 == 0 || i + 1 == column.size() ? "\n" : "");
  }
  out += "</Molecular Orbital Primitive Coefficients>\n";
}

}  // namespace

void write_wfx(const Wavefunction& wavefunction, const OrbitalSet& set, const std::filesystem::path& path,
               const StatedResults& results) {
  std::vector<int> occupied;
  for (std::size_t i = 0; i < set.orbitals.size(); ++i) {
    if (set.orbitals[i].occupation != 0) occupied.push_back(static_cast<int>(i));
  }
  if (occupied.empty())
    throw Error(
        fmt::format("{}: no orbital is occupied, and WFX files hold occupied ones. Export a Molden file.",
                    path.string()));
  const WfxPrimitives primitives =
      make_primitives(wavefunction.basis, set.coefficients(Eigen::all, occupied));
  const ElectronCount electrons = electrons_from_occupations(set);
  double nuclear = 0;
  for (const Atom& atom : wavefunction.molecule.atoms) nuclear += atom.nuclear_charge;
  const auto rounded = [](double value) { return fmt::format("{}", std::lround(value)); };
  std::string title = wavefunction.molecule.title;
  std::replace_if(
      title.begin(), title.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '<' || c == '>'; }, ' ');
  std::string out;
  // The format requires an energy and a virial ratio, which the wavefunction does not contain.
  section(out, "Title",
          fmt::format(" {} (by Isolume {}; {} unknown, written as zero)", title, version,
                      results.energy_hartree ? "virial ratio" : "energy and virial ratio"));
  section(out, "Keywords", " GTO");
  section(out, "Number of Nuclei", fmt::format("{}", wavefunction.molecule.atoms.size()));
  section(out, "Number of Occupied Molecular Orbitals", fmt::format("{}", occupied.size()));
  section(out, "Number of Perturbations", "0");
  section(out, "Net Charge", rounded(nuclear - electrons.alpha - electrons.beta));
  section(out, "Number of Electrons", rounded(electrons.alpha + electrons.beta));
  // Unknown spins are left out, so that no reader computes a spin density from a guess.
  const bool spins_known = set.open_shells != OpenShells::unknown;
  if (spins_known) {
    section(out, "Number of Alpha Electrons", rounded(electrons.alpha));
    section(out, "Number of Beta Electrons", rounded(electrons.beta));
  }
  const auto told = wavefunction.molecule.multiplicity;
  if (told || spins_known) {
    section(out, "Electronic Spin Multiplicity",
            rounded(told.value_or(1 + std::lround(electrons.alpha - electrons.beta))));
  }
  write_nuclei(out, wavefunction.molecule);
  section(out, "Number of Primitives", fmt::format("{}", primitives.types.size()));
  list(out, "Primitive Centers", primitives.centres, whole_number, 5);
  list(out, "Primitive Types", primitives.types, whole_number, 5);
  list(out, "Primitive Exponents", primitives.exponents, real, 5);
  write_orbitals(out, set, occupied, primitives);
  section(out, "Energy = T + Vne + Vee + Vnn", fmt::format("{:22.14e}", results.energy_hartree.value_or(0)));
  section(out, "Virial Ratio (-V/T)", fmt::format("{:22.14e}", 0.0));
  AtomicFile file(path);
  file.stream().write(out.data(), static_cast<std::streamsize>(out.size()));
  file.commit();
}

}  // namespace isolume::molecules

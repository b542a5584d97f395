#include "core/electrostatics/quantum/atomic_charges.h"

#include <cmath>

#include <fmt/format.h>

#include "core/electrostatics/quantum/quantum_potential.h"
#include "core/gaussians/populations.h"
#include "core/molecules/element.h"

namespace isolume::electrostatics {
namespace {

FittedCharges fitted(const molecules::Wavefunction& wavefunction, const molecules::OrbitalSet& set,
                     const gaussians::WavefunctionPotential& potential, double shell_density, int threads,
                     const jobs::Progress& progress) {
  const QuantumOptions how{.unit = PotentialUnit::hartree_per_e, .compute = {.threads = threads}};
  const auto places = shells_around(wavefunction.molecule, shell_density);
  const auto values = quantum_potential_at(places, potential, how, progress).values;
  // The printed digits make the integrated charge deviate slightly from a whole number.
  constexpr double rounding = 0.01;
  const auto count = molecules::electrons_from_occupations(set);
  const double occupied = count.alpha + count.beta;
  const double electrons =
      std::abs(occupied - potential.electrons()) < rounding ? occupied : potential.electrons();
  return fit_charges(wavefunction.molecule, places, values, potential.nuclear_charge() - electrons);
}

}  // namespace

AtomicCharges atomic_charges(const molecules::Wavefunction& wavefunction, const molecules::OrbitalSet& set,
                             const gaussians::WavefunctionPotential* potential, ChargeKind kind,
                             double shell_density, int threads, const jobs::Progress& progress) {
  if (kind == ChargeKind::mulliken)
    return {gaussians::mulliken_charges(wavefunction, set, progress), std::nullopt};
  if (kind == ChargeKind::loewdin)
    return {gaussians::loewdin_charges(wavefunction, set, progress), std::nullopt};
  const auto found =
      potential != nullptr
          ? fitted(wavefunction, set, *potential, shell_density, threads, progress)
          : fitted(wavefunction, set,
                   expand(wavefunction, set,
                          {.unit = PotentialUnit::hartree_per_e, .compute = {.threads = threads}},
                          progress.part(0, 0.3)),
                   shell_density, threads, progress.part(0.3, 1));
  return {found.charges, found};
}

structures::Charges charges_at_atoms(const molecules::Molecule& molecule, const Eigen::VectorXd& charges) {
  const double angstrom = grid::shown_per_unit(grid::LengthUnit::bohr);
  structures::Charges made;
  for (std::size_t a = 0; a < molecule.atoms.size(); ++a) {
    const auto& atom = molecule.atoms[a];
    const auto& element = molecules::element(atom.atomic_number);
    add_atom(made, angstrom * atom.position_bohr, charges[static_cast<Eigen::Index>(a)],
             atom.nuclear_charge != 0 ? element.van_der_waals_radius_angstrom : 0,
             {.atom = fmt::format("{}{}", element.symbol, a + 1),
              .residue = "MOL",
              .chain = "",
              .number = 1,
              .insertion = ' ',
              .is_hetero = true,
              .atomic_number = atom.atomic_number});
  }
  return made;
}

}  // namespace isolume::electrostatics

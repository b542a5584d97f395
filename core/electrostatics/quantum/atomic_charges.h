#pragma once

#include <optional>

#include "core/electrostatics/potential/fitted_charges.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// How atomic charges are derived from a wavefunction: fitted to its potential on shells around the molecule
/// (fitted_charges.h), or by population analysis (core/gaussians/populations.h).
enum class ChargeKind { esp, mulliken, loewdin };

struct AtomicCharges {
  Eigen::VectorXd charges;           ///< in e, for the molecule's atoms
  std::optional<FittedCharges> fit;  ///< only for esp
};

/// Points per square angstrom of each shell.
inline constexpr double usual_shell_density = 4;

/// `potential`: that of this set of orbitals if available, else null. Throws what those functions throw, Cancelled.
AtomicCharges atomic_charges(const molecules::Wavefunction& wavefunction, const molecules::OrbitalSet& set,
                             const gaussians::WavefunctionPotential* potential, ChargeKind kind,
                             double shell_density, int threads, const jobs::Progress& progress = {});

/// Puts all atoms into one residue MOL, named by element and number, with the elements' van der Waals radii. Centres
/// without a nucleus are left out.
structures::Charges charges_at_atoms(const molecules::Molecule& molecule, const Eigen::VectorXd& charges);

}  // namespace isolume::electrostatics

#pragma once

#include <optional>

#include "core/electrostatics/fitted_charges.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// How charges of atoms are found from a wavefunction: fitted to its potential on shells around the molecule
/// (fitted_charges.h), or from electrons that are counted (core/gaussians/populations.h).
enum class ChargeKind { esp, mulliken, loewdin };

struct AtomicCharges {
  Eigen::VectorXd charges;           ///< in e, of the molecule's atoms
  std::optional<FittedCharges> fit;  ///< of esp
};

/// To the square angstrom of each shell.
inline constexpr double usual_shell_density = 4;

/// `potential`: of this set of orbitals, where it is at hand; else null. Throws what those do, Cancelled.
AtomicCharges atomic_charges(const molecules::Wavefunction& wavefunction, const molecules::OrbitalSet& set,
                             const gaussians::WavefunctionPotential* potential, ChargeKind kind,
                             double shell_density, int threads, const jobs::Progress& progress = {});

/// Atoms of one residue MOL, called by element and number, with the elements' van der Waals radii; none for those without a
/// nucleus.
structures::Charges charges_at_atoms(const molecules::Molecule& molecule, const Eigen::VectorXd& charges);

}  // namespace isolume::electrostatics

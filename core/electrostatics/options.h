#pragma once

#include "core/dispatch/compute_options.h"
#include "core/electrostatics/pair_potentials.h"
#include "core/electrostatics/units.h"

namespace isolume::electrostatics {

enum class Method { direct, cutoff, debye_hueckel, fmm };

/// How the potential of point charges is summed: constant x charge / (permittivity r) x what the method makes of it.
struct PotentialOptions : dispatch::ComputeOptions {
  Method method = Method::direct;
  PotentialUnit unit = PotentialUnit::kt_per_e;
  /// Relative permittivity: of debye-hueckel the solvent's, of all others the solute's.
  double solute_dielectric = 1;
  double solvent_dielectric = 78.54;
  double salt_molar = 0.15;  ///< ionic strength, mol/l
  double temperature_kelvin = 298.15;
  double cutoff_angstrom = 12;
  double error = 1e-5;  ///< of fmm: multipoles::SumOptions
};

/// method, unit, solute-dielectric, solvent-dielectric, salt, temperature, cutoff, error, threads.
const parameters::Schema<PotentialOptions>& potential_schema();

/// What a potential is in: constant / permittivity.
double scale_of(const PotentialOptions& options);
PairTerms terms_of(const PotentialOptions& options);

/// Throws Error where an option is out of its range.
void check(const PotentialOptions& options);

}  // namespace isolume::electrostatics

#pragma once

#include <memory>
#include <string>

#include <Eigen/Core>

#include "core/dispatch/compute_options.h"
#include "core/electrostatics/poisson_boltzmann/charge_spreading.h"
#include "core/electrostatics/poisson_boltzmann/dielectric_map.h"
#include "core/electrostatics/sums/pair_potentials.h"
#include "core/electrostatics/sums/units.h"
#include "core/structures/charges.h"

namespace isolume::dispatch {

template <class Engine>
class EngineRegistry;

}  // namespace isolume::dispatch

namespace isolume::electrostatics {

class PairEngine;
class QuantumEngine;

enum class Method { direct, cutoff, debye_hueckel, fmm, multilevel, pme, pb_linear, pb_nonlinear };
/// Whether the method solves the Poisson-Boltzmann equation on a grid (poisson_boltzmann.h) instead of summing
/// pairs.
bool is_poisson_boltzmann(Method method);
/// Whether the method only sums pairs: direct, cutoff, debye-hueckel.
bool is_pair_sum(Method method);
/// How the permittivity in sums over pairs depends on the distance between a charge and a point.
enum class Dielectric {
  constant,
  distance,  ///< proportional to it: a crude model of solvent screening
};
/// Whether the method supports a Dielectric other than constant: direct and cutoff.
bool takes_dielectric(Method method);
/// Whether engines of pair_engine.h support the method: all but fmm.
bool has_engines(Method method);

/// How the potential of point charges is computed: as a sum of constant x charge / (permittivity r) x a factor that
/// depends on the method, or on a grid by the Poisson-Boltzmann equation.
struct PotentialOptions : dispatch::ComputeOptions {
  Method method = Method::direct;
  PotentialUnit unit = PotentialUnit::kt_per_e;
  Dielectric dielectric = Dielectric::constant;  ///< only for takes_dielectric; constant for other methods
  /// Relative permittivity: debye-hueckel uses the solvent's only, other sums use the solute's. With
  /// Dielectric::distance, its value at 1 angstrom.
  double solute_dielectric = 1;
  double solvent_dielectric = 78.54;
  double salt_molar = 0.15;  ///< ionic strength, mol/l
  double temperature_kelvin = 298.15;
  /// Charges beyond it are ignored (cutoff), or summed on meshes (multilevel, pme).
  double cutoff_angstrom = 12;
  double error = 1e-5;  ///< for fmm (multipoles::SumOptions), multilevel and pme
  /// For pme: edges of the periodic box, in angstrom: "62 62 70" or "62,62,70" along x, y and z, or with the angles
  /// alpha, beta and gamma in degrees as in structures::cell_of: "62,62,70,90,90,120". Empty: the charges' cell.
  std::string box;
  DielectricSurface surface = DielectricSurface::ses;
  DielectricInterface interface = DielectricInterface::harmonic;
  double probe_angstrom = 1.4;          ///< for the surface ses
  double spline_window_angstrom = 0.3;  ///< half-width, for the surface spline
  double ion_radius_angstrom = 2;       ///< width of the Stern layer around atoms
  ChargeSpline charge_spline = ChargeSpline::quadratic;
  /// Ratio of the length of the coarser grid, whose solution gives the boundary condition, to that of the fine
  /// one; 1: no focusing.
  double focusing = 1.7;
  /// Registry of the engines that `engine` selects from (pair_engine.h), where has_engines; null: only the CPU.
  /// Everything else runs on the CPU.
  std::shared_ptr<const dispatch::EngineRegistry<PairEngine>> engines = nullptr;
  /// The same for the potential of a wavefunction (quantum_potential.h).
  std::shared_ptr<const dispatch::EngineRegistry<QuantumEngine>> quantum_engines = nullptr;
};

/// method, unit, dielectric, solute-dielectric, solvent-dielectric, salt, temperature, cutoff, error, box, surface, interface, probe, spline-window,
/// ion-radius, charge-spline, focusing, and those of ComputeOptions.
const parameters::Schema<PotentialOptions>& potential_schema();

/// All parameters relevant to the method, as text: options with the same text give the same potential.
std::string relevant_text(PotentialOptions options);

/// The same options with another method. A dielectric that this method does not support is dropped.
PotentialOptions by_method(PotentialOptions options, Method method);

/// The prefactor constant / permittivity.
double scale_of(const PotentialOptions& options);
/// The interaction terms of the pair sum; those of fmm are direct's.
PairTerms terms_of(const PotentialOptions& options);
/// Edges of pme's periodic box as columns, in angstrom: from options.box, or else the charges' cell, which may be
/// skewed and rotated. Throws Error where there are none, or they span no box.
Eigen::Matrix3d period_of(const PotentialOptions& options, const structures::Charges& charges);

/// Throws Error where an option is out of range, and for an engine that does not support this method.
void check(const PotentialOptions& options);

}  // namespace isolume::electrostatics

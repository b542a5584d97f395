#pragma once

#include <memory>
#include <string>

#include <Eigen/Core>

#include "core/dispatch/compute_options.h"
#include "core/electrostatics/pair_potentials.h"
#include "core/electrostatics/poisson_boltzmann/charge_spreading.h"
#include "core/electrostatics/poisson_boltzmann/dielectric_map.h"
#include "core/electrostatics/units.h"
#include "core/structures/charges.h"

namespace isolume::dispatch {

template <class Engine>
class EngineRegistry;

}  // namespace isolume::dispatch

namespace isolume::electrostatics {

class PairEngine;
class QuantumEngine;

enum class Method { direct, cutoff, debye_hueckel, fmm, multilevel, pme, pb_linear, pb_nonlinear };
/// Of the two that solve the Poisson-Boltzmann equation on a lattice (poisson_boltzmann.h), and sum no pairs.
bool is_poisson_boltzmann(Method method);
/// Of the three that sum pairs and nothing else: direct, cutoff, debye-hueckel.
bool is_pair_sum(Method method);
/// How the permittivity of sums over pairs depends on the distance between a charge and a point.
enum class Dielectric {
  constant,
  distance,  ///< in proportion to it: as a solvent weakens distant charges, roughly
};
/// Of those that a Dielectric other than constant is for: direct and cutoff.
bool takes_dielectric(Method method);
/// Of those that pair_engine.h's engines compute: all but fmm.
bool has_engines(Method method);

/// How the potential of point charges is computed: as a sum of constant x charge / (permittivity r) x what the method
/// makes of it, or on a lattice by the Poisson-Boltzmann equation.
struct PotentialOptions : dispatch::ComputeOptions {
  Method method = Method::direct;
  PotentialUnit unit = PotentialUnit::kt_per_e;
  Dielectric dielectric = Dielectric::constant;  ///< where takes_dielectric; others' is constant
  /// Relative permittivity: debye-hueckel knows the solvent's only, other sums the solute's. With
  /// Dielectric::distance, at 1 angstrom.
  double solute_dielectric = 1;
  double solvent_dielectric = 78.54;
  double salt_molar = 0.15;  ///< ionic strength, mol/l
  double temperature_kelvin = 298.15;
  /// Charges beyond it add nothing (cutoff), or are summed on meshes (multilevel, pme).
  double cutoff_angstrom = 12;
  double error = 1e-5;  ///< of fmm (multipoles::SumOptions), multilevel and pme
  /// Of pme: edges of the box that is repeated, in angstrom: "62 62 70" or "62,62,70" along x, y and z, with the angles alpha,
  /// beta and gamma in degrees as structures::cell_of has it: "62,62,70,90,90,120". Empty: the charges' cell.
  std::string box;
  DielectricSurface surface = DielectricSurface::ses;
  DielectricInterface interface = DielectricInterface::harmonic;
  double probe_angstrom = 1.4;          ///< of the surface ses
  double spline_window_angstrom = 0.3;  ///< of the surface spline: half its width
  double ion_radius_angstrom = 2;       ///< of ions, which no atom lets nearer
  ChargeSpline charge_spline = ChargeSpline::quadratic;
  /// How many times as long a coarser lattice is, the solution on which gives the potential at the faces; 1: none.
  double focusing = 1.7;
  /// What `engine` names one of (pair_engine.h), where has_engines; null: the CPU's alone. All else is the CPU's.
  std::shared_ptr<const dispatch::EngineRegistry<PairEngine>> engines = nullptr;
  /// The same where it is a wavefunction whose potential is wanted (quantum_potential.h).
  std::shared_ptr<const dispatch::EngineRegistry<QuantumEngine>> quantum_engines = nullptr;
};

/// method, unit, dielectric, solute-dielectric, solvent-dielectric, salt, temperature, cutoff, error, box, surface, interface, probe, spline-window,
/// ion-radius, charge-spline, focusing, and those of ComputeOptions.
const parameters::Schema<PotentialOptions>& potential_schema();

/// All parameters that matter to the method, as text: options of the same text give the same potential.
std::string relevant_text(PotentialOptions options);

/// The same by another method. A dielectric that `options.method` knows nothing of does not come along.
PotentialOptions by_method(PotentialOptions options, Method method);

/// What a potential is in: constant / permittivity.
double scale_of(const PotentialOptions& options);
/// For what pairs are summed; fmm's pairs are direct's.
PairTerms terms_of(const PotentialOptions& options);
/// Edges of the box that pme repeats as columns, in angstrom: of options.box, or else the charges' cell, which may be askew and
/// turned. Throws Error where there are none, or they span no box.
Eigen::Matrix3d period_of(const PotentialOptions& options, const structures::Charges& charges);

/// Throws Error where an option is out of its range, and for an engine that does not compute by this method.
void check(const PotentialOptions& options);

}  // namespace isolume::electrostatics

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/dispatch/dispatch.h"
#include "core/electrostatics/options.h"
#include "core/electrostatics/poisson_boltzmann/lattice_equation.h"
#include "core/lattice/scalar_field.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

class SolventSurfaces;

/// What the solvent and its ions do to the energy of the charges: the energy in the solution less that in a medium of
/// the solute's permittivity everywhere, on the same lattice, so that what charges do to themselves cancels.
struct PolarSolvation {
  double kj_per_mol = 0;
  /// The difference to the energy by twice the spacing; nothing where that lattice would be too coarse for the charges.
  std::optional<double> error_kj_per_mol;
};

struct PhaseSeconds {
  double surface = 0;    ///< where the probe rolls
  double medium = 0;     ///< permittivities and ions of all lattices
  double faces = 0;      ///< potential at the faces
  double solution = 0;   ///< equations of the solution
  double reference = 0;  ///< equations without a solvent
  double estimate = 0;   ///< all of the lattice of twice the spacing
};

struct PoissonBoltzmannResult {
  lattice::ScalarField potential;        ///< in options.unit
  std::optional<PolarSolvation> energy;  ///< where it was asked for
  PhaseSeconds seconds;
  SolveReport solve;  ///< of the last lattice of the solution
  std::size_t unknowns =
      0;  ///< points of its lattice, which may be larger than was asked for to be halved often
  /// Of all equations. `who`, for people: "CPU, Poisson-Boltzmann, linear, 2 threads".
  dispatch::Report report;
};

struct PoissonBoltzmannWork {
  bool energy = true;
  bool estimate_error = true;  ///< of the energy
  /// Solutions are kept for the next time, for 12 bytes a point more, and an eighth of all where the error is estimated.
  bool keep = false;
};

/// Solves -div(permittivity grad u) + permittivity kappa^2 sinh(u) = 4 pi C charges for u in kT/e (linear: u for
/// sinh(u)) by finite volumes on a lattice, around which it has the potential of a coarser one, and that the sum of
/// Debye-Hueckel potentials of the charges. fill_medium and spread_charges say how the solute is seen.
///
/// The energy of the linear equation is half the sum of q u. That of the non-linear one has the integral of
/// permittivity kappa^2 (u sinh(u) / 2 - cosh(u) + 1) / (4 pi C) in addition (Sharp and Honig, J. Phys. Chem. 94, 7684
/// (1990), after integration by parts).
///
/// Takes 40 bytes at most for each of `unknowns` (36 + 24 / 7, and the faces), the map included: 600 points a side take
/// 8.9e9 bytes.
///
/// Equations are solved by options.engine, on the CPU or a GPU; the surface, the medium and the faces are the CPU's.
///
/// One object is for one molecule and one lattice, and for any options, one after the other: surface, reference energy
/// and, with `keep`, solutions of the last time are used where they still hold.
class PoissonBoltzmann {
 public:
  /// The lattice is along x, y and z, in bohr or angstrom. `surfaces` are those of these charges; null: its own. Throws
  /// Error where the lattice is not so, or where an atom lies outside.
  PoissonBoltzmann(const structures::Charges& charges, const lattice::Lattice& lattice,
                   std::shared_ptr<SolventSurfaces> surfaces = nullptr);
  ~PoissonBoltzmann();

  /// The same result on any number of threads, but for what is left of the tolerance where the last solutions are kept, or
  /// another engine solves.
  /// Throws Error, ResourceError, Cancelled.
  PoissonBoltzmannResult solve(const PotentialOptions& options, const PoissonBoltzmannWork& work = {},
                               const jobs::Progress& progress = {});

  /// The polar solvation energy in kJ/mol by twice the spacing, to which PolarSolvation::error_kj_per_mol is the difference;
  /// nothing where that lattice would be too coarse for the charges. Does not touch what `solve` keeps. Throws as it.
  std::optional<double> energy_at_twice_the_spacing(const PotentialOptions& options,
                                                    const jobs::Progress& progress = {}) const;

 private:
  PoissonBoltzmannResult solve_unrecorded(const PotentialOptions& options, const PoissonBoltzmannWork& work,
                                          const jobs::Progress& progress);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isolume::electrostatics

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/dispatch/dispatch.h"
#include "core/electrostatics/poisson_boltzmann/grid_equation.h"
#include "core/electrostatics/sums/options.h"
#include "core/grid/scalar_field.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

class SolventSurfaces;

/// Polar solvation energy: the energy of the charges in the solvent with its ions minus that in a uniform medium with
/// the solute's permittivity, on the same grid, so that self-energies cancel.
struct PolarSolvation {
  double kj_per_mol = 0;
  /// The difference to the energy at twice the spacing; nothing where that grid would be too coarse for the
  /// charges.
  std::optional<double> error_kj_per_mol;
};

struct PhaseSeconds {
  double surface = 0;    ///< solvent-excluded surface
  double medium = 0;     ///< permittivities and ions on all grids
  double faces = 0;      ///< boundary potential
  double solution = 0;   ///< equations of the solution
  double reference = 0;  ///< equations of the reference without solvent
  double estimate = 0;   ///< everything on the grid of twice the spacing
};

struct PoissonBoltzmannResult {
  grid::ScalarField potential;           ///< in options.unit
  std::optional<PolarSolvation> energy;  ///< if requested
  PhaseSeconds seconds;
  SolveReport solve;  ///< of the last grid of the solution
  std::size_t unknowns =
      0;  ///< points of its grid, which may be larger than requested so that it can be halved often
  /// Of all equations. `who`, for display: "CPU, Poisson-Boltzmann, linear, 2 threads".
  dispatch::Report report;
};

struct PoissonBoltzmannWork {
  bool energy = true;
  bool estimate_error = true;  ///< of the energy
  /// Keeps solutions for the next call, which takes 12 bytes per point more, and another eighth of all memory where
  /// the error is estimated.
  bool keep = false;
};

/// Solves -div(permittivity grad u) + permittivity kappa^2 sinh(u) = 4 pi C charges for u in kT/e (linear: u for
/// sinh(u)) by finite volumes on a grid. Its boundary condition is the potential on a coarser one, whose own is
/// the sum of Debye-Hueckel potentials of the charges. For the discretisation of the solute, see fill_medium and
/// spread_charges.
///
/// The energy of the linear equation is half the sum of q u. That of the non-linear one has the additional term of
/// the integral of permittivity kappa^2 (u sinh(u) / 2 - cosh(u) + 1) / (4 pi C) (Sharp and Honig, J. Phys. Chem. 94,
/// 7684 (1990), after integration by parts).
///
/// Takes at most 40 bytes for each of `unknowns` (36 + 24 / 7, and the faces), including the map: 600 points a side
/// take 8.9e9 bytes.
///
/// Equations are solved by options.engine, on the CPU or a GPU; the surface, the medium and the boundary condition
/// are computed on the CPU.
///
/// One object is for one molecule and one grid, and for any options, one after the other: surface, reference
/// energy and, with `keep`, previous solutions are reused where they are still valid.
class PoissonBoltzmann {
 public:
  /// The grid is along x, y and z, in bohr or angstrom. `surfaces` are those of these charges; null: its own.
  /// Throws Error where the grid is not so, or where an atom lies outside.
  PoissonBoltzmann(const structures::Charges& charges, const grid::Grid& grid,
                   std::shared_ptr<SolventSurfaces> surfaces = nullptr);
  ~PoissonBoltzmann();

  /// The result does not depend on the number of threads; it may differ within the tolerance where previous solutions
  /// are kept, or another engine solves.
  /// Throws Error, ResourceError, Cancelled.
  PoissonBoltzmannResult solve(const PotentialOptions& options, const PoissonBoltzmannWork& work = {},
                               const jobs::Progress& progress = {});

  /// The polar solvation energy in kJ/mol at twice the spacing, from which PolarSolvation::error_kj_per_mol is
  /// computed; nothing where that grid would be too coarse for the charges. Does not change what `solve` keeps.
  /// Throws as `solve`.
  std::optional<double> energy_at_twice_the_spacing(const PotentialOptions& options,
                                                    const jobs::Progress& progress = {}) const;

 private:
  PoissonBoltzmannResult solve_unrecorded(const PotentialOptions& options, const PoissonBoltzmannWork& work,
                                          const jobs::Progress& progress);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isolume::electrostatics

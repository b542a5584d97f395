#pragma once

#include <cstddef>
#include <vector>

#include "core/electrostatics/poisson_boltzmann/equation_solver.h"
#include "core/electrostatics/poisson_boltzmann/multigrid.h"

namespace isolume::electrostatics {

/// A charge at a grid point, 4 pi C q in units of u times those of links.
struct PointCharge {
  std::size_t at = 0;  ///< index by Extents::at
  double value = 0;
};

/// For each point in the interior of a grid, with its six neighbours n:
///   sum of g_n (u - u_n) + d u = charge, or ... + ion_strength sinh(u) where d > 0 = charge (non-linear)
/// u is given on the faces. sinh is clamped_sinh of stencil.h.
///
/// Takes 36 bytes per point, and 24 / 7 for the coarser grids: bytes_of. The result does not depend on the number
/// of threads of the calling arena.
class GridEquation {
 public:
  using Potentials = std::vector<double, UninitialisedAllocator<double>>;

  explicit GridEquation(const Halvings& halvings);

  const Extents& extents() const { return multigrid_.finest().extents; }
  /// The links and d, to be filled by the caller, d with 0 or ion_strength; then call ready().
  Level& coefficients() { return multigrid_.finest(); }
  const Level& coefficients() const { return multigrid_.finest(); }
  int levels() const { return multigrid_.levels(); }
  void ready() { coarse_are_old_ = true; }
  double ion_strength = 0;

  /// In the order of points, at most one each, none on the faces.
  std::vector<PointCharge> charges;
  Potentials u;

  /// On the CPU, by solve_equation. After an exception u is undefined in the interior.
  SolveReport solve(const SolveOptions& options, const jobs::Progress& progress);

  /// Prepares a solution elsewhere: sets u to 0 in the interior unless the options declare it an approximation, and
  /// computes the coefficients without ions and solve_equation's reference.
  void prepare(const SolveOptions& options);
  SolveOptions effective(SolveOptions options) const {
    options.nonlinear = options.nonlinear && ion_strength > 0;
    return options;
  }
  double reference_norm() const;

  /// The norm of the residual at u, in double precision throughout, relative like the tolerance.
  double relative_residual(bool nonlinear);
  static std::size_t bytes_of(const Halvings& halvings);

 private:
  class OnHost;
  /// Returns the norm; the residual is left in r of the finest level.
  double compute_residual(bool nonlinear);

  Multigrid multigrid_;
  FieldValues p_;
  bool coarse_are_old_ = true;
};

}  // namespace isolume::electrostatics

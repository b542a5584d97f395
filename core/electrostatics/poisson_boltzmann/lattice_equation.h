#pragma once

#include <cstddef>
#include <vector>

#include "core/electrostatics/poisson_boltzmann/equation_solver.h"
#include "core/electrostatics/poisson_boltzmann/multigrid.h"

namespace isolume::electrostatics {

/// A charge at a point of a lattice, 4 pi C q in units of u times those of links.
struct PointCharge {
  std::size_t at = 0;  ///< as Extents::at says
  double value = 0;
};

/// For each point inside of a lattice's faces, with its six neighbours n:
///   sum of g_n (u - u_n) + d u = charge, or ... + ion_strength sinh(u) where d > 0 = charge (non-linear)
/// u is known on the faces. sinh is clamped_sinh of stencil.h.
///
/// Takes 36 bytes a point, and 24 / 7 for the coarser lattices: bytes_of. The same result on any number of threads of the arena
/// it is called in.
class LatticeEquation {
 public:
  using Potentials = std::vector<double, UninitialisedAllocator<double>>;

  explicit LatticeEquation(const Halvings& halvings);

  const Extents& extents() const { return multigrid_.finest().extents; }
  /// The links and d to be filled, d with 0 or ion_strength; then call ready().
  Level& coefficients() { return multigrid_.finest(); }
  const Level& coefficients() const { return multigrid_.finest(); }
  int levels() const { return multigrid_.levels(); }
  void ready() { coarse_are_old_ = true; }
  double ion_strength = 0;

  /// In the order of points, at most one each, none on the faces.
  std::vector<PointCharge> charges;
  Potentials u;

  /// On the CPU: solve_equation. What that throws leaves u undefined inside of the faces.
  SolveReport solve(const SolveOptions& options, const jobs::Progress& progress);

  /// What solves it elsewhere begins with: u, which is 0 inside of the faces where the options call it no approximation,
  /// what the options are without ions, and solve_equation's reference.
  void prepare(const SolveOptions& options);
  SolveOptions effective(SolveOptions options) const {
    options.nonlinear = options.nonlinear && ion_strength > 0;
    return options;
  }
  double reference_norm() const;

  /// The norm of what is left of the equation at u, in double precision all through, relative as the tolerance.
  double relative_residual(bool nonlinear);
  static std::size_t bytes_of(const Halvings& halvings);

 private:
  class OnHost;
  /// Its norm; it is left in r of the finest level.
  double compute_residual(bool nonlinear);

  Multigrid multigrid_;
  FieldValues p_;
  bool coarse_are_old_ = true;
};

}  // namespace isolume::electrostatics

#pragma once

#include <cstddef>
#include <vector>

#include "core/electrostatics/poisson_boltzmann/multigrid.h"

namespace isolume::electrostatics {

/// A charge at a point of a lattice, 4 pi C q in units of u times those of links.
struct PointCharge {
  std::size_t at = 0;  ///< as Extents::at says
  double value = 0;
};

struct SolveOptions {
  /// Of the residual's norm in double precision, relative to that of the charges and of what the faces impose.
  double tolerance = 1e-6;
  bool nonlinear = false;
  /// u inside of the faces is an approximation already; otherwise it is overwritten.
  bool warm = false;
};

struct SolveReport {
  int cycles = 0;        ///< multigrid cycles
  int newton_steps = 0;  ///< of the non-linear equation
  double residual = 0;   ///< relative, as the tolerance
};

/// For each point inside of a lattice's faces, with its six neighbours n:
///   sum of g_n (u - u_n) + d u = charge, or ... + ion_strength sinh(u) where d > 0 = charge (non-linear)
/// u is known on the faces. Solved by conjugate gradients with a multigrid cycle as preconditioner: corrections are of
/// single precision; u, its residual and sums are of double precision, and the residual is computed anew from u whenever
/// it has become a thousand times smaller. The non-linear equation by Newton's method, each step of which is solved as
/// far as it is worth. The solution is where an energy is least that is convex in u; until steps need no looking after,
/// so much of each is taken as leaves the energy about least along it. sinh is clamped_sinh of stencil.h.
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
  void ready(const jobs::Progress& progress) { multigrid_.rebuild(progress); }
  double ion_strength = 0;

  /// In the order of points, at most one each, none on the faces.
  std::vector<PointCharge> charges;
  Potentials u;

  /// Throws Error where it does not converge, Cancelled.
  SolveReport solve(const SolveOptions& options, const jobs::Progress& progress);

  /// The norm of what is left of the equation at u, in double precision all through, relative as the tolerance.
  double relative_residual(bool nonlinear);
  static std::size_t bytes_of(const Halvings& halvings);

 private:
  /// Its norm; it is left in r of the finest level.
  double compute_residual(bool nonlinear);
  double reference_norm() const;
  enum class Solving {
    linear_equation,  ///< r may be computed anew from u, which the equation is linear in
    newton_step,
    newton_step_aside,  ///< u has been set aside (stencil.h), and its change is what is found
  };
  struct Correction {
    double norm = 0;  ///< of what is left of r
    double work = 0;  ///< r times the correction, which is also the correction times A times itself
  };
  /// Conjugate gradients for u += A^-1 r, until the norm of r is at most `wanted`.
  Correction improve(double norm, double wanted, Solving what, SolveReport& report, double reference,
                     const jobs::Progress& progress);
  /// What is left of the residual's norm.
  double solve_by_newton(double norm, double wanted, SolveReport& report, double reference,
                         const jobs::Progress& progress);
  /// How much of the change that is set aside leaves the energy about least; 1 where that does.
  double best_part(double work) const;
  /// u += what a full multigrid cycle makes of r.
  void begin(const jobs::Progress& progress);
  void tell(double residual, double tolerance, const jobs::Progress& progress) const;

  Multigrid multigrid_;
  FieldValues p_;
};

}  // namespace isolume::electrostatics

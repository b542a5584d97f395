#pragma once

#include <cstddef>

#include "core/base/error.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// Sums over the points where ions are, of a step of Newton's method of which perhaps a part is taken.
struct ChangeOfIons {
  double work = 0;       ///< of ion_strength clamped_sinh(u + part change) change
  double curvature = 0;  ///< of d change^2
};

/// What solve_equation has done at all points of a lattice: by the CPU's threads, or by a GPU. It holds the equation of
/// lattice_equation.h and u in double precision, and r, z and p of conjugate gradients in single precision; z is free for
/// A p between a direction and the next cycle. Everything that is returned is summed in double precision.
class EquationOperations {
 public:
  virtual ~EquationOperations() = default;
  /// r = what is left of the equation at u, computed in double precision and then rounded; its norm.
  virtual double residual(bool nonlinear) = 0;
  /// u += what a full multigrid cycle makes of r.
  virtual void begin(const jobs::Progress& progress) = 0;
  /// z = what a cycle from zero makes of r; the sum of z r.
  virtual double precondition(const jobs::Progress& progress) = 0;
  /// p = z + beta p, then z = A p; the sum of p z.
  virtual double turn(double beta) = 0;
  /// u (or the change of it, where that is set aside) += alpha p, r -= alpha z; the norm of r.
  virtual double step(double alpha, bool aside) = 0;

  /// Of the non-linear equation: d of all levels = the derivative of what ions do at u.
  virtual void linearise(const jobs::Progress& progress) = 0;
  /// u stays as it is, and its change begins at 0.
  virtual void set_aside() = 0;
  virtual ChangeOfIons change_of_ions(double part) = 0;
  /// u += part change.
  virtual void take_part(double part) = 0;
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

/// It is the equation that is too hard, wherever it is solved.
class NotConverged : public Error {
 public:
  using Error::Error;
};

/// By conjugate gradients with a multigrid cycle as preconditioner: corrections are of single precision; u, its residual
/// and sums are of double precision, and the residual is computed anew from u whenever it has become a thousand times
/// smaller. The non-linear equation by Newton's method, each step of which is solved as far as it is worth. The solution
/// is where an energy is least that is convex in u; until steps need no looking after, so much of each is taken as leaves
/// the energy about least along it.
///
/// `reference`: the norm that the tolerance is relative to. Where the options say that u is no approximation, it is 0 inside
/// of the faces. Throws NotConverged, Error, Cancelled, and what the operations throw.
SolveReport solve_equation(EquationOperations& operations, const SolveOptions& options, double reference,
                           const jobs::Progress& progress);

}  // namespace isolume::electrostatics

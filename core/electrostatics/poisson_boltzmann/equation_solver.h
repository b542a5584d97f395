#pragma once

#include <cstddef>

#include "core/base/error.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// Sums over the ion-accessible points, for the line search of a Newton step.
struct ChangeOfIons {
  double work = 0;       ///< of ion_strength clamped_sinh(u + part change) change
  double curvature = 0;  ///< of d change^2
};

/// Operations of solve_equation on all grid points: by CPU threads, or by a GPU. Holds the equation of
/// grid_equation.h and u in double precision, and r, z and p of conjugate gradients in single precision; z is
/// reused for A p between a direction and the next cycle. All returned sums are accumulated in double precision.
class EquationOperations {
 public:
  virtual ~EquationOperations() = default;
  /// r = residual of the equation at u, computed in double precision and then rounded; returns its norm.
  virtual double residual(bool nonlinear) = 0;
  /// u += result of a full multigrid cycle on r.
  virtual void begin(const jobs::Progress& progress) = 0;
  /// z = result of a cycle on r, starting from zero; returns the sum of z r.
  virtual double precondition(const jobs::Progress& progress) = 0;
  /// p = z + beta p, then z = A p; returns the sum of p z.
  virtual double turn(double beta) = 0;
  /// u (or its change, if that is set aside) += alpha p, r -= alpha z; returns the norm of r.
  virtual double step(double alpha, bool aside) = 0;

  /// For the non-linear equation: d on all levels = derivative of the ion term at u.
  virtual void linearise(const jobs::Progress& progress) = 0;
  /// Keeps u as it is, with a change that starts at 0.
  virtual void set_aside() = 0;
  virtual ChangeOfIons change_of_ions(double part) = 0;
  /// u += part change.
  virtual void take_part(double part) = 0;
};

struct SolveOptions {
  /// Of the residual's norm in double precision, relative to that of the charges and boundary values.
  double tolerance = 1e-6;
  bool nonlinear = false;
  /// u in the interior is an approximation already; otherwise it is overwritten.
  bool warm = false;
};

struct SolveReport {
  int cycles = 0;        ///< multigrid cycles
  int newton_steps = 0;  ///< for the non-linear equation
  double residual = 0;   ///< relative, as the tolerance
};

/// The equation itself is too hard, whatever engine solves it.
class NotConverged : public Error {
 public:
  using Error::Error;
};

/// Conjugate gradients with a multigrid cycle as preconditioner: corrections are in single precision; u, its residual
/// and sums in double precision, and the residual is recomputed from u whenever it has been reduced a thousandfold.
/// The non-linear equation is solved by Newton's method, each step only as accurately as is worthwhile. The solution
/// minimises a convex energy; until steps are reliable, a line search takes the multiple of each that approximately
/// minimises the energy.
///
/// `reference`: the norm that the tolerance is relative to. Unless the options declare u an approximation, it starts
/// as 0 in the interior. Throws NotConverged, Error, Cancelled, and what the operations throw.
SolveReport solve_equation(EquationOperations& operations, const SolveOptions& options, double reference,
                           const jobs::Progress& progress);

}  // namespace isolume::electrostatics

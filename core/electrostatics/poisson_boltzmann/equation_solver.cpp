#include "core/electrostatics/poisson_boltzmann/equation_solver.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace isolume::electrostatics {
namespace {

/// The residual updated in single precision drifts from the true one once it has been reduced by this factor.
constexpr double trusted_reduction = 1e-3;
/// Accuracy to which a Newton step is solved: its own error is of this order at first, and then converges
/// quadratically.
constexpr double step_reduction = 0.02;
constexpr int most_cycles = 500, most_newton_steps = 200;
/// Line search along a Newton step: tolerance in the logarithm of the balance of the slope, largest multiple of a
/// step, and maximum number of evaluations.
constexpr double slope_left = 0.4, most_part = 64;
constexpr int most_searches = 40;

enum class Solving {
  linear_equation,  ///< r may be recomputed from u, because the equation is linear in it
  newton_step,
  newton_step_aside,  ///< u has been set aside, and its change is solved for
};

struct Correction {
  double norm = 0;  ///< of the remaining r
  double work = 0;  ///< r times the correction, which is also the correction times A times itself
};

class EquationSolver {
 public:
  EquationSolver(EquationOperations& operations, double reference, const jobs::Progress& progress)
      : on_(operations), reference_(reference), progress_(progress) {}

  SolveReport solve(const SolveOptions& options) {
    const double wanted = options.tolerance * reference_;
    double norm = on_.residual(options.nonlinear);
    if (options.nonlinear) {
      norm = solve_by_newton(norm, wanted);
    } else {
      if (!options.warm && norm > wanted) {
        on_.begin(progress_);
        ++report_.cycles;
        norm = on_.residual(false);
      }
      norm = improve(norm, wanted, Solving::linear_equation).norm;
    }
    if (!(norm <= wanted)) refuse(norm, wanted);  // also where numbers have diverged
    report_.residual = norm / reference_;
    return report_;
  }

 private:
  /// Conjugate gradients for u += A^-1 r, until the norm of r is at most `wanted`.
  Correction improve(double norm, double wanted, Solving what);
  /// Returns the norm of the remaining residual.
  double solve_by_newton(double norm, double wanted);
  /// The multiple of the change set aside that approximately minimises the energy; 1 if the full step does.
  double best_part(double work);

  void tell(double norm, double wanted) const {
    if (!(norm < reference_)) return;
    progress_.report(std::clamp(std::log(norm / reference_) / std::log(wanted / reference_), 0.0, 1.0),
                     "potential");
  }

  [[noreturn]] void refuse(double norm, double wanted) const {
    throw NotConverged(
        fmt::format("The potential on the grid did not converge: a residual of {:.1e} is left "
                    "after {} cycles, where {:.1e} is wanted. Take a smaller spacing, or permittivities "
                    "that differ less.",
                    norm / reference_, report_.cycles, wanted / reference_));
  }

  EquationOperations& on_;
  const double reference_;
  jobs::Progress progress_;
  SolveReport report_;
};

Correction EquationSolver::improve(double norm, double wanted, Solving what) {
  const bool true_residual = what == Solving::linear_equation, aside = what == Solving::newton_step_aside;
  double weight = 0, trusted = norm, work = 0;
  int cycles = 0, wasted = 0;
  while (norm > wanted) {
    ++report_.cycles;
    if (++cycles > most_cycles || wasted > 3) refuse(norm, wanted);
    const double next = on_.precondition(progress_);
    if (!(next > 0)) break;  // nothing is left
    const double across = on_.turn(weight > 0 ? next / weight : 0);
    weight = next;
    if (!(across > 0)) break;
    const double alpha = weight / across;
    work += alpha * weight;
    norm = on_.step(alpha, aside);
    if (true_residual && (norm <= wanted || norm < trusted_reduction * trusted)) {
      norm = on_.residual(false);
      wasted = norm > 0.5 * trusted ? wasted + 1 : 0;
      trusted = norm;
    }
    if (true_residual) tell(norm, wanted);
  }
  return {norm, work};
}

double EquationSolver::best_part(double work) {
  // Slope of the energy along the change. Without ions the energy is quadratic; with them, it may grow exponentially.
  const ChangeOfIons at_once = on_.change_of_ions(0);
  const double curvature = std::max(0.0, work - at_once.curvature), before = at_once.work;
  // Logarithm of the terms that balance the slope at 0: it is 0 at the minimum, and nearly linear where the slope
  // grows exponentially.
  const auto balance = [&](double part) {
    const double ions = on_.change_of_ions(part).work;
    return std::log(std::max(1e-12, (curvature * part + ions - before) / work));
  };
  struct End {
    double part, balance;
  };
  End low{0, std::log(1e-12)}, high{1, balance(1)};
  while (high.balance < -slope_left && high.part < most_part) {
    low = high;
    high.part *= 4;
    high.balance = balance(high.part);
  }
  // Regula falsi with halving at the retained end, the Illinois method (Dowell and Jarratt, BIT 11, 168 (1971)).
  for (int i = 0; std::abs(high.balance) > slope_left && i < most_searches; ++i) {
    if (high.balance < 0) break;  // even the largest multiple is below the minimum
    const double part = high.part - high.balance * (high.part - low.part) / (high.balance - low.balance);
    const End found{part, balance(part)};
    if (std::abs(found.balance) <= slope_left) return part;
    if (found.balance > 0) {
      high = found;
      low.balance /= 2;
    } else {
      low = found;
      high.balance /= 2;
    }
  }
  return high.balance > slope_left && low.part > 0 ? low.part : high.part;
}

double EquationSolver::solve_by_newton(double norm, double wanted) {
  // Setting u aside costs digits and the line search costs time: after two full steps, or one with a small residual,
  // the following ones are taken in full.
  for (int whole = 0; norm > wanted; ++report_.newton_steps) {
    if (report_.newton_steps == most_newton_steps) {
      throw NotConverged(fmt::format(
          "The non-linear equation did not converge: a residual of {:.1e} is left after {} steps. Solve "
          "the linear one, or check the charges.",
          norm / reference_, report_.newton_steps));
    }
    on_.linearise(progress_);
    const bool aside = whole < 2;
    if (aside) on_.set_aside();
    const auto found = improve(norm, std::max(step_reduction * norm, 0.5 * wanted),
                               aside ? Solving::newton_step_aside : Solving::newton_step);
    const double part = aside && found.work > 0 ? best_part(found.work) : 1;
    if (aside) on_.take_part(part);
    const double next = on_.residual(true);
    whole = part != 1 || next > norm ? 0 : next < 0.1 * norm ? 2 : whole + 1;
    norm = next;
    tell(norm, wanted);
  }
  return norm;
}

}  // namespace

SolveReport solve_equation(EquationOperations& operations, const SolveOptions& options, double reference,
                           const jobs::Progress& progress) {
  if (!(reference < 1e30)) throw Error("The charges are too large for a grid. Give fewer or smaller ones.");
  // Without charges and boundary values the solution is u = 0, which is also the initial guess.
  return EquationSolver(operations, reference > 0 ? reference : 1, progress).solve(options);
}

}  // namespace isolume::electrostatics

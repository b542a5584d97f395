#include "core/electrostatics/poisson_boltzmann/lattice_equation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/electrostatics/poisson_boltzmann/stencil.h"

namespace isolume::electrostatics {
namespace {

/// Sums in single precision stray from the residual of u as they become this much smaller than it was.
constexpr double trusted_reduction = 1e-3;
/// How far a Newton step is solved: its own error is of this order at first, and then falls by squares.
constexpr double step_reduction = 0.02;
constexpr int most_cycles = 500, most_newton_steps = 200;
/// Of the search along a Newton step: how far the logarithm of what balances the slope may be from that, the largest
/// multiple of a step that is taken, and how often the slope is asked for.
constexpr double slope_left = 0.4, most_part = 64;
constexpr int most_searches = 40;

double square(double x) {
  return x * x;
}

}  // namespace

LatticeEquation::LatticeEquation(const Halvings& halvings)
    : u(halvings.extents.count()), multigrid_(halvings), p_(halvings.extents.count()) {
  const Extents& e = extents();
  for_planes(e, 0, e.nz, [&](int k) {
    const auto first = static_cast<std::ptrdiff_t>(e.row(0, k)),
               end = first + static_cast<std::ptrdiff_t>(e.plane());
    std::fill(p_.begin() + first, p_.begin() + end, 0.0f);
    std::fill(u.begin() + first, u.begin() + end, 0.0);
  });
}

std::size_t LatticeEquation::bytes_of(const Halvings& halvings) {
  return Multigrid::bytes_of(halvings) + halvings.extents.count() * (sizeof(float) + sizeof(double));
}

double LatticeEquation::compute_residual(bool nonlinear) {
  Level& level = multigrid_.finest();
  const Extents& e = level.extents;
  const double ions = nonlinear ? ion_strength : 0;
  const auto charges_of = [&](int k) {
    const auto before = [](const PointCharge& charge, std::size_t at) { return charge.at < at; };
    return std::pair(std::lower_bound(charges.begin(), charges.end(), e.row(0, k), before),
                     std::lower_bound(charges.begin(), charges.end(), e.row(0, k + 1), before));
  };
  return std::sqrt(sum_planes(e, [&](int k) {
    minus_applied_plane(level, u.data(), ions, level.r.data(), k);
    // Where there is a charge, it and the rest are almost equal: they are subtracted before anything is rounded.
    const std::size_t nx = static_cast<std::size_t>(e.nx), half = static_cast<std::size_t>(e.half());
    const auto [first, end] = charges_of(k);
    for (auto charge = first; charge != end; ++charge) {
      const std::size_t at = charge->at, in_row = at % nx;
      const std::size_t left = in_row < half ? at + half - 1 : at - half;
      const double here = u[at];
      const auto flow = [&](float g, std::size_t from) { return static_cast<double>(g) * (u[from] - here); };
      double rest = flow(level.gx[left], left) + flow(level.gx[at], left + 1) +
                    flow(level.gy[at - nx], at - nx) + flow(level.gy[at], at + nx) +
                    flow(level.gz[at - e.plane()], at - e.plane()) + flow(level.gz[at], at + e.plane());
      if (ions > 0) {
        if (level.d[at] > 0) rest -= ions * clamped_sinh(here);
      } else {
        rest -= static_cast<double>(level.d[at]) * here;
      }
      level.r[at] = static_cast<float>(charge->value + rest);
    }
    return dot_plane(e, level.r.data(), level.r.data(), k);
  }));
}

double LatticeEquation::reference_norm() const {
  const Level& level = multigrid_.finest();
  const Extents& e = level.extents;
  double sum = 0;
  for (const PointCharge& charge : charges) sum += square(charge.value);
  // What the faces impose on the points next to them.
  for (int j = 1; j < e.ny - 1; ++j) {
    for (int i = 1; i < e.nx - 1; ++i) {
      sum += square(level.gz[e.at(i, j, 0)] * u[e.at(i, j, 0)]);
      sum += square(level.gz[e.at(i, j, e.nz - 2)] * u[e.at(i, j, e.nz - 1)]);
    }
  }
  for (int k = 1; k < e.nz - 1; ++k) {
    for (int i = 1; i < e.nx - 1; ++i) {
      sum += square(level.gy[e.at(i, 0, k)] * u[e.at(i, 0, k)]);
      sum += square(level.gy[e.at(i, e.ny - 2, k)] * u[e.at(i, e.ny - 1, k)]);
    }
    for (int j = 1; j < e.ny - 1; ++j) {
      sum += square(level.gx[e.at(0, j, k)] * u[e.at(0, j, k)]);
      sum += square(level.gx[e.at(e.nx - 2, j, k)] * u[e.at(e.nx - 1, j, k)]);
    }
  }
  return std::sqrt(sum);
}

double LatticeEquation::relative_residual(bool nonlinear) {
  const double reference = reference_norm(), norm = compute_residual(nonlinear);
  return reference > 0 ? norm / reference : norm;
}

void LatticeEquation::begin(const jobs::Progress& progress) {
  multigrid_.full(progress);
  const Level& level = multigrid_.finest();
  const Extents& e = level.extents;
  for_planes(e, 1, e.nz - 1, [&](int k) {
    const std::size_t first = e.row(0, k), end = first + e.plane();
    for (std::size_t i = first; i < end; ++i) u[i] += static_cast<double>(level.z[i]);
  });
}

void LatticeEquation::tell(double residual, double tolerance, const jobs::Progress& progress) const {
  if (!(residual < 1)) return;
  progress.report(std::clamp(std::log(residual) / std::log(tolerance), 0.0, 1.0), "potential");
}

LatticeEquation::Correction LatticeEquation::improve(double norm, double wanted, Solving what,
                                                     SolveReport& report, double reference,
                                                     const jobs::Progress& progress) {
  const bool true_residual = what == Solving::linear_equation, aside = what == Solving::newton_step_aside;
  Level& level = multigrid_.finest();
  const Extents& e = level.extents;
  float *z = level.z.data(), *r = level.r.data(), *p = p_.data();
  double weight = 0, trusted = norm, work = 0;
  int cycles = 0, wasted = 0;
  while (norm > wanted) {
    ++report.cycles;
    if (++cycles > most_cycles || wasted > 3) {
      throw Error(
          fmt::format("The potential on the lattice did not converge: a residual of {:.1e} is left "
                      "after {} cycles, where {:.1e} is wanted. Take a smaller spacing, or permittivities "
                      "that differ less.",
                      norm / reference, cycles, wanted / reference));
    }
    multigrid_.cycle(progress);
    const double next = sum_planes(e, [&](int k) { return dot_plane(e, z, r, k); });
    if (!(next > 0)) break;  // nothing is left
    const double beta = weight > 0 ? next / weight : 0;
    weight = next;
    for_planes(e, 1, e.nz - 1, [&](int k) { direction_plane(e, z, beta, p, k); });
    // z is not needed any more, and becomes A p.
    const double across = sum_planes(e, [&](int k) { return apply_plane(level, p, z, k); });
    if (!(across > 0)) break;
    const double alpha = weight / across;
    work += alpha * weight;
    norm = std::sqrt(sum_planes(e, [&](int k) {
      return aside ? step_aside_plane(e, alpha, p, z, u.data(), r, k)
                   : step_plane(e, alpha, p, z, u.data(), r, k);
    }));
    if (true_residual && (norm <= wanted || norm < trusted_reduction * trusted)) {
      norm = compute_residual(false);
      wasted = norm > 0.5 * trusted ? wasted + 1 : 0;
      trusted = norm;
    }
    if (true_residual) tell(norm / reference, wanted / reference, progress);
  }
  return {norm, work};
}

double LatticeEquation::best_part(double work) const {
  const Extents& e = extents();
  const Level& level = coefficients();
  // The energy's slope along the change. Without ions it is quadratic; with them, it may rise by powers of e.
  const auto ions = [&](double part) {
    return sum_planes(
        e, [&](int k) { return change_of_ions_plane(level, u.data(), ion_strength, part, k).work; });
  };
  const double curvature =
      std::max(0.0, work - sum_planes(e, [&](int k) {
                      return change_of_ions_plane(level, u.data(), ion_strength, 0, k).curvature;
                    }));
  const double before = ions(0);
  // 0 where the slope is, and more or less a straight line where that is a power: of what makes up for the slope at 0.
  const auto balance = [&](double part) {
    return std::log(std::max(1e-12, (curvature * part + ions(part) - before) / work));
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
  // Regula falsi, by halves of what is at the end that stays (Dowell and Jarratt, BIT 11, 168 (1971)).
  for (int i = 0; std::abs(high.balance) > slope_left && i < most_searches; ++i) {
    if (high.balance < 0) break;  // even the most is less than what would do
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

double LatticeEquation::solve_by_newton(double norm, double wanted, SolveReport& report, double reference,
                                        const jobs::Progress& progress) {
  const Extents& e = extents();
  const auto each = [&](const auto& work) { for_planes(e, 1, e.nz - 1, work); };
  // Setting u aside costs digits, and looking for the best part time: two whole steps, or one that left little, and the next
  // are whole.
  for (int whole = 0; norm > wanted; ++report.newton_steps) {
    if (report.newton_steps == most_newton_steps) {
      throw Error(fmt::format(
          "The non-linear equation did not converge: a residual of {:.1e} is left after {} steps. Solve "
          "the linear one, or check the charges.",
          norm / reference, report.newton_steps));
    }
    Level& level = multigrid_.finest();
    each([&](int k) { linearise_ions_plane(level, u.data(), ion_strength, k); });
    multigrid_.rebuild_ions(progress);
    const bool aside = whole < 2;
    if (aside) each([&](int k) { set_aside_plane(e, u.data(), k); });
    const auto found =
        improve(norm, std::max(step_reduction * norm, 0.5 * wanted),
                aside ? Solving::newton_step_aside : Solving::newton_step, report, reference, progress);
    const double part = aside && found.work > 0 ? best_part(found.work) : 1;
    if (aside) each([&](int k) { take_part_plane(e, part, u.data(), k); });
    const double next = compute_residual(true);
    whole = part != 1 || next > norm ? 0 : next < 0.1 * norm ? 2 : whole + 1;
    norm = next;
    tell(norm / reference, wanted / reference, progress);
  }
  return norm;
}

SolveReport LatticeEquation::solve(const SolveOptions& options, const jobs::Progress& progress) {
  SolveReport report;
  const Extents& e = extents();
  if (!options.warm) {
    for_planes(e, 1, e.nz - 1, [&](int k) {
      for (int j = 1; j < e.ny - 1; ++j) {
        for (int i = 1; i < e.nx - 1; ++i) u[e.at(i, j, k)] = 0;
      }
    });
  }
  const bool nonlinear = options.nonlinear && ion_strength > 0;
  double norm = compute_residual(nonlinear);
  // No charge and nothing on the faces leaves u = 0, which begins as the solution.
  const double given = reference_norm(), reference = given > 0 ? given : 1;
  const double wanted = options.tolerance * reference;
  if (!(reference < 1e30))
    throw Error("The charges are too large for a lattice. Give fewer or smaller ones.");
  if (!nonlinear) {
    if (!options.warm && norm > wanted) {
      begin(progress);
      ++report.cycles;
      norm = compute_residual(false);
    }
    norm = improve(norm, wanted, Solving::linear_equation, report, reference, progress).norm;
  } else {
    norm = solve_by_newton(norm, wanted, report, reference, progress);
  }
  report.residual = norm / reference;
  return report;
}

}  // namespace isolume::electrostatics

#include "core/electrostatics/poisson_boltzmann/grid_equation.h"

#include <algorithm>
#include <cmath>

#include "core/electrostatics/poisson_boltzmann/stencil.h"

namespace isolume::electrostatics {
namespace {

double square(double x) {
  return x * x;
}

}  // namespace

/// Plane by plane, on all threads of the arena.
class GridEquation::OnHost final : public EquationOperations {
 public:
  explicit OnHost(GridEquation& equation) : of_(equation), e_(equation.extents()) {}

  double residual(bool nonlinear) override { return of_.compute_residual(nonlinear); }
  void begin(const jobs::Progress& progress) override {
    of_.multigrid_.full(progress);
    for_planes(e_, 1, e_.nz - 1, [&](int k) {
      const std::size_t first = e_.row(0, k), end = first + e_.plane();
      for (std::size_t i = first; i < end; ++i) of_.u[i] += static_cast<double>(level().z[i]);
    });
  }
  double precondition(const jobs::Progress& progress) override {
    of_.multigrid_.cycle(progress);
    return sum_planes(e_, [&](int k) { return dot_plane(e_, level().z.data(), level().r.data(), k); });
  }
  double turn(double beta) override {
    float *p = of_.p_.data(), *z = level().z.data();
    each([&](int k) { direction_plane(e_, z, beta, p, k); });
    return sum_planes(e_, [&](int k) { return apply_plane(level(), p, z, k); });
  }
  double step(double alpha, bool aside) override {
    const float *p = of_.p_.data(), *z = level().z.data();
    float* r = level().r.data();
    return std::sqrt(sum_planes(e_, [&](int k) {
      return aside ? step_aside_plane(e_, alpha, p, z, of_.u.data(), r, k)
                   : step_plane(e_, alpha, p, z, of_.u.data(), r, k);
    }));
  }
  void linearise(const jobs::Progress& progress) override {
    each([&](int k) { linearise_ions_plane(level(), of_.u.data(), of_.ion_strength, k); });
    of_.multigrid_.rebuild_ions(progress);
  }
  void set_aside() override {
    each([&](int k) { set_aside_plane(e_, of_.u.data(), k); });
  }
  ChangeOfIons change_of_ions(double part) override {
    const auto on_plane = [&](int k) {
      return change_of_ions_plane(level(), of_.u.data(), of_.ion_strength, part, k);
    };
    ChangeOfIons sums;
    sums.work = sum_planes(e_, [&](int k) { return on_plane(k).work; });
    // Part 0 is the start of a line search, which also needs the curvature.
    if (part == 0) sums.curvature = sum_planes(e_, [&](int k) { return on_plane(k).curvature; });
    return sums;
  }
  void take_part(double part) override {
    each([&](int k) { take_part_plane(e_, part, of_.u.data(), k); });
  }

 private:
  Level& level() { return of_.multigrid_.finest(); }
  template <class Work>
  void each(const Work& work) {
    for_planes(e_, 1, e_.nz - 1, work);
  }

  GridEquation& of_;
  const Extents& e_;
};

GridEquation::GridEquation(const Halvings& halvings)
    : u(halvings.extents.count()), multigrid_(halvings), p_(halvings.extents.count()) {
  const Extents& e = extents();
  for_planes(e, 0, e.nz, [&](int k) {
    const auto first = static_cast<std::ptrdiff_t>(e.row(0, k)),
               end = first + static_cast<std::ptrdiff_t>(e.plane());
    std::fill(p_.begin() + first, p_.begin() + end, 0.0f);
    std::fill(u.begin() + first, u.begin() + end, 0.0);
  });
}

std::size_t GridEquation::bytes_of(const Halvings& halvings) {
  return Multigrid::bytes_of(halvings) + halvings.extents.count() * (sizeof(float) + sizeof(double));
}

double GridEquation::compute_residual(bool nonlinear) {
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
    // At a charge, it and the other terms nearly cancel: they are subtracted before rounding.
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

double GridEquation::reference_norm() const {
  const Level& level = multigrid_.finest();
  const Extents& e = level.extents;
  double sum = 0;
  for (const PointCharge& charge : charges) sum += square(charge.value);
  // Contribution of the boundary values to the points next to them.
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

double GridEquation::relative_residual(bool nonlinear) {
  const double reference = reference_norm(), norm = compute_residual(nonlinear);
  return reference > 0 ? norm / reference : norm;
}

void GridEquation::prepare(const SolveOptions& options) {
  if (options.warm) return;
  const Extents& e = extents();
  for_planes(e, 1, e.nz - 1, [&](int k) {
    for (int j = 1; j < e.ny - 1; ++j) {
      for (int i = 1; i < e.nx - 1; ++i) u[e.at(i, j, k)] = 0;
    }
  });
}

SolveReport GridEquation::solve(const SolveOptions& options, const jobs::Progress& progress) {
  if (coarse_are_old_) multigrid_.rebuild(progress);
  coarse_are_old_ = false;
  prepare(options);
  OnHost operations(*this);
  return solve_equation(operations, effective(options), reference_norm(), progress);
}

}  // namespace isolume::electrostatics

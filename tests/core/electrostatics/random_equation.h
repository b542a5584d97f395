#pragma once

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/base/philox.h"
#include "core/electrostatics/poisson_boltzmann/grid_equation.h"

namespace isolume::electrostatics {

inline Halvings of(int nx, int ny, int nz) {
  const Halvings made = halvings_of({nx, ny, nz});
  EXPECT_EQ(made.extents.nx, nx);
  EXPECT_EQ(made.extents.ny, ny);
  EXPECT_EQ(made.extents.nz, nz);
  return made;
}

template <class Use>
void for_all(const Extents& e, const Use& use) {
  for (int k = 0; k < e.nz; ++k) {
    for (int j = 0; j < e.ny; ++j) {
      for (int i = 0; i < e.nx; ++i) use(i, j, k);
    }
  }
}

/// Links of two kinds as far apart as water and protein, ions at some points, charges at others, anything on the faces.
inline void fill_at_random(GridEquation& equation, double ions) {
  Level& level = equation.coefficients();
  const Extents& e = equation.extents();
  Random random(7, 0);
  equation.ion_strength = ions;
  for_all(e, [&](int i, int j, int k) {
    const std::size_t at = e.at(i, j, k);
    const bool solute = std::hypot(i - e.nx / 2.0, j - e.ny / 2.0, k - e.nz / 2.0) < e.nx / 3.0;
    for (FieldValues* g : {&level.gx, &level.gy, &level.gz})
      (*g)[at] = static_cast<float>((solute ? 2 : 80) * (0.5 + random.uniform()));
    level.d[at] = solute ? 0.0f : static_cast<float>(ions);
    equation.u[at] = e.on_face(i, j, k) ? random.uniform() - 0.5 : 0;
    if (solute && !e.on_face(i, j, k) && random.uniform() < 0.2)
      equation.charges.push_back({at, 500 * (random.uniform() - 0.5)});
  });
  std::ranges::sort(equation.charges, {}, &PointCharge::at);
  equation.ready();
}

/// The residual's norm in plain words and double precision, relative to that of the charges and of what faces impose.
inline double plain_residual(const GridEquation& equation, bool nonlinear) {
  const Extents& e = equation.extents();
  const Level& level = equation.coefficients();
  const auto& u = equation.u;
  std::vector<double> charge(e.count(), 0.0);
  for (const PointCharge& each : equation.charges) charge[each.at] = each.value;
  double given = 0, sum = 0;
  for_all(e, [&](int i, int j, int k) {
    if (e.on_face(i, j, k)) return;
    const std::size_t at = e.at(i, j, k);
    double rest = charge[at];
    given += charge[at] * charge[at];
    const auto link = [&](float g, int ni, int nj, int nk) {
      const std::size_t to = e.at(ni, nj, nk);
      rest -= static_cast<double>(g) * (u[at] - u[to]);
      const double imposed = e.on_face(ni, nj, nk) ? static_cast<double>(g) * u[to] : 0;
      given += imposed * imposed;
    };
    link(level.gx[at], i + 1, j, k);
    link(level.gx[e.at(i - 1, j, k)], i - 1, j, k);
    link(level.gy[at], i, j + 1, k);
    link(level.gy[e.at(i, j - 1, k)], i, j - 1, k);
    link(level.gz[at], i, j, k + 1);
    link(level.gz[e.at(i, j, k - 1)], i, j, k - 1);
    if (!nonlinear) {
      rest -= static_cast<double>(level.d[at]) * u[at];
    } else if (level.d[at] > 0) {
      // Beyond 30, sinh goes on as a straight line.
      const double within = std::min(std::abs(u[at]), 30.0);
      rest -= equation.ion_strength *
              std::copysign(std::sinh(within) + std::cosh(within) * (std::abs(u[at]) - within), u[at]);
    }
    sum += rest * rest;
  });
  return std::sqrt(sum / given);
}

}  // namespace isolume::electrostatics

#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/base/text_file.h"
#include "core/electrostatics/poisson_boltzmann/solvent_surfaces.h"
#include "core/electrostatics/potential/potential.h"
#include "core/structures/pqr.h"

namespace isolume::electrostatics {
namespace {

using structures::Charges;
using structures::read_pqr;

using Eigen::Vector3d;

const std::filesystem::path of_others = std::filesystem::path(ISOLUME_TEST_REFERENCES) / "electrostatics";
/// e^2 / (4 pi epsilon_0 1 angstrom) in kJ/mol, CODATA 2018.
constexpr double coulomb = 1389.35457644;

/// x, y, z, charge, radius.
Charges atoms(const std::vector<std::array<double, 5>>& each) {
  Charges charges;
  for (const auto& [x, y, z, charge, radius] : each) {
    charges.x.push_back(x);
    charges.y.push_back(y);
    charges.z.push_back(z);
    charges.charge.push_back(charge);
    charges.radius.push_back(radius);
  }
  return charges;
}

grid::Grid cube(double side, int points, const Vector3d& middle = Vector3d::Zero()) {
  return grid::centred(middle, {points, points, points}, side / (points - 1), grid::LengthUnit::angstrom);
}

PotentialOptions born_options() {
  PotentialOptions options;
  options.method = Method::pb_linear;
  options.solute_dielectric = 1;
  options.salt_molar = 0;
  options.focusing = 4;
  return options;
}

double energy_of(const Charges& charges, const grid::Grid& grid, const PotentialOptions& options) {
  return PoissonBoltzmann(charges, grid).solve(options, {.estimate_error = false}).energy->kj_per_mol;
}

/// Born, Z. Phys. 1, 45 (1920): q^2 / (2 R) (1 / solvent - 1).
TEST(PoissonBoltzmann, OfAnIonIsBornsAndOfSecondOrder) {
  const Charges ion = read_pqr(of_others / "born.pqr");
  const double exact = coulomb / 6 * (1 / 78.54 - 1);
  EXPECT_NEAR(exact, -228.61, 0.01);
  const double coarse = energy_of(ion, cube(12, 33), born_options()) - exact,
               fine = energy_of(ion, cube(12, 65), born_options()) - exact;
  EXPECT_LT(std::abs(fine), 0.06);
  EXPECT_GT(std::log2(coarse / fine), 1.5);
  // Wherever it lies between the points.
  const auto moved = cube(12, 65, {0.0371, -0.0512, 0.0893});
  EXPECT_NEAR(energy_of(ion, moved, born_options()), exact, 0.3);
}

/// APBS 3.4.1 on the grid of born-lpbe.in: 97^3 over 12 angstrom after 50. Its surface is one of dots.
TEST(PoissonBoltzmann, OfAnIonWithASharpSurfaceIsAnotherPrograms) {
  PotentialOptions options = born_options();
  options.interface = DielectricInterface::sharp;
  options.focusing = 50.0 / 12;
  EXPECT_NEAR(energy_of(read_pqr(of_others / "born.pqr"), cube(12, 97), options), -229.47, 0.3);
}

/// Kirkwood, J. Chem. Phys. 2, 351 (1934): a charge at a distance d from the middle of a sphere.
TEST(PoissonBoltzmann, OfAChargeOffTheMiddleOfASphereIsKirkwoods) {
  constexpr double radius = 5, d = 3, in = 2, out = 80;
  double exact = 0;
  for (int l = 0; l < 200; ++l) {
    exact += coulomb / 2 * std::pow(d / radius, 2 * l) / radius * (l + 1) * (in - out) /
             (in * ((l + 1) * out + l * in));
  }
  const Charges charges = atoms({{0.1, 0.2, -0.1, 0, radius}, {0.1, 0.2 + d, -0.1, 1, 0}});
  PotentialOptions options = born_options();
  options.solute_dielectric = in;
  options.solvent_dielectric = out;
  EXPECT_NEAR(energy_of(charges, cube(20, 65), options), exact, 0.005 * std::abs(exact));
  EXPECT_NEAR(energy_of(charges, cube(20, 97), options), exact, 0.003 * std::abs(exact));
}

/// Debye and Hueckel, Phys. Z. 24, 185 (1923): ions come no nearer than a to the middle of an ion of radius R.
TEST(PoissonBoltzmann, OfAnIonInSaltIsDebyesAndHueckels) {
  constexpr double radius = 2, solvent = 78.54;
  for (const double stern : {0.0, 2.0}) {
    PotentialOptions options = born_options();
    options.salt_molar = 0.5;
    options.ion_radius_angstrom = stern;
    options.focusing = 3;
    const double kappa = inverse_debye_length(0.5, solvent, options.temperature_kelvin), a = radius + stern;
    const double exact = coulomb / 2 * ((1 / solvent - 1) / radius - kappa / (solvent * (1 + kappa * a)));
    const auto grid = cube(24, 97);
    const auto found = PoissonBoltzmann(atoms({{0, 0, 0, 1, radius}}), grid).solve(options);
    EXPECT_NEAR(found.energy->kj_per_mol, exact, 0.002 * std::abs(exact)) << stern;
    ASSERT_TRUE(found.energy->error_kj_per_mol);
    EXPECT_LT(std::abs(found.energy->kj_per_mol - exact), *found.energy->error_kj_per_mol + 0.05);
    for (const int i : {70, 80, 90}) {
      const double r = (grid.position(i, 48, 48)).norm();
      const double expected = coulomb_constant(PotentialUnit::kt_per_e, 298.15) / (solvent * r) *
                              std::exp(-kappa * (r - a)) / (1 + kappa * a);
      EXPECT_NEAR(found.potential.at(i, 48, 48), expected, 0.01 * expected + 1e-4) << r;
    }
  }
}

/// What flows out of a box is what is inside of it.
TEST(PoissonBoltzmann, SolutionObeysGausssLaw) {
  const Charges charges = atoms({{0.3, -0.4, 0.2, 1.5, 2}, {1.9, 0.8, 0.1, -0.6, 1.5}, {-2, 1, 1, 0.2, 1}});
  const auto grid = cube(16, 65);
  const Halvings halvings = halvings_of({65, 65, 65});
  GridEquation equation(halvings);
  SolventSurfaces surfaces;
  fill_medium({}, charges, surfaces, grid, equation.coefficients(), {});
  equation.ready();
  equation.charges = spread_charges(charges, grid, ChargeSpline::quadratic);
  equation.solve({.tolerance = 1e-9}, {});
  const Extents& e = equation.extents();
  const Level& level = equation.coefficients();
  for (const int from : {2, 5}) {  // the box of points from `from` to 64 - from
    const int to = 64 - from;
    double flow = 0;
    const auto add = [&](const FieldValues& g, std::size_t inner, std::size_t outer, std::size_t link) {
      flow += static_cast<double>(g[link]) * (equation.u[inner] - equation.u[outer]);
    };
    for (int a = from; a <= to; ++a) {
      for (int b = from; b <= to; ++b) {
        add(level.gx, e.at(to, a, b), e.at(to + 1, a, b), e.at(to, a, b));
        add(level.gx, e.at(from, a, b), e.at(from - 1, a, b), e.at(from - 1, a, b));
        add(level.gy, e.at(a, to, b), e.at(a, to + 1, b), e.at(a, to, b));
        add(level.gy, e.at(a, from, b), e.at(a, from - 1, b), e.at(a, from - 1, b));
        add(level.gz, e.at(a, b, to), e.at(a, b, to + 1), e.at(a, b, to));
        add(level.gz, e.at(a, b, from), e.at(a, b, from - 1), e.at(a, b, from - 1));
      }
    }
    EXPECT_NEAR(flow, 1.1, 1e-6);
  }
}

/// With one permittivity everywhere and no salt, the solution is the sum of charges in it: an independent one, in double
/// precision. Near charges, a grid has none of what is between its points.
TEST(PoissonBoltzmann, InAUniformMediumIsTheSumOfCharges) {
  const Charges charges =
      atoms({{0.31, 0.12, -0.23, 1, 1.7}, {1.52, 0.24, 0.11, -0.7, 1.5}, {0, 0, 1.2, 0.3, 1.2}});
  PotentialOptions options = born_options();
  options.solute_dielectric = options.solvent_dielectric = 4;
  double coarse = 0;
  for (const int points : {33, 65}) {
    const auto grid = cube(16, points);
    const auto found = PoissonBoltzmann(charges, grid).solve(options);
    EXPECT_NEAR(found.energy->kj_per_mol, 0, 1e-3);
    double most = 0;
    for (int k = 0; k < points; ++k) {
      for (int j = 0; j < points; ++j) {
        for (int i = 0; i < points; ++i) {
          const Vector3d place = grid.position(i, j, k);
          double expected = 0, nearest = 1e9;
          for (std::size_t n = 0; n < charges.size(); ++n) {
            const double r = (place - charges.place(n)).norm();
            expected += coulomb_constant(PotentialUnit::kt_per_e, 298.15) / 4 * charges.charge[n] / r;
            nearest = std::min(nearest, r);
          }
          if (nearest > 2) most = std::max(most, std::abs(found.potential.at(i, j, k) - expected));
        }
      }
    }
    // Of potentials of up to 80 kT/e there.
    EXPECT_LT(most, points == 33 ? 2.0 : 0.6);
    if (points == 65) {
      EXPECT_GT(coarse / most, 2.5) << "it falls with the square of the spacing";
    }
    coarse = most;
  }
}

/// 1FAS on the grid of 1FAS-lpbe-015.in, as APBS 3.4.1 sees it.
struct Apbs {
  Charges charges = read_pqr(of_others / "1FAS.pqr");
  grid::Grid grid;
  PotentialOptions options;

  Apbs() {
    grid = cube(58, 97);
    grid.origin = Vector3d(7.269, -9.0285, -21.514);
    options.method = Method::pb_linear;
    options.solute_dielectric = 2;
    options.focusing = 100.0 / 58;
    options.interface = DielectricInterface::sharp;
  }
};

/// With srad 0 it has no dots to roll a probe over, and with srfm spl2 none at all. The energies that it prints.
TEST(PoissonBoltzmann, EnergiesAreAnotherPrograms) {
  Apbs apbs;
  apbs.options.surface = DielectricSurface::vdw;
  EXPECT_NEAR(energy_of(apbs.charges, apbs.grid, apbs.options), -2789.048, 0.0005 * 2789);
  apbs.options.surface = DielectricSurface::spline;
  EXPECT_NEAR(energy_of(apbs.charges, apbs.grid, apbs.options), -3666.277, 0.0005 * 3666);
}

/// A rolling probe goes over 10 dots to the square angstrom in APBS's -2191.71 kJ/mol. Of 40 dots they are -2209.48, of 160
/// -2214.77: as they become dense, half a per cent or less is left of the difference.
TEST(PoissonBoltzmann, EnergiesOfARollingProbeAreAnotherProgramsOfManyDots) {
  Apbs apbs;
  const auto linear = PoissonBoltzmann(apbs.charges, apbs.grid).solve(apbs.options);
  EXPECT_NEAR(linear.energy->kj_per_mol, -2214.766, 0.005 * 2214);
  EXPECT_NEAR(linear.energy->kj_per_mol, -2191.71, 0.016 * 2191);
  apbs.options.method = Method::pb_nonlinear;
  const auto nonlinear = PoissonBoltzmann(apbs.charges, apbs.grid).solve(apbs.options);
  // What the ions' saturation does to it does not depend on the dots.
  EXPECT_NEAR(nonlinear.energy->kj_per_mol - linear.energy->kj_per_mol, -2191.99 + 2191.71, 0.05);
  // Its potentials outside of the solute.
  std::istringstream table(read_text_file(of_others / "1FAS-apbs-points.csv"));
  double linear_off = 0, nonlinear_off = 0, size = 0;
  int rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#') || line.starts_with('x')) continue;
    std::array<double, 5> cells{};
    std::istringstream row(line);
    for (double& cell : cells) {
      std::string text;
      std::getline(row, text, ',');
      cell = std::stod(text);
    }
    const Vector3d place(cells[0], cells[1], cells[2]);
    const double a = grid::interpolate(linear.potential, place) - cells[3],
                 b = grid::interpolate(nonlinear.potential, place) - cells[4];
    EXPECT_LT(std::abs(a), 0.1 + 0.1 * std::abs(cells[3])) << line;
    linear_off += a * a;
    nonlinear_off += b * b;
    size += cells[3] * cells[3];
    ++rows;
  }
  EXPECT_EQ(rows, 300);
  EXPECT_LT(std::sqrt(linear_off / size), 0.015);
  EXPECT_LT(std::sqrt(nonlinear_off / size), 0.015);
}

/// Without salt, and with a calcium ion that has no charge in the PQR file. APBS 3.4.1 gives -2313.23 kJ/mol with 10 dots
/// to the square angstrom, as 1AJJ-lpbe-000.in has it, and -2326.64 with 160.
TEST(PoissonBoltzmann, WithoutSaltIsAnotherProgramsToo) {
  const Charges charges = read_pqr(of_others / "1AJJ.pqr");
  PotentialOptions options;
  options.method = Method::pb_linear;
  options.solute_dielectric = 2;
  options.salt_molar = 0;
  options.focusing = 80.0 / 48;
  options.interface = DielectricInterface::sharp;
  auto grid = cube(48, 97);
  grid.origin = Vector3d(-14.7475, -17.724, -21.4395);
  const auto found = PoissonBoltzmann(charges, grid).solve(options, {.estimate_error = false});
  EXPECT_NEAR(found.energy->kj_per_mol, -2326.64, 0.005 * 2326.64);
  EXPECT_NEAR(found.energy->kj_per_mol, -2313.23, 0.01 * 2313.23);
  std::istringstream table(read_text_file(of_others / "1AJJ-apbs-points.csv"));
  double off = 0, size = 0;
  int rows = 0;
  for (std::string line; std::getline(table, line);) {
    double x = 0, y = 0, z = 0, expected = 0;
    if (std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf", &x, &y, &z, &expected) != 4) continue;
    const double difference = grid::interpolate(found.potential, Vector3d(x, y, z)) - expected;
    EXPECT_LT(std::abs(difference), 0.1 + 0.1 * std::abs(expected)) << line;
    off += difference * difference;
    size += expected * expected;
    ++rows;
  }
  EXPECT_EQ(rows, 200);
  EXPECT_LT(std::sqrt(off / size), 0.015);
}

Charges dipole() {
  return atoms({{0.31, 0.12, -0.23, 1, 1.7}, {1.52, 0.24, 0.11, -0.7, 1.5}, {0, 0, 1.2, 0.3, 1.2}});
}

TEST(PoissonBoltzmann, IsLinearInCharge) {
  PotentialOptions options = born_options();
  options.salt_molar = 0.1;
  const auto once = PoissonBoltzmann(dipole(), cube(14, 41)).solve(options);
  Charges more = dipole();
  for (double& charge : more.charge) charge *= -3;
  const auto thrice = PoissonBoltzmann(more, cube(14, 41)).solve(options);
  EXPECT_NEAR(thrice.energy->kj_per_mol, 9 * once.energy->kj_per_mol,
              1e-4 * std::abs(thrice.energy->kj_per_mol));
  for (std::size_t i = 0; i < once.potential.values.size(); ++i) {
    ASSERT_NEAR(thrice.potential.values[i], -3 * once.potential.values[i],
                1e-4 * std::abs(once.potential.values[i]) + 1e-3);
  }
}

TEST(PoissonBoltzmann, OfLittleSaltIsPoissons) {
  PotentialOptions options = born_options();
  const auto none = PoissonBoltzmann(dipole(), cube(14, 41)).solve(options);
  options.method = Method::pb_nonlinear;
  const auto nonlinear = PoissonBoltzmann(dipole(), cube(14, 41)).solve(options);
  EXPECT_EQ(none.potential.values, nonlinear.potential.values);
  EXPECT_EQ(none.energy->kj_per_mol, nonlinear.energy->kj_per_mol);
  options.salt_molar = 1e-7;
  const auto little = PoissonBoltzmann(dipole(), cube(14, 41)).solve(options);
  EXPECT_NEAR(little.energy->kj_per_mol, none.energy->kj_per_mol, 1e-2);
}

TEST(PoissonBoltzmann, HasTheSameBitsOnAnyNumberOfThreads) {
  for (const Method method : {Method::pb_linear, Method::pb_nonlinear}) {
    PotentialOptions options;
    options.method = method;
    const Charges charges = read_pqr(of_others / "1AJJ.pqr");
    const auto box = box_of(charges);
    const auto grid = cube(46, 49, (box.low + box.high) / 2);
    std::vector<PoissonBoltzmannResult> found;
    for (const int threads : {1, 2, 3}) {
      options.threads = threads;
      found.push_back(PoissonBoltzmann(charges, grid).solve(options));
    }
    for (const int i : {1, 2}) {
      EXPECT_EQ(found[0].potential.values, found[i].potential.values);
      EXPECT_EQ(found[0].energy->kj_per_mol, found[i].energy->kj_per_mol);
      EXPECT_EQ(found[0].energy->error_kj_per_mol, found[i].energy->error_kj_per_mol);
    }
  }
}

TEST(PoissonBoltzmann, BeginsWithTheLastSolutionAndFindsTheSame) {
  PotentialOptions options;
  options.method = Method::pb_linear;
  PoissonBoltzmann kept(dipole(), cube(16, 65));
  kept.solve(options, {.keep = true});
  options.salt_molar = 0.2;
  options.temperature_kelvin = 300;
  const auto warm = kept.solve(options, {.keep = true});
  const auto cold = PoissonBoltzmann(dipole(), cube(16, 65)).solve(options);
  EXPECT_LT(warm.solve.cycles, cold.solve.cycles);
  EXPECT_NEAR(warm.energy->kj_per_mol, cold.energy->kj_per_mol, 1e-3);
  EXPECT_NEAR(*warm.energy->error_kj_per_mol, *cold.energy->error_kj_per_mol, 1e-3);
  // Nothing is kept that does not hold any more.
  for (auto change :
       {+[](PotentialOptions& o) { o.surface = DielectricSurface::vdw; },
        +[](PotentialOptions& o) { o.probe_angstrom = 2, o.surface = DielectricSurface::ses; },
        +[](PotentialOptions& o) { o.solute_dielectric = 4; }, +[](PotentialOptions& o) { o.focusing = 1; },
        +[](PotentialOptions& o) { o.charge_spline = ChargeSpline::quartic; },
        +[](PotentialOptions& o) { o.method = Method::pb_nonlinear; }}) {
    change(options);
    EXPECT_NEAR(kept.solve(options, {.keep = true}).energy->kj_per_mol,
                energy_of(dipole(), cube(16, 65), options), 2e-3);
  }
}

/// Of grids with other steps, and only where the surface is the one that is asked for.
TEST(PoissonBoltzmann, SharesSurfacesWithOthers) {
  PotentialOptions options;
  options.method = Method::pb_linear;
  options.surface = DielectricSurface::ses;
  const Charges charges = read_pqr(of_others / "1AJJ.pqr");
  const auto box = box_of(charges);
  const auto fine = cube(46, 49, (box.low + box.high) / 2), coarse = cube(50, 25, (box.low + box.high) / 2);
  for (const auto& [first, second] : {std::pair(coarse, fine), std::pair(fine, coarse)}) {
    const auto surfaces = std::make_shared<SolventSurfaces>();
    PoissonBoltzmann one(charges, first, surfaces), other(charges, second, surfaces);
    one.solve(options);
    ASSERT_TRUE(surfaces->knows(options.probe_angstrom));
    const auto known = surfaces->distances(charges, options.probe_angstrom, 1, {});
    other.solve(options);
    EXPECT_EQ(surfaces->distances(charges, options.probe_angstrom, 1, {})->shared_surface(),
              known->shared_surface());
    for (const double probe : {options.probe_angstrom, 2.0}) {
      auto with = options;
      with.probe_angstrom = probe;
      const auto expected = PoissonBoltzmann(charges, second).solve(with), found = other.solve(with);
      EXPECT_EQ(found.potential.values, expected.potential.values);
      EXPECT_EQ(found.energy->kj_per_mol, expected.energy->kj_per_mol);
    }
  }
}

/// A map may end where the atoms do, as coarse ones of large molecules do: the equation is solved on more points.
TEST(PoissonBoltzmann, AtomsMayLieAtTheFacesOfTheMap) {
  PotentialOptions options = born_options();
  const Charges charges = atoms({{2, 0, 0.1, 1, 1.5}, {-2, -2, -1, -0.5, 1.2}});
  const auto tight = PoissonBoltzmann(charges, cube(4, 17)).solve(options, {.energy = false});
  const auto wide = PoissonBoltzmann(charges, cube(16, 65)).solve(options);
  EXPECT_FALSE(tight.energy.has_value());
  for (int k = 0; k < 17; ++k) {
    for (int i = 0; i < 17; ++i) {
      const double expected = wide.potential.at(24 + i, 30, 24 + k);
      EXPECT_NEAR(tight.potential.at(i, 6, k), expected, 0.1 * std::abs(expected) + 0.25) << i << ' ' << k;
    }
  }
}

TEST(PoissonBoltzmann, IsOnTheGridThatWasAskedFor) {
  // 44 intervals are grown to a number that can be halved; a grid in bohr is one in angstrom.
  PotentialOptions options = born_options();
  options.unit = PotentialUnit::millivolt;
  auto grid = cube(14, 45);
  const auto found = PoissonBoltzmann(dipole(), grid).solve(options);
  EXPECT_GE(found.unknowns, grid.point_count());
  EXPECT_TRUE(found.potential.grid == grid);
  EXPECT_EQ(found.potential.unit, "mV");
  const double bohr = 1 / grid::shown_per_unit(grid::LengthUnit::bohr);
  grid.origin *= bohr;
  grid.step *= bohr;
  grid.unit = grid::LengthUnit::bohr;
  const auto in_bohr = potential_on(grid, dipole(), options).values;
  // Far from the charges: what the solvent leaves of them.
  for (const int i : {0, 20, 44}) {
    EXPECT_NEAR(in_bohr.at(i, 4, 40), found.potential.at(i, 4, 40), 1e-3);
    const Vector3d place = found.potential.grid.position(i, 4, 40);
    double expected = 0;
    for (std::size_t n = 0; n < 3; ++n)
      expected += dipole().charge[n] * 14399.645 / 78.54 / (place - dipole().place(n)).norm();
    EXPECT_NEAR(found.potential.at(i, 4, 40), expected, 0.1 * std::abs(expected) + 1);
  }
}

TEST(PoissonBoltzmann, TakesAtomsAnywhereInTheGrid) {
  PotentialOptions options = born_options();
  options.method = Method::pb_nonlinear;
  options.salt_molar = 0.1;
  // At one place, one in another, on a point of the grid, without radius, all of them.
  const Charges odd =
      atoms({{0, 0, 0, 1, 2}, {0, 0, 0, -1, 2}, {0.1, 0, 0, 0.5, 1}, {2, 0, 0, 0.2, 2}, {4, 1, 1, 0.1, 0}});
  EXPECT_TRUE(std::isfinite(energy_of(odd, cube(16, 33), options)));
  EXPECT_TRUE(std::isfinite(energy_of(atoms({{0, 0, 0, 1, 0}}), cube(16, 33), options)));
  EXPECT_NEAR(energy_of(atoms({{0, 0, 0, 0, 1}}), cube(16, 33), options), 0, 1e-9);
  // Saturated beyond reason, and yet the same equation.
  EXPECT_TRUE(std::isfinite(energy_of(atoms({{0, 0, 0, 5000, 1}}), cube(16, 33), options)));
}

template <class Work>
void expect_error(const Work& work, const std::string& part) {
  try {
    work();
    FAIL() << "taken, though: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(PoissonBoltzmann, OfWhatMakesNoSenseIsRefused) {
  const auto grid = cube(16, 33);
  const auto one = atoms({{0, 0, 0, 1, 1}});
  PotentialOptions options = born_options();
  expect_error([&] { PoissonBoltzmann({}, grid); }, "no charge");
  expect_error([&] { PoissonBoltzmann(atoms({{0, 0, NAN, 1, 1}}), grid); }, "Atom 1");
  expect_error([&] { PoissonBoltzmann(atoms({{0, 0, 0, 1, 1}, {20, 0, 0, 1, 1}}), grid); }, "Atom 2");
  expect_error([&] { PoissonBoltzmann(atoms({{8.01, 0, 0, 0, 1}}), grid); }, "outside of the grid");
  expect_error([&] { PoissonBoltzmann(one, cube(16, 4)); }, "five at least");
  auto turned = grid;
  turned.step.col(0).swap(turned.step.col(1));
  expect_error([&] { PoissonBoltzmann(one, turned); }, "along x, y and z");
  auto millimetres = grid;
  millimetres.unit = grid::LengthUnit::millimetre;
  expect_error([&] { PoissonBoltzmann(one, millimetres); }, "millimetres");
  auto huge = grid;
  huge.dimensions = {100000, 100000, 100000};
  EXPECT_THROW(PoissonBoltzmann(one, huge), ResourceError);
  options.probe_angstrom = -1;
  expect_error([&] { PoissonBoltzmann(one, grid).solve(options); }, "probe");
  options = born_options();
  options.method = Method::direct;
  expect_error([&] { PoissonBoltzmann(one, grid).solve(options); }, "pb-linear");
  options.method = Method::pb_linear;
  expect_error([&] { potential_at({{0}, {0}, {0}}, one, options); }, "grid");
}

TEST(PoissonBoltzmann, IsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(PoissonBoltzmann(dipole(), cube(16, 33))
                   .solve(born_options(), {}, jobs::Progress(stop.get_token(), {})),
               Cancelled);
}

TEST(ChargeSpreading, KeepsChargeAndItsMiddle) {
  const auto grid = cube(10, 21, {0.1, 0.2, 0.3});
  const Charges charges = dipole();
  for (const ChargeSpline spline : {ChargeSpline::linear, ChargeSpline::quadratic, ChargeSpline::quartic}) {
    const auto points = spread_charges(charges, grid, spline);
    const Extents e{21, 21, 21};
    std::vector<double> at(e.count(), 0.0);
    for (std::size_t i = 0; i < points.size(); ++i) {
      at[points[i].at] += points[i].value;
      if (i > 0) {
        EXPECT_LT(points[i - 1].at, points[i].at);
      }
    }
    double sum = 0;
    Vector3d moment = Vector3d::Zero(), expected = Vector3d::Zero();
    for (int k = 0; k < 21; ++k) {
      for (int j = 0; j < 21; ++j) {
        for (int i = 0; i < 21; ++i) {
          sum += at[e.at(i, j, k)];
          moment += at[e.at(i, j, k)] * grid.position(i, j, k);
        }
      }
    }
    for (std::size_t n = 0; n < charges.size(); ++n) expected += charges.charge[n] * charges.place(n);
    EXPECT_NEAR(sum, 0.6, 1e-12);
    EXPECT_LT((moment - expected).norm(), 1e-12);
  }
  EXPECT_EQ(spread_charges(atoms({{0, 0, 0, 1, 1}}), cube(10, 21), ChargeSpline::linear).size(), 1U);
  EXPECT_EQ(spread_charges(atoms({{0, 0, 0, 1, 1}}), cube(10, 21), ChargeSpline::quadratic).size(), 27U);
}

}  // namespace
}  // namespace isolume::electrostatics

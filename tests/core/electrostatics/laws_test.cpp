// What textbooks say of potentials, asked of every method that sums.
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/philox.h"
#include "core/electrostatics/potential/potential.h"
#include "core/structures/pqr.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;
using structures::Charges;

constexpr double constant = 560.4593221475;  // kT/e A/e at 298.15 K
const std::filesystem::path references = std::filesystem::path(ISOLUME_TEST_REFERENCES) / "electrostatics";

void add(Charges& charges, const Vector3d& place, double charge, double radius = 1) {
  charges.x.push_back(place.x());
  charges.y.push_back(place.y());
  charges.z.push_back(place.z());
  charges.charge.push_back(charge);
  charges.radius.push_back(radius);
}

void add(Places& places, const Vector3d& place) {
  places.x.push_back(place.x());
  places.y.push_back(place.y());
  places.z.push_back(place.z());
}

/// Of the methods whose S is 1, which is what the laws of electrostatics are about.
class Coulombs : public testing::TestWithParam<Method> {
 protected:
  PotentialOptions options() const {
    PotentialOptions found;
    found.method = GetParam();
    found.error = GetParam() == Method::multilevel ? 1e-4 : 1e-6;  // a fine mesh over a wide room takes long
    return found;
  }
  /// What is left to the method's error: relative to what, the callers say.
  double error() const {
    return GetParam() == Method::direct ? 1e-12 : GetParam() == Method::fmm ? 1e-5 : 2e-4;
  }
  std::vector<double> at(const Places& places, const Charges& charges) const {
    return potential_at(places, charges, options()).values;
  }
};

INSTANTIATE_TEST_SUITE_P(All, Coulombs, testing::Values(Method::direct, Method::fmm, Method::multilevel));

TEST_P(Coulombs, OfTwoChargesIsTheFormula) {
  Charges charges;
  add(charges, {-1, 0, 0}, 2);
  add(charges, {2, 0, 0}, -0.5);
  Places places;
  for (int i = 0; i < 200; ++i) add(places, {0.35 * i - 35, 0.1 * i, 3 - 0.05 * i});
  const auto found = at(places, charges);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double first = constant * 2 / std::hypot(places.x[i] + 1, places.y[i], places.z[i]),
                 second = constant * 0.5 / std::hypot(places.x[i] - 2, places.y[i], places.z[i]);
    EXPECT_NEAR(found[i], first - second, error() * (first + second)) << i;
  }
  // It is 0 on the sphere of Apollonius: four times as far from the first as from the second.
  Places zero;
  for (int i = 0; i < 50; ++i) {
    const double a = 0.3 * i, b = 0.11 * i;
    add(zero, Vector3d(2.2, 0, 0) +
                  0.8 * Vector3d(std::cos(a), std::sin(a) * std::cos(b), std::sin(a) * std::sin(b)));
  }
  for (const double value : at(zero, charges)) EXPECT_NEAR(value, 0, error() * constant * 2);
}

/// asinh((L - z) / d) + asinh((L + z) / d) at a distance d from a line from -L to L, times its density. Charges in
/// the middle of their pieces are a line but for exp(-2 pi d / a), a being their distance, and the square of a / L.
TEST_P(Coulombs, OfALineIsTheLogarithms) {
  constexpr int count = 2000;
  constexpr double half = 100, piece = 2 * half / count;
  Charges charges;
  for (int i = 0; i < count; ++i) add(charges, {1, 2, -half + (i + 0.5) * piece}, 0.3 * piece);
  Places places;
  std::vector<double> expected;
  for (const double d : {1.0, 2.0, 5.0, 20.0, 45.0}) {
    for (const double z : {0.0, 13.0, -50.0}) {
      add(places, {1 + d * std::cos(z), 2 + d * std::sin(z), z});
      expected.push_back(constant * 0.3 * (std::asinh((half - z) / d) + std::asinh((half + z) / d)));
    }
  }
  const auto found = at(places, charges);
  for (std::size_t i = 0; i < places.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], (error() + 2e-6) * expected[i]) << i;
  // Near its middle, it falls as the logarithm of the distance.
  EXPECT_NEAR(found[0] - found[3], constant * 2 * 0.3 * std::log(2), 2e-5 * expected[0]);
}

/// A square plate from -a to a, on the axis through its middle: the integral of its density over 1 / r. Near its middle the
/// field is that of a plane, 2 pi of its density on either side.
TEST_P(Coulombs, OfAPlateIsItsIntegral) {
  constexpr int count = 100;
  constexpr double half = 50, piece = 2 * half / count, density = 0.02;
  Charges charges;
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j)
      add(charges, {-half + (i + 0.5) * piece, -half + (j + 0.5) * piece, 0}, density * piece * piece);
  }
  const auto integral = [&](double z) {
    const double side = std::sqrt(half * half + z * z), corner = std::sqrt(2 * half * half + z * z);
    return constant * density * 4 *
           (2 * half * std::log((half + corner) / side) - z * std::atan(half * half / (z * corner)));
  };
  Places places;
  const std::array distances{3.0, 3.5, 10.0, 40.0, 90.0};
  for (const double z : distances) {
    add(places, {0, 0, z});
    add(places, {0, 0, -z});
  }
  const auto found = at(places, charges);
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const double expected = integral(distances[i]);
    EXPECT_NEAR(found[2 * i], expected, (error() + 2e-5) * expected) << distances[i];
    EXPECT_NEAR(found[2 * i + 1], expected, (error() + 2e-5) * expected) << -distances[i];
  }
  EXPECT_NEAR((found[0] - found[2]) / 0.5, 2 * std::numbers::pi * constant * density,
              0.06 * 2 * std::numbers::pi * constant * density);
}

/// p cos(angle) / r^2 of a dipole; what is left is its octupole's and falls with the square of the distance.
TEST_P(Coulombs, FarFromADipoleIsThatOfItsMoment) {
  constexpr double apart = 0.5;
  Charges charges;
  add(charges, {0, 0, apart / 2}, 4);
  add(charges, {0, 0, -apart / 2}, -4);
  Places places;
  const Vector3d direction = Vector3d(1, 2, 1).normalized();
  for (const double r : {2.0, 4.0, 8.0}) add(places, r * direction);
  const auto found = at(places, charges);
  std::array<double, 3> off{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double r = 2.0 * (1 << i);
    off[i] = found[i] / (constant * 4 * apart * direction.z() / (r * r)) - 1;
  }
  // (apart / 2r)^2 (5 cos^2 - 3) / 2, from the Legendre polynomial of third order.
  const double cosine = direction.z();
  EXPECT_NEAR(off[0], apart * apart / 16 * (5 * cosine * cosine - 3) / 2,
              2e-4 + (GetParam() == Method::direct ? 0 : 100 * error()));
  if (GetParam() == Method::direct) {
    EXPECT_NEAR(off[0] / off[1], 4, 0.1);
    EXPECT_NEAR(off[1] / off[2], 4, 0.03);
  }
}

/// Of all that sum, whatever S is.
class Sums : public testing::TestWithParam<Method> {
 protected:
  static PotentialOptions options() {
    PotentialOptions found;
    found.method = GetParam();
    found.cutoff_angstrom = 9;
    found.error = GetParam() == Method::multilevel ? 1e-5 : 1e-6;
    found.box = GetParam() == Method::pme ? "24,26,28" : "";
    return found;
  }
  static grid::Grid grid() {
    return grid::centred({0.5, 0.2, -0.3}, {17, 18, 19}, 1.1, grid::LengthUnit::angstrom);
  }
  static grid::ScalarField on(const Charges& charges) {
    return potential_on(grid(), charges, options()).values;
  }
  /// Of 60 charges that sum to nothing, which a box in pme has to.
  static Charges random(std::uint64_t seed) {
    Random random(seed, 0);
    Charges charges;
    for (int i = 0; i < 60; ++i)
      add(charges, {16 * random.uniform() - 8, 16 * random.uniform() - 8, 16 * random.uniform() - 8},
          (i % 2 == 0 ? 1 : -1) * (1 + i / 2 % 5), 0.5 + random.uniform());
    return charges;
  }
  /// The size that the error of a method is relative to: that of the charges one by one, with no two cancelling.
  static double size_at(const Vector3d& place, const Charges& charges) {
    double sum = 0;
    for (std::size_t i = 0; i < charges.size(); ++i)
      sum += std::abs(charges.charge[i]) / std::max(0.01, (charges.place(i) - place).norm());
    return constant * sum;
  }
};

INSTANTIATE_TEST_SUITE_P(All, Sums,
                         testing::Values(Method::direct, Method::cutoff, Method::debye_hueckel, Method::fmm,
                                         Method::multilevel, Method::pme));

TEST_P(Sums, IsLinearInTheCharges) {
  const Charges charges = random(1);
  Charges more = charges;
  for (double& charge : more.charge) charge *= -2.5;
  const auto once = on(charges), scaled = on(more);
  for (std::size_t i = 0; i < once.values.size(); ++i)
    ASSERT_NEAR(scaled.values[i], -2.5 * once.values[i], 2e-5 * std::abs(once.values[i]) + 0.02) << i;
}

TEST_P(Sums, OfTwoSetsIsTheSumOfEach) {
  const Charges a = random(2), b = random(3);
  Charges both = a;
  for (std::size_t i = 0; i < b.size(); ++i) add(both, b.place(i), b.charge[i], b.radius[i]);
  const auto of_a = on(a), of_b = on(b), of_both = on(both);
  const auto& n = grid().dimensions;
  double largest = 0;
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i) {
        ASSERT_NEAR(of_both.at(i, j, k), of_a.at(i, j, k) + of_b.at(i, j, k),
                    2e-5 * size_at(grid().position(i, j, k), both));
        largest = std::max(largest, std::abs(double{of_both.at(i, j, k)}));
      }
    }
  }
  EXPECT_GT(largest, 100) << "there is something to compare";
}

TEST_P(Sums, MovesWithTheCharges) {
  const Charges charges = random(4);
  // By no multiple of a spacing, so that all that is binned or meshed lies otherwise.
  const Vector3d by(37.231, -118.877, 5.4391);
  Charges moved = charges;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    moved.x[i] += by.x();
    moved.y[i] += by.y();
    moved.z[i] += by.z();
  }
  auto there = grid();
  there.origin += by;
  const auto here = on(charges);
  const auto found = potential_on(there, moved, options()).values;
  const auto& n = grid().dimensions;
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i)
        ASSERT_NEAR(found.at(i, j, k), here.at(i, j, k), 2e-5 * size_at(grid().position(i, j, k), charges));
    }
  }
}

/// Its own potential would be infinite: what is left is that of the others.
TEST_P(Sums, AtAPointOfTheGridAChargeAddsNothing) {
  const Vector3d on_it = grid().position(8, 9, 7);
  Charges others = random(5), all = others;
  add(all, on_it, 3, 1);
  if (GetParam() == Method::pme) {  // and what makes it neutral
    add(all, grid().position(8, 9, 7) + Vector3d(0.3, 0.4, 0.5), -3, 1);
    add(others, grid().position(8, 9, 7) + Vector3d(0.3, 0.4, 0.5), -3, 1);
  }
  const auto with = on(all);
  for (const float value : with.values) ASSERT_TRUE(std::isfinite(value));
  const double left = with.at(8, 9, 7), size = size_at(on_it, others);
  if (GetParam() == Method::pme) {
    // Its images and the background of what is not neutral any more stay: some 3 C 2.84 / 26 of it.
    EXPECT_LT(std::abs(left), size);
  } else {
    EXPECT_NEAR(left, on(others).at(8, 9, 7), 2e-5 * size + 0.1);
  }
  // A spacing away it is there.
  EXPECT_GT(with.at(9, 9, 7) - on(others).at(9, 9, 7), 0.01 * constant);
}

}  // namespace
}  // namespace isolume::electrostatics

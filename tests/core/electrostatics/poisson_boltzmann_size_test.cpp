#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/base/philox.h"
#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"
#include "core/electrostatics/potential/potential.h"
#include "core/structures/pqr.h"

namespace isolume::electrostatics {
namespace {

const std::filesystem::path of_another = std::filesystem::path(ISOLUME_TEST_REFERENCES) / "electrostatics";

/// The most that the process has ever held.
double peak_bytes() {
  rusage usage{};
  EXPECT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

grid::Grid cube(const Eigen::Vector3d& middle, double side, int points) {
  return grid::centred(middle, {points, points, points}, side / (points - 1), grid::LengthUnit::angstrom);
}

/// Threads, libraries and the surface of a small molecule, which the grid's points have no part in.
constexpr double aside = 16e6;

/// What solving adds to the peak, the map included. Only a process's first says something: ctest starts one for each test.
double bytes_of_solving(const structures::Charges& charges, const grid::Grid& grid,
                        const PotentialOptions& options, PoissonBoltzmannResult& result) {
  const double before = peak_bytes();
  result = PoissonBoltzmann(charges, grid).solve(options);
  const double bytes = peak_bytes() - before;
  testing::Test::RecordProperty("bytes_a_point",
                                std::to_string(bytes / static_cast<double>(grid.point_count())));
  EXPECT_EQ(result.unknowns, grid.point_count());
  EXPECT_EQ(result.potential.values.size(), grid.point_count());
  EXPECT_LE(result.solve.residual, 1e-6);
  return bytes;
}

TEST(PoissonBoltzmannOfSize, TakesFortyBytesAPointWithTheMap) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "The sanitizer keeps freed memory for a while.";
#endif
  PotentialOptions options;
  options.method = Method::pb_linear;
  options.solute_dielectric = 2;
  PoissonBoltzmannResult result;
  const auto charges = structures::read_pqr(of_another / "1FAS.pqr");
  const auto grid = cube(structures::box_of(charges).low / 2 + structures::box_of(charges).high / 2, 64, 193);
  EXPECT_LE(bytes_of_solving(charges, grid, options, result), 40.0 * 193 * 193 * 193 + aside);
}

/// Born's ion, whose energy is known (poisson_boltzmann_test.cpp): 57 million points in 2.3 GB. Takes a minute or more:
/// ctest -C size -R at_385.
TEST(PoissonBoltzmannOfSize, DISABLED_With385PointsASideIsBorns) {
  PotentialOptions options;
  options.method = Method::pb_linear;
  options.solute_dielectric = 1;
  options.salt_molar = 0;
  options.focusing = 4;
  PoissonBoltzmannResult result;
  const auto ion = structures::read_pqr(of_another / "born.pqr");
  EXPECT_LE(bytes_of_solving(ion, cube(Eigen::Vector3d::Zero(), 12, 385), options, result),
            40.0 * 385 * 385 * 385);
  const double exact = 1389.35457644 / 6 * (1 / 78.54 - 1);
  EXPECT_NEAR(result.energy->kj_per_mol, exact, 0.01);
}

/// As many charges as the largest structures have. Ten million pairs for each place: the direct sum is taken at a few.
TEST(PotentialOfSize, OfTenMillionChargesIsTheDoubleSum) {
  constexpr std::size_t count = 10'000'000;
  constexpr double side = 464;  // 0.1 atoms to the cubic angstrom, as of water
  structures::Charges charges;
  for (auto* values : {&charges.x, &charges.y, &charges.z, &charges.charge, &charges.radius})
    values->resize(count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    Random random(17, i);
    charges.x[i] = side * random.uniform();
    charges.y[i] = side * random.uniform();
    charges.z[i] = side * random.uniform();
    charges.charge[i] = i % 2 == 0 ? 0.5 : -0.5;
  }
  const auto grid =
      grid::centred(Eigen::Vector3d::Constant(side / 2), {6, 5, 4}, 2.3, grid::LengthUnit::angstrom);
  PotentialOptions options;
  options.cutoff_angstrom = 9;
  for (const Method method : {Method::direct, Method::cutoff}) {
    options.method = method;
    const auto found = potential_on(grid, charges, options).values;
    for (const auto& [i, j, k] : {std::array{0, 0, 0}, std::array{3, 2, 1}, std::array{5, 4, 3}}) {
      const Eigen::Vector3d place = grid.position(i, j, k);
      double expected = 0, magnitude = 0;
      for (std::size_t n = 0; n < count; ++n) {
        const double r = (charges.place(n) - place).norm(), x = r / 9;
        const double part = coulomb_constant(PotentialUnit::kt_per_e, 298.15) / r *
                            (method == Method::direct ? 1
                             : x < 1                  ? (1 - x * x) * (1 - x * x)
                                                      : 0);
        expected += charges.charge[n] * part;
        magnitude += std::abs(charges.charge[n]) * part;
      }
      EXPECT_NEAR(found.at(i, j, k), expected, 3e-6 * magnitude) << i;
      EXPECT_GT(std::abs(expected), 30e-6 * magnitude) << "there is something to compare";
    }
  }
}

}  // namespace
}  // namespace isolume::electrostatics

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"
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

lattice::Lattice cube(const Eigen::Vector3d& middle, double side, int points) {
  return lattice::centred(middle, {points, points, points}, side / (points - 1),
                          lattice::LengthUnit::angstrom);
}

/// Threads, libraries and the surface of a small molecule, which the lattice's points have no part in.
constexpr double aside = 16e6;

/// What solving adds to the peak, the map included. Only a process's first says something: ctest starts one for each test.
double bytes_of_solving(const structures::Charges& charges, const lattice::Lattice& lattice,
                        const PotentialOptions& options, PoissonBoltzmannResult& result) {
  const double before = peak_bytes();
  result = PoissonBoltzmann(charges, lattice).solve(options);
  const double bytes = peak_bytes() - before;
  testing::Test::RecordProperty("bytes_a_point",
                                std::to_string(bytes / static_cast<double>(lattice.point_count())));
  EXPECT_EQ(result.unknowns, lattice.point_count());
  EXPECT_EQ(result.potential.values.size(), lattice.point_count());
  EXPECT_LE(result.solve.residual, 1e-6);
  return bytes;
}

TEST(PoissonBoltzmannOfSize, TakesFortyBytesAPointWithTheMap) {
  PotentialOptions options;
  options.method = Method::pb_linear;
  options.solute_dielectric = 2;
  PoissonBoltzmannResult result;
  const auto charges = structures::read_pqr(of_another / "1FAS.pqr");
  const auto lattice =
      cube(structures::box_of(charges).low / 2 + structures::box_of(charges).high / 2, 64, 193);
  EXPECT_LE(bytes_of_solving(charges, lattice, options, result), 40.0 * 193 * 193 * 193 + aside);
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
  EXPECT_NEAR(result.energy.kj_per_mol, exact, 0.01);
}

}  // namespace
}  // namespace isolume::electrostatics

#include "core/gaussians/density_map.h"

#include <cmath>
#include <filesystem>
#include <stop_token>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/molecules/document.h"

namespace isolume::gaussians {
namespace {

const std::filesystem::path references = ISOLUME_TEST_REFERENCES;

HermiteDensity density_of(const molecules::Document& document) {
  const auto& wavefunction = *document.wavefunction;
  return electron_density(wavefunction, wavefunction.sets.front(), 1e-10);
}

/// Psi4's cubes have six digits. s to g, Cartesian and spherical.
class DensityMapOf : public testing::TestWithParam<const char*> {};

TEST_P(DensityMapOf, IsPsi4s) {
  const std::string name = GetParam();
  const auto document = molecules::read_document(references / "wavefunctions" / (name + ".molden.gz"));
  const auto cube = molecules::read_document(references / "cubes" / (name + "-Dt.cube.gz"));
  const auto& expected = *cube.fields.at(0);
  const auto found = density_map(density_of(document), expected.grid);
  EXPECT_EQ(found.unit, "e/bohr^3");
  ASSERT_EQ(found.values.size(), expected.values.size());
  double largest = 0;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    const auto value = static_cast<double>(expected.values[i]);
    largest = std::max(largest, value);
    ASSERT_NEAR(found.values[i], value, 2e-5 * value + 2e-7) << i;
  }
  EXPECT_GT(largest, 0.1);
}
INSTANTIATE_TEST_SUITE_P(All, DensityMapOf, testing::Values("water-631gs", "water-def2tzvp", "water-ccpvqz"));

class DensityMap : public testing::Test {
 protected:
  DensityMap()
      : density_(
            density_of(molecules::read_document(references / "wavefunctions/oxygen-triplet-uhf.molden.gz"))) {
  }
  HermiteDensity density_;
};

TEST_F(DensityMap, HoldsTheElectronsAndEndsWhereItsToleranceSays) {
  const auto grid = grid::cover_box({-7, -7, -8}, {7, 7, 8}, 0.25, grid::LengthUnit::bohr);
  const auto fine = density_map(density_, grid);
  // Both nuclei lie on points, whose cusps weigh too much.
  EXPECT_NEAR(grid::integral(fine), 16, 0.3);
  const auto coarse = density_map(density_, grid, 1e-3);
  double worst = 0;
  for (std::size_t i = 0; i < fine.values.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(fine.values[i]) - coarse.values[i]));
  EXPECT_LT(worst, 1e-3);
  EXPECT_GT(worst, 0) << "nothing was left out";
}

TEST_F(DensityMap, IsOneInBothUnits) {
  const auto grid = grid::cover_box({-2, -2, -3}, {2, 1.5, 3}, 0.5, grid::LengthUnit::bohr);
  auto in_angstrom = grid;
  in_angstrom.origin *= 0.529177210903;
  in_angstrom.step *= 0.529177210903;
  in_angstrom.unit = grid::LengthUnit::angstrom;
  const auto one = density_map(density_, grid), other = density_map(density_, in_angstrom);
  for (std::size_t i = 0; i < one.values.size(); ++i)
    ASSERT_NEAR(one.values[i], other.values[i], 1e-5 * one.values[i] + 1e-9);
}

TEST_F(DensityMap, RefusesOtherGridsAndCanBeCancelled) {
  auto grid = grid::cover_box({-2, -2, -2}, {2, 2, 2}, 0.5, grid::LengthUnit::bohr);
  grid.unit = grid::LengthUnit::millimetre;
  EXPECT_THROW(density_map(density_, grid), Error);
  grid.unit = grid::LengthUnit::bohr;
  grid.step(1, 0) = 0.1;
  EXPECT_THROW(density_map(density_, grid), Error);
  grid.step(1, 0) = 0;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(density_map(density_, grid, 1e-7, jobs::Progress(stop.get_token(), nullptr)), Cancelled);
}

}  // namespace
}  // namespace isolume::gaussians

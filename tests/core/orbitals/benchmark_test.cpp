#include "core/orbitals/benchmark.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/units.h"

namespace isolume::orbitals {
namespace {

TEST(BenchmarkLattice, C60HasTheLatticeOfTheLiterature) {
  molecules::Molecule c60;
  for (int i = 0; i < 60; ++i) {
    c60.atoms.push_back({6, Eigen::Vector3d(std::cos(i), std::sin(i), 0.1 * i), 6.0});
  }
  const auto lattice = benchmark_lattice(c60);
  EXPECT_EQ(lattice.dimensions, (std::array<int, 3>{172, 173, 169}));
  EXPECT_DOUBLE_EQ(lattice.step_bohr(0, 0) * units::angstrom_per_bohr, 0.075);
  const Eigen::Vector3d centre = lattice.point(171 / 2.0, 172 / 2.0, 168 / 2.0);
  EXPECT_NEAR(centre.z(), 0.1 * 59 / 2, 1e-12);
}

TEST(BenchmarkLattice, OthersHaveThreeAngstromAroundTheNuclei) {
  molecules::Molecule pair;
  pair.atoms = {{1, {0, 0, 0}, 1.0}, {1, {0, 0, units::bohr_per_angstrom}, 1.0}};
  EXPECT_EQ(benchmark_lattice(pair).dimensions, (std::array<int, 3>{61, 61, 71}));
}

}  // namespace
}  // namespace isolume::orbitals

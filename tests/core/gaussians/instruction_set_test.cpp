// Every instruction set that the kernels are compiled for, and that this machine can run.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include "core/gaussians/boys_function.h"
#include "core/gaussians/site_kernels.h"

namespace isolume::gaussians {
namespace {

class OnInstructionSet : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override {
    if ((hwy::SupportedTargets() & GetParam()) == 0) GTEST_SKIP() << "this machine cannot run it";
    hwy::GetChosenTarget().Update(GetParam());
    for (int i = 0; i < PointTile::capacity; ++i) {
      // From the centre itself to where Boys functions are asymptotic, and both within a vector.
      const double r = i < 40 ? 0.11 * i : 50.0 / (i - 39);
      tile_.x[i] = r * std::cos(2.0 * i);
      tile_.y[i] = r * std::sin(2.0 * i) * 0.8;
      tile_.z[i] = r * std::sin(2.0 * i) * 0.6;
      tile_.potential[i] = i;
    }
    tile_.count = PointTile::capacity;
  }
  void TearDown() override { hwy::GetChosenTarget().DeInit(); }  // back to the best one

  PointTile tile_;
};

TEST_P(OnInstructionSet, GaussiansAreTheirFormula) {
  constexpr double exponent = 1.3;
  for (int order = 0; order <= max_order; ++order) {
    std::vector<double> coefficients;
    for (std::size_t i = 0; i < near_count(order); ++i)
      coefficients.push_back(std::sin(1.0 + static_cast<double>(i)) / (1.0 + static_cast<double>(i)));
    PointTile tile = tile_;
    const NearGaussian gaussian{0.1, -0.2, 0.05, exponent, order, 0};
    add_near(tile, &gaussian, 1, coefficients.data());
    for (int at = 0; at < PointTile::capacity; ++at) {
      const double x = gaussian.x - tile.x[at], y = gaussian.y - tile.y[at], z = gaussian.z - tile.z[at];
      std::array<double, max_order + 1> boys;
      boys_function(exponent * (x * x + y * y + z * z), {boys.data(), static_cast<std::size_t>(order) + 1});
      double expected = at, size = 1 + at;
      std::size_t next = 0;
      for (const auto& [i, j, k] : triple_index(order).triples()) {
        for (int s = 0; i + j + k + 2 * s <= order; ++s) {
          const double part = coefficients[next++] * std::pow(x, i) * std::pow(y, j) * std::pow(z, k) *
                              boys[static_cast<std::size_t>(i + j + k + s)];
          expected += part;
          size += std::abs(part);
        }
      }
      ASSERT_EQ(next, coefficients.size());
      ASSERT_NEAR(tile.potential[at], expected, 1e-13 * size) << order << ' ' << at;
    }
  }
}

TEST_P(OnInstructionSet, MultipolesAreTheirFormula) {
  for (int order = 0; order <= max_order; order += 2) {
    std::vector<double> coefficients;
    for (std::size_t i = 0; i < triple_count(order); ++i)
      coefficients.push_back(std::cos(static_cast<double>(i)));
    PointTile tile = tile_;
    const FarMultipole multipole{3, -5, 4, order, coefficients.data()};
    add_far(tile, multipole);
    for (int at = 0; at < PointTile::capacity; ++at) {
      const double x = multipole.x - tile.x[at], y = multipole.y - tile.y[at], z = multipole.z - tile.z[at];
      const double squared = x * x + y * y + z * z;
      double expected = at, size = 1 + at;
      std::size_t next = 0;
      for (const auto& [i, j, k] : triple_index(order).triples()) {
        const double part = coefficients[next++] * std::pow(x, i) * std::pow(y, j) * std::pow(z, k) /
                            std::pow(squared, i + j + k + 0.5);
        expected += part;
        size += std::abs(part);
      }
      ASSERT_NEAR(tile.potential[at], expected, 1e-13 * size) << order << ' ' << at;
    }
  }
}

TEST_P(OnInstructionSet, NucleiAddChargeOverDistanceButNotAtThemselves) {
  tile_.x[5] = tile_.y[5] = tile_.z[5] = 1;
  tile_.x[6] = 1 + 2e-4;
  tile_.y[6] = tile_.z[6] = 1;
  const Nucleus nuclei[] = {{1, 1, 1, 6}, {0, 0, 9, 1}};
  add_nuclei(tile_, nuclei, 2, 3e-4);
  for (int at = 0; at < PointTile::capacity; ++at) {
    double expected = at;
    for (const auto& each : nuclei) {
      const double distance = std::hypot(tile_.x[at] - each.x, tile_.y[at] - each.y, tile_.z[at] - each.z);
      if (distance > 3e-4) expected += each.charge / distance;
    }
    ASSERT_NEAR(tile_.potential[at], expected, 1e-12 * expected) << at;
  }
}

#if HWY_ARCH_X86
INSTANTIATE_TEST_SUITE_P(All, OnInstructionSet, testing::Values(HWY_SSE4, HWY_AVX2, HWY_AVX3),
                         [](const auto& each) { return std::string(hwy::TargetName(each.param)); });
#else
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OnInstructionSet);
#endif

}  // namespace
}  // namespace isolume::gaussians

#include "core/fourier/mesh_transform.h"

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace isolume::fourier {
namespace {

TEST(MeshTransform, IsTheSumThatItSays) {
  constexpr std::size_t nx = 6, ny = 10, nz = 4;
  const MeshTransform transform({nx, ny, nz});
  std::vector<double> values(transform.values());
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (double& each : values) each = normal(random);
  std::vector<MeshTransform::Complex> modes(transform.modes());
  transform.forward(values, modes);
  for (std::size_t kx = 0; kx < nx; ++kx) {
    for (std::size_t kz = 0; kz < transform.depth(); ++kz) {
      const std::size_t ky = (3 * kx + 2 * kz) % ny;
      MeshTransform::Complex sum = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto phase = static_cast<double>(kx * (i / (ny * nz))) / nx +
                           static_cast<double>(ky * (i / nz % ny)) / ny +
                           static_cast<double>(kz * (i % nz)) / nz;
        sum += values[i] * std::polar(1.0, -2 * std::numbers::pi * phase);
      }
      EXPECT_LT(std::abs(sum - modes[(kx * ny + ky) * transform.depth() + kz]), 1e-12);
    }
  }
  std::vector<double> back(values.size());
  transform.inverse(modes, back);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(back[i], values[i] * nx * ny * nz, 1e-11);
}

TEST(MeshTransform, SidesAreEvenWithSmallFactors) {
  for (const std::size_t side : {2u, 4u, 30u, 96u, 250u}) EXPECT_TRUE(suits_transform(side)) << side;
  for (const std::size_t side : {0u, 1u, 15u, 14u, 62u}) EXPECT_FALSE(suits_transform(side)) << side;
  EXPECT_EQ(next_transform_side(31), 32u);
  EXPECT_EQ(next_transform_side(33), 36u);
}

}  // namespace
}  // namespace isolume::fourier

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "app/bodies/bodies_look.h"

namespace isolume::bodies {
namespace {

TEST(FirstRegion, IsAboutTheStarNotAboutTheMiddleOfItsPlanets) {
  constexpr std::array<float, 12> positions{0.1F, 0, 0, 1, 0, 0, 0, 1, 0, 30, 0, 0};
  constexpr std::array<float, 4> masses{1000, 0.5F, 0.25F, 0.25F};
  const auto [centre, radius] = first_region(positions, masses);
  EXPECT_NEAR(centre.x(), 0.11, 0.01);
  EXPECT_NEAR(centre.y(), 0, 0.01);
  EXPECT_NEAR(radius, 30, 0.2);
}

TEST(FirstRegion, OfBodiesWithoutLightIsAboutTheirMiddle) {
  constexpr std::array<float, 6> positions{-1, 2, 0, 1, 4, 0};
  const auto [centre, radius] = first_region(positions, std::array<float, 2>{0, 0});
  EXPECT_EQ(centre, Eigen::Vector3f(0, 3, 0));
  EXPECT_NEAR(radius, std::sqrt(2), 1e-6);
  EXPECT_EQ(first_region({}, {}).radius, 0);
}

}  // namespace
}  // namespace isolume::bodies

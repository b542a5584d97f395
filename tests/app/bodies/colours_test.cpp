// The values of the first and the last colour of bodies.
#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "app/bodies/bodies_look.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::bodies {
namespace {

/// Of bodies with these speeds.
std::array<float, 2> range_of(const std::vector<double>& speeds) {
  nbody::InitialConditions start;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    start.bodies.mass.push_back(1);
    start.bodies.x.push_back(static_cast<double>(i));
    start.bodies.y.push_back(0);
    start.bodies.z.push_back(0);
    start.bodies.vx.push_back(speeds[i]);
    start.bodies.vy.push_back(0);
    start.bodies.vz.push_back(0);
  }
  nbody::NBodySimulation simulation(std::move(start));
  const auto frame = simulation.frame(nbody::frame_positions | nbody::frame_speeds);
  const auto steady = steady_bodies(frame->labels, BodiesLook{.colour_by = ColourBy::speed}, nullptr);
  return drawn_bodies(*frame, *steady).range;
}

TEST(ColoursOfBodies, OfFewHaveAllValues) {
  EXPECT_EQ(range_of({1.5, 3.5}), (std::array<float, 2>{1.5, 3.5}));
  EXPECT_EQ(range_of({3, 1, 2}), (std::array<float, 2>{1, 3}));
  EXPECT_EQ(range_of({2}), (std::array<float, 2>{2, 2}));
  std::vector<double> planets(99);
  std::iota(planets.begin(), planets.end(), 1);
  EXPECT_EQ(range_of(planets), (std::array<float, 2>{1, 99}));
}

/// 1 to 501 have the percentiles 11 and 491; of 1 to 120 they are 3.38 and 117.62, rounded outwards.
TEST(ColoursOfBodies, OfManyLeaveOutFewOnBothSidesAlike) {
  std::vector<double> speeds(501);
  std::iota(speeds.begin(), speeds.end(), 1);
  EXPECT_EQ(range_of(speeds), (std::array<float, 2>{11, 491}));
  speeds.resize(120);
  EXPECT_EQ(range_of(speeds), (std::array<float, 2>{3, 118}));
}

}  // namespace
}  // namespace isolume::bodies

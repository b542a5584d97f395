#include "core/electrostatics/poisson_boltzmann/solvent_surface.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <stop_token>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/electrostatics/poisson_boltzmann/circle_cuts.h"
#include "core/electrostatics/poisson_boltzmann/exposed_circle.h"
#include "core/electrostatics/poisson_boltzmann/exposed_directions.h"
#include "core/electrostatics/poisson_boltzmann/solvent_surfaces.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;
using structures::Charges;

/// Balls of 1 to 2 angstrom in a box.
Charges balls_in(const Vector3d& box, int count, std::uint64_t seed) {
  Random random(seed, 0);
  Charges charges;
  for (int i = 0; i < count; ++i) {
    charges.x.push_back(box.x() * random.uniform());
    charges.y.push_back(box.y() * random.uniform());
    charges.z.push_back(box.z() * random.uniform());
    charges.charge.push_back(0);
    charges.radius.push_back(1 + random.uniform());
  }
  return charges;
}

/// Evenly all over a sphere around 0 of radius 1.
std::vector<Vector3d> dots_on_sphere(int count) {
  std::vector<Vector3d> dots;
  for (int n = 0; n < count; ++n) {
    const double z = 1 - (2 * n + 1.0) / count, around = n * std::numbers::pi * (3 - std::sqrt(5));
    dots.emplace_back(std::sqrt(1 - z * z) * std::cos(around), std::sqrt(1 - z * z) * std::sin(around), z);
  }
  return dots;
}

/// The distance by dots all over the inflated spheres. Among 25 balls most touch the surface, among 150 most are buried.
class SolventSurfaceOf : public testing::TestWithParam<int> {};

TEST_P(SolventSurfaceOf, DistancesAreThoseOfManyDots) {
  const Charges charges = balls_in({9, 7, 7}, GetParam(), 11);
  constexpr double probe = 1.4, deepest = 0.8;
  const auto surface = std::make_shared<const SolventSurface>(charges, probe, jobs::Progress());
  // Those that were sorted for more depth serve as well.
  const SurfaceDistances distances(surface, 1.5 * deepest);
  EXPECT_GT(surface->arcs().size(), 20U);
  const auto& balls = surface->balls();
  EXPECT_TRUE(std::ranges::is_sorted(balls, {}, [](const auto& ball) { return ball.centre.z(); }));
  const auto dots = dots_on_sphere(60'000);  // 0.06 angstrom to the nearest, even in a corner
  std::vector<Vector3d> reached;
  for (const auto& ball : balls) {
    for (const Vector3d& dot : dots) {
      const Vector3d at = ball.centre + (ball.radius + probe) * dot;
      if (std::ranges::all_of(balls, [&](const auto& other) {
            return (at - other.centre).norm() > other.radius + probe - 1e-7;
          }))
        reached.push_back(at);
    }
  }
  Random random(12, 0);
  int concave = 0;
  for (int n = 0; n < 1500; ++n) {
    const Vector3d place(11 * random.uniform() - 1, 9 * random.uniform() - 1, 9 * random.uniform() - 1);
    std::size_t closest = 0;
    double distance = 1e9;
    for (std::size_t i = 0; i < balls.size(); ++i) {
      const double from = (place - balls[i].centre).norm() - balls[i].radius;
      if (from < distance) distance = from, closest = i;
    }
    if (distance >= probe) continue;
    double nearest_dot = 1e9;
    for (const Vector3d& dot : reached) nearest_dot = std::min(nearest_dot, (dot - place).norm());
    const double found = distances.at(place, closest, distance, deepest);
    const double expected = std::max(probe - nearest_dot, -deepest);
    // A dot is not nearer than the surface, and not much farther.
    EXPECT_LE(expected, found + 1e-6) << place.transpose();
    EXPECT_GE(expected, found - 0.06) << place.transpose();
    concave += found < distance - 0.05 && found > -deepest;
  }
  EXPECT_GT(concave, 50) << "places where the probe touches two or three atoms";
}

INSTANTIATE_TEST_SUITE_P(Balls, SolventSurfaceOf, testing::Values(25, 150));

/// Where no direction is the way out.
TEST(SolventSurface, TheMiddleOfABallIsItsRadiusDeep) {
  Charges charges;
  for (const double z : {0.0, 9.0, 10.0}) structures::add_atom(charges, {0.5, 0, z}, 0, 1, {});
  const SurfaceDistances distances(std::make_shared<const SolventSurface>(charges, 1.4, jobs::Progress()), 3);
  for (const std::size_t ball : {0U, 1U, 2U})
    EXPECT_NEAR(distances.at(distances.surface().balls()[ball].centre, ball, -1, 3), -1, 1e-12);
}

TEST(SolventSurface, FindsBallsByHeight) {
  const SolventSurface surface(balls_in({9, 7, 30}, 200, 4));
  for (const double height : {-5.0, 0.0, 3.3, 17.0, 31.5, 40.0}) {
    const auto found = surface.balls_at(height, 0.4);
    for (const auto& ball : surface.balls()) {
      const bool reaches = std::abs(ball.centre.z() - height) <= ball.radius + 0.4;
      const bool is_found = &ball >= found.data() && &ball < found.data() + found.size();
      EXPECT_TRUE(!reaches || is_found) << height;
    }
    EXPECT_LT(found.size(), 60U);
  }
}

TEST(SolventSurfaces, AreFoundOnceAndSortedForTheDepthThatIsAskedFor) {
  const Charges charges = balls_in({9, 7, 7}, 25, 11);
  SolventSurfaces surfaces;
  const auto deep = surfaces.distances(charges, 1.4, 2, {});
  EXPECT_EQ(surfaces.distances(charges, 1.4, 1.5, {}), deep);
  const auto shallow = surfaces.distances(charges, 1.4, 0.5, {});
  EXPECT_NE(shallow, deep) << "lists of what is near would be long";
  EXPECT_EQ(shallow->shared_surface(), deep->shared_surface());
  EXPECT_NE(surfaces.distances(charges, 1.5, 2, {})->shared_surface(), deep->shared_surface());
  EXPECT_EQ(surfaces.distances(charges, 1.4, 2, {}), deep);
  EXPECT_EQ(surfaces.balls(charges), surfaces.balls(charges));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(surfaces.distances(charges, 3, 1, jobs::Progress(stop.get_token(), {})), Cancelled);
  EXPECT_EQ(surfaces.distances(charges, 3, 1, {})->surface().probe(), 3);
}

class SurfaceOnInstructionSet : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override {
    if ((hwy::SupportedTargets() & GetParam()) == 0) GTEST_SKIP() << "this machine cannot run it";
    hwy::GetChosenTarget().Update(GetParam());
  }
  void TearDown() override { hwy::GetChosenTarget().DeInit(); }  // back to the best one
};

/// Around a ball of radius 3 at 0: some far enough to leave it alone, one that holds another.
BallsAround around(int count, std::uint64_t seed) {
  Random random(seed, 0);
  BallsAround others;
  for (int i = 0; i < count; ++i) {
    const auto at = [&] { return 8 * random.uniform() - 4; };
    others.add({at(), at(), at()}, 2 + random.uniform());
  }
  return others;
}

bool covered(const Vector3d& place, const BallsAround& others) {
  for (std::size_t n = 0; n < others.size(); ++n) {
    if ((place - Vector3d(others.x[n], others.y[n], others.z[n])).norm() < others.radius[n]) return true;
  }
  return false;
}

/// No circle is given up that has a free place; and where places are covered deeply all over, the ball is buried.
TEST_P(SurfaceOnInstructionSet, DirectionsMissNothingThatIsFree) {
  constexpr double radius = 3;
  const auto dots = dots_on_sphere(5000);
  int free_balls = 0, buried_balls = 0, given_up = 0;
  for (int n = 0; n < 120; n += 3) {
    auto others = around(n, static_cast<std::uint64_t>(n));
    if (n % 2 == 1) others.add({1e5 + 1 + 0.01 * n, 0, 0}, 1e5);  // almost a plane
    ExposedDirections exposed;
    exposed.find(radius, others);
    bool any_free = false;
    for (const Vector3d& dot : dots) any_free = any_free || !covered(radius * dot, others);
    free_balls += any_free;
    if (any_free) {
      ASSERT_FALSE(exposed.none()) << n;
    } else {
      buried_balls += exposed.none();
    }
    Random random(99, static_cast<std::uint64_t>(n));
    for (int c = 0; c < 60; ++c) {
      const Vector3d axis =
          Vector3d(random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5).normalized();
      const double cosine = c == 0 ? 1 : c == 1 ? -1 : 2 * random.uniform() - 1;
      const Vector3d e1 = axis.unitOrthogonal(), e2 = axis.cross(e1);
      bool free = false;
      for (int i = 0; i < 360; ++i) {
        const double angle = i * std::numbers::pi / 180;
        free = free || !covered(radius * (cosine * axis + std::sqrt(1 - cosine * cosine) *
                                                              (std::cos(angle) * e1 + std::sin(angle) * e2)),
                                others);
      }
      if (free) {
        EXPECT_TRUE(exposed.may_reach(axis, cosine)) << n << ": " << axis.transpose() << ", " << cosine;
      } else {
        given_up += !exposed.may_reach(axis, cosine);
      }
    }
  }
  EXPECT_GT(free_balls, 10);
  EXPECT_GT(buried_balls, 5);
  EXPECT_GT(given_up, 500);
}

TEST_P(SurfaceOnInstructionSet, CutsOfACircleAreWhereBallsCoverIt) {
  for (int n = 0; n < 30; ++n) {
    Random random(7, static_cast<std::uint64_t>(n));
    auto others = around(n, static_cast<std::uint64_t>(100 + n));
    const Vector3d axis =
        Vector3d(random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5).normalized();
    const Circle circle{.centre = 2 * random.uniform() * axis,
                        .e1 = axis.unitOrthogonal(),
                        .e2 = axis.cross(axis.unitOrthogonal()),
                        .radius = 0.5 + 2 * random.uniform()};
    const auto at = [&](double angle) -> Vector3d {
      return circle.centre + circle.radius * (std::cos(angle) * circle.e1 + std::sin(angle) * circle.e2);
    };
    const BallsAround alone = others;
    others.fill_up();
    std::vector<double> from(others.size()), to(others.size());
    const std::size_t cuts = circle_cuts(others, circle, from.data(), to.data());
    ExposedCircle exposed;
    exposed.expose_all();
    if (cuts == covers_all) exposed.cover(0, ExposedCircle::turn);
    for (std::size_t cut = 0; cut < cuts && cuts != covers_all; ++cut) exposed.cover(from[cut], to[cut]);
    for (int i = 0; i < 3600; ++i) {
      const double angle = (i + 0.5) * std::numbers::pi / 1800;
      bool in_part = false, at_end = false;
      for (const auto& [low, high] : exposed.joined()) {
        const double first = ExposedCircle::angle_of(low), last = ExposedCircle::angle_of(high);
        for (const double turned : {angle, angle + 2 * std::numbers::pi}) {
          in_part = in_part || (turned > first && turned < last);
          at_end = at_end || std::abs(turned - first) < 1e-6 || std::abs(turned - last) < 1e-6;
        }
      }
      if (!at_end) {
        ASSERT_EQ(in_part, !covered(at(angle), alone)) << n << ": " << angle;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SurfaceOnInstructionSet,
                         testing::Values(HWY_SSSE3, HWY_SSE4, HWY_AVX2, HWY_AVX3, HWY_NEON, HWY_EMU128),
                         [](const auto& each) { return std::string(hwy::TargetName(each.param)); });

TEST(ExposedCircle, NumbersRiseWithTheAngle) {
  double before = -1;
  for (int i = 0; i < 3600; ++i) {
    const double angle = i * std::numbers::pi / 1800;
    const double number = ExposedCircle::number_of(3 * std::cos(angle), 3 * std::sin(angle));
    EXPECT_GT(number, before);
    EXPECT_NEAR(ExposedCircle::angle_of(number), angle, 1e-12);
    before = number;
  }
  EXPECT_LT(before, ExposedCircle::turn);
  EXPECT_NEAR(ExposedCircle::angle_of(ExposedCircle::turn + 1), 2.5 * std::numbers::pi, 1e-12);
}

}  // namespace
}  // namespace isolume::electrostatics

#include "app/labs/nbody/body_lines.h"

#include <cmath>

#include <gtest/gtest.h>

#include "app/scene/props/points_drawing.h"

namespace isolume::labs::nbody {
namespace {

using isolume::nbody::BodyLabels;
using isolume::nbody::NBodyFrame;

std::shared_ptr<NBodyFrame> frame_of(const std::vector<Eigen::Vector3d>& places,
                                     const Eigen::Vector3d& centre = {0, 0, 0}) {
  auto frame = std::make_shared<NBodyFrame>();
  auto labels = std::make_shared<BodyLabels>();
  std::vector<float> positions, speeds;
  labels->origins = {"bodies"};
  frame->centre = centre;
  for (std::size_t i = 0; i < places.size(); ++i) {
    labels->mass.push_back(1);
    labels->id.push_back(10 + i);
    labels->origin.push_back(0);
    for (int axis = 0; axis < 3; ++axis)
      positions.push_back(static_cast<float>(places[i][axis] - centre[axis]));
    speeds.push_back(static_cast<float>(i));
  }
  frame->positions = std::move(positions);
  frame->speeds = std::move(speeds);
  frame->labels = labels;
  return frame;
}

/// Of one line.
std::vector<Eigen::Vector3f> places_of(const scene::LineSet& lines, std::size_t line) {
  std::vector<Eigen::Vector3f> places;
  const std::size_t end = line + 1 < lines.starts.size() ? lines.starts[line + 1] : lines.colours.size();
  for (std::size_t i = lines.starts[line]; i < end; ++i) places.emplace_back(&lines.places[3 * i]);
  return places;
}

TEST(BodyLines, TrailsGoBackWhereBodiesWere) {
  BodiesRequest request{.frame = frame_of({{1, 0, 0}, {0, 5, 0}}, {100, 0, 0}), .look = {}};
  request.history = {frame_of({{2, 0, 0}, {0, 6, 0}}, {50, 0, 0}),
                     frame_of({{3, 1, 0}, {0, 7, 0}}, {0, 0, 0})};
  request.look.trails = Trails::body;
  request.look.body = 10;
  const Extent extent{.middle = {0, -1, 0}};
  EXPECT_TRUE(lines_of(request, extent, std::nullopt, {})->starts.empty()) << "no body is chosen";
  const auto one = lines_of(request, extent, 0, {});
  ASSERT_EQ(one->starts.size(), 1U);
  const auto path = places_of(*one, 0);
  ASSERT_EQ(path.size(), 3U);
  EXPECT_LT((path[0] - Eigen::Vector3f(1, 1, 0)).norm(), 1e-5);
  EXPECT_LT((path[1] - Eigen::Vector3f(2, 1, 0)).norm(), 1e-5);
  EXPECT_LT((path[2] - Eigen::Vector3f(3, 2, 0)).norm(), 1e-5);
  EXPECT_GT(one->colours[0][3], one->colours[2][3]) << "older parts fade";
  request.look.trails = Trails::all;
  const std::vector<std::uint32_t> both{0, 1}, second{1};
  EXPECT_EQ(lines_of(request, extent, std::nullopt, both)->starts.size(), 2U);
  const auto of_second = lines_of(request, extent, std::nullopt, second);
  ASSERT_EQ(of_second->starts.size(), 1U) << "the other one is not seen";
  EXPECT_NEAR(places_of(*of_second, 0)[0].y(), 6, 1e-5);
}

/// A planet at the pericentre of an ellipse of semi-major axis 2 and eccentricity 0.5 about a mass of 1.
TEST(BodyLines, AnOrbitIsKeplersEllipse) {
  BodiesRequest request{.frame = frame_of({{0, 0, 0}, {1, 0, 0}}), .look = {}};
  auto frame = std::make_shared<NBodyFrame>(*request.frame);
  auto labels = std::make_shared<BodyLabels>(*frame->labels);
  labels->mass = {1, 0};
  labels->origins = {"star", "planet"};
  labels->origin = {0, 1};
  frame->labels = labels;
  frame->velocities = std::vector<float>{0, 0, 0, 0, 0, std::sqrt(1.5F)};
  request.frame = frame;
  const auto named = isolume::nbody::named_bodies(*labels);
  ASSERT_EQ(named.size(), 2U);
  EXPECT_EQ(named[1].name, "planet");
  const Extent extent{.middle = {0, 10, 0}};
  const auto lines = lines_of(request, extent, std::nullopt, {}, named);
  ASSERT_EQ(lines->starts.size(), 1U) << "nothing binds the star";
  for (const auto& place : places_of(*lines, 0)) {
    const double x = place.x() + 1, y = place.y() + 10, z = place.z();  // from the middle of the ellipse
    EXPECT_NEAR(y, 0, 1e-5);
    EXPECT_NEAR(x * x / 4 + z * z / 3, 1, 1e-5);
  }
  request.look.orbits = false;
  EXPECT_EQ(lines_of(request, extent, std::nullopt, {}, named), nullptr);
}

TEST(BodySizes, CompressedRadiiAreCubeRoots) {
  auto labels = std::make_shared<BodyLabels>();
  labels->mass = {1, 1, 1};
  labels->id = {1, 2, 3};
  labels->origin = {0, 0, 0};
  labels->origins = {"bodies"};
  labels->radius = {8, 1, 0.064};
  bodies::BodiesLook look;
  const auto steady = bodies::steady_bodies(labels, look);
  EXPECT_EQ(steady->sizes, bodies::Sizes::compressed) << "radii are known";
  ASSERT_EQ(steady->volumes.size(), 3U);
  const double drawn[]{1, 0.5, 0.2};  // of the largest
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(std::cbrt(steady->volumes[i]), drawn[i], 1e-6);
  look.sizes = bodies::Sizes::to_scale;
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(std::cbrt(bodies::steady_bodies(labels, look, steady)->volumes[i]), labels->radius[i], 1e-6);
  look.sizes = bodies::Sizes::light;
  EXPECT_TRUE(bodies::steady_bodies(labels, look, steady)->volumes.empty());
  // The mean of the cubes is that of points.vert.
  const auto sphere = bodies::sphere_look(*steady, {}, 0.3);
  EXPECT_NEAR(sphere.radius, 0.3 * std::cbrt((1 + 0.125 + 0.008) / 3), 1e-6);
  const std::vector<float> places{0, 0, 0, 3, 0, 0, 3, 0.5F, 0};
  EXPECT_NEAR(bodies::largest_sphere(places, 10), 0.4 * 0.5, 1e-6);
}

TEST(BodyLines, TheFirstBoxHoldsAllBodiesAndTheNextOnesThoseOfTheirCells) {
  std::vector<Eigen::Vector3d> places;
  for (int i = 0; i < 400; ++i) {  // two heaps, in opposite octants
    const double side = i % 2 == 0 ? 1 : -1;
    places.emplace_back(side * (3 + std::sin(i)), side * (3 + std::sin(2.0 * i)),
                        side * (3 + std::sin(3.0 * i)));
  }
  BodiesRequest request{.frame = frame_of(places), .look = {}};
  request.look.tree_levels = 1;
  const auto boxes = [&] {
    const auto lines = lines_of(request, {}, std::nullopt, {});
    std::vector<Eigen::AlignedBox3f> found;
    for (std::size_t i = 0; i < lines->starts.size(); i += 4) {
      found.emplace_back();
      for (const auto& each : places_of(*lines, i)) found.back().extend(each);
    }
    return found;
  };
  Eigen::AlignedBox3f all;
  for (const auto& each : places) all.extend(each.cast<float>());
  ASSERT_EQ(boxes().size(), 1U);
  EXPECT_TRUE(boxes()[0].isApprox(all, 1e-4F));
  request.look.tree_levels = 2;
  const auto two = boxes();
  ASSERT_EQ(two.size(), 3U) << "all, and two octants";
  for (const std::size_t i : {1U, 2U}) {
    Eigen::AlignedBox3f heap;
    for (const auto& each : places) {
      if (two[i].center().x() * each.x() > 0) heap.extend(each.cast<float>());
    }
    EXPECT_TRUE(two[i].isApprox(heap, 1e-4F)) << i;
  }
}

TEST(BodyLines, APeriodicBoxIsDrawnAndTrailsEndAtItsSides) {
  const auto in_box = [](const Eigen::Vector3d& place) {
    auto frame = frame_of({place}, {5, 5, 5});
    auto labels = std::make_shared<BodyLabels>(*frame->labels);
    labels->box = isolume::nbody::ComovingBox{10, {}};
    frame->labels = labels;
    return frame;
  };
  BodiesRequest request{.frame = in_box({0.5, 5, 5}), .look = {}};
  const Extent extent{.middle = {5, 5, 5}};
  const auto edges = lines_of(request, extent, std::nullopt, {});
  ASSERT_EQ(edges->starts.size(), 4U);
  Eigen::AlignedBox3f box;
  for (std::size_t i = 0; i < 4; ++i) {
    for (const auto& each : places_of(*edges, i)) box.extend(each);
  }
  EXPECT_TRUE(
      box.isApprox(Eigen::AlignedBox3f(Eigen::Vector3f(-5, -5, -5), Eigen::Vector3f(5, 5, 5)), 1e-5F));
  // It came in from the other side two moments ago.
  request.history = {in_box({0.1, 5, 5}), in_box({9.7, 5, 5}), in_box({9.3, 5, 5})};
  request.look.trails = Trails::body;
  const auto lines = lines_of(request, extent, 0, {});
  ASSERT_EQ(lines->starts.size(), 6U) << "two parts of a trail";
  EXPECT_EQ(places_of(*lines, 4).size(), 2U);
  EXPECT_EQ(places_of(*lines, 5).size(), 2U);
}

TEST(BodiesDrawing, KnowsTheChosenBodyAndWhatTheCameraFollows) {
  BodiesRequest request{.frame = frame_of({{1, 0, 0}, {4, 5, 6}}, {2, 2, 2}), .look = {}};
  request.extent = Extent{.middle = {1, 1, 1}, .radius = 3};
  EXPECT_FALSE(draw_bodies(request).chosen);
  request.look.body = 11;
  request.look.follow = Follow::body;
  const auto chosen = draw_bodies(request);
  EXPECT_EQ(chosen.chosen, 1U);
  EXPECT_LT((chosen.followed.value() - Eigen::Vector3d(3, 4, 5)).norm(), 1e-6);
  request.look.follow = Follow::centre_of_mass;
  EXPECT_LT((draw_bodies(request).followed.value() - Eigen::Vector3d(1, 1, 1)).norm(), 1e-12)
      << "the frame's centre is that of mass";
  request.look.body = 99;
  EXPECT_FALSE(draw_bodies(request).chosen);
}

TEST(BodiesDrawing, ABodyMayHaveTheNumber0) {
  auto frame = std::make_shared<NBodyFrame>(*frame_of({{1, 0, 0}, {4, 5, 6}}, {2, 2, 2}));
  auto labels = std::make_shared<BodyLabels>(*frame->labels);
  labels->id = {7, 0};
  frame->labels = labels;
  BodiesRequest request{.frame = frame, .look = {}};
  EXPECT_FALSE(draw_bodies(request).chosen) << "none, unless one is";
  request.look.body = 0;
  EXPECT_EQ(draw_bodies(request).chosen, 1U);
}

TEST(BodiesDrawing, SurfaceDensityEndsAtTheDensestSquares) {
  // A thin even sheet of 4 by 4: 65536 bodies of mass 1.
  std::vector<Eigen::Vector3d> places;
  for (int i = 0; i < 256; ++i) {
    for (int k = 0; k < 256; ++k) places.emplace_back(-2 + (i + 0.5) / 64, -2 + (k + 0.5) / 64, 0);
  }
  BodiesRequest request{.frame = frame_of(places), .look = {}};
  request.extent = Extent{.radius = 2};
  request.look.surface_density = true;
  const auto drawing = draw_bodies(request);
  ASSERT_TRUE(drawing.points->surface_density);
  const auto [low, high] = *drawing.points->surface_density;
  EXPECT_NEAR(high / low, 1e4, 1);
  // From the side, cells of 4 / 128 hold 65536 / 128 bodies.
  const double densest = 65536.0 / 128 / std::pow(4.0 / 128, 2);
  EXPECT_GE(high, densest * 0.999);
  EXPECT_LE(high, densest * 2.5) << "the next round number";
  request.look.exposure = 10;
  request.extent = drawing.extent;
  EXPECT_NEAR((*draw_bodies(request).points->surface_density)[1], high / 10, 1e-3 * high);
}

}  // namespace
}  // namespace isolume::labs::nbody

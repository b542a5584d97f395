#include "app/scene/surfaces/triangle_order.h"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

namespace isolume::scene {
namespace {

using Eigen::Vector3f;

/// Points anywhere within 5 of the origin, any three of them a triangle.
struct Mesh {
  std::vector<float> points;
  std::vector<long long> triangles;

  Mesh(unsigned seed, std::size_t point_count, std::size_t triangle_count) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < 3 * point_count; ++i)
      points.push_back(static_cast<float>(random() % 10001) / 1000 - 5);
    for (std::size_t i = 0; i < 3 * triangle_count; ++i)
      triangles.push_back(static_cast<long long>(random() % point_count));
  }
  operator TriangleMesh() const { return {points, triangles}; }
  Vector3f point(std::size_t i) const { return Eigen::Map<const Vector3f>(points.data() + 3 * i); }
};

/// Of a triangle given by its corners' numbers among both meshes' points.
double depth_of(const std::array<std::uint32_t, 3>& corners, const Mesh& first, const Mesh& second,
                const Viewpoint& from) {
  const std::size_t points_of_first = first.points.size() / 3;
  double depth = 0;
  for (const std::size_t corner : corners) {
    const Vector3f place =
        corner < points_of_first ? first.point(corner) : second.point(corner - points_of_first);
    depth += from.parallel ? from.place.dot(place) : (place - from.place).norm();
  }
  return depth / 3;
}

std::vector<std::array<std::uint32_t, 3>> in_threes(const std::vector<std::uint32_t>& corners) {
  std::vector<std::array<std::uint32_t, 3>> result;
  for (std::size_t i = 0; i < corners.size(); i += 3)
    result.push_back({corners[i], corners[i + 1], corners[i + 2]});
  return result;
}

TEST(TriangleOrder, IsFromFarToNearOverBothMeshes) {
  const Mesh first(1, 4000, 250'000);  // enough for several threads
  const Mesh second(2, 300, 1000);
  const std::array<TriangleMesh, 2> meshes{first, second};
  for (const auto& from : {Viewpoint{true, Vector3f(0.6F, 0, 0.8F)}, Viewpoint{false, Vector3f(7, -20, 3)},
                           Viewpoint{false, Vector3f(1, 0.5F, 0)}}) {
    const auto order = in_threes(back_to_front(meshes, from));
    ASSERT_EQ(order.size(), 251'000U);
    double before = 1e30;
    for (const auto& corners : order) {
      const double depth = depth_of(corners, first, second, from);
      ASSERT_LT(depth, before + 17.4 / 16000) << "the depths of this cube differ by 17.4 at most";
      before = depth;
    }
    // Each triangle is there, once.
    std::multiset<std::array<std::uint32_t, 3>> expected;
    const auto add = [&](const Mesh& mesh, std::uint32_t first_point) {
      for (std::size_t i = 0; i < mesh.triangles.size(); i += 3) {
        std::array<std::uint32_t, 3> corners{};
        for (std::size_t k = 0; k < 3; ++k)
          corners[k] = static_cast<std::uint32_t>(mesh.triangles[i + k]) + first_point;
        expected.insert(corners);
      }
    };
    add(first, 0);
    add(second, 4000);
    EXPECT_EQ(std::multiset(order.begin(), order.end()), expected);
  }
}

TEST(TriangleOrder, IsTheSameOnAnyNumberOfThreads) {
  const Mesh mesh(3, 5000, 300'000);
  const std::array<TriangleMesh, 1> meshes{mesh};
  const Viewpoint from{false, Vector3f(0, 0, 30)};
  const auto order = back_to_front(meshes, from);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_EQ(back_to_front(meshes, from), order);
}

TEST(TriangleOrder, IsEmptyWithoutTrianglesAndKeptWhereAllAreEquallyFar) {
  EXPECT_TRUE(back_to_front({}, {}).empty());
  Mesh flat(4, 100, 50);
  for (std::size_t i = 2; i < flat.points.size(); i += 3) flat.points[i] = 1;
  const std::array<TriangleMesh, 1> meshes{flat};
  const auto order = back_to_front(meshes, {true, Vector3f::UnitZ()});
  EXPECT_TRUE(std::equal(order.begin(), order.end(), flat.triangles.begin(), flat.triangles.end()));
}

}  // namespace
}  // namespace isolume::scene

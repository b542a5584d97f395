#include "core/surfaces/mesh_quality.h"

#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

namespace isolume::surfaces {
namespace {

using Eigen::Vector3d;

/// A ball of radius 10 of latitudes and longitudes, whose points are moved along it at random.
TriangleMesh ball(int rows, double disorder) {
  TriangleMesh mesh;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> shift(-disorder, disorder);
  const int columns = 2 * rows;
  const auto add = [&](double theta, double phi) {
    mesh.points.push_back(
        10 * Vector3d(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)));
  };
  add(0, 0);
  for (int i = 1; i < rows; ++i) {
    for (int j = 0; j < columns; ++j)
      add(std::numbers::pi * (i + shift(random)) / rows,
          2 * std::numbers::pi * (j + shift(random)) / columns);
  }
  add(std::numbers::pi, 0);
  const auto at = [&](int i, int j) {
    return static_cast<std::uint32_t>(1 + (i - 1) * columns + j % columns);
  };
  const auto last = static_cast<std::uint32_t>(mesh.points.size() - 1);
  for (int j = 0; j < columns; ++j) {
    mesh.triangles.push_back({0, at(1, j), at(1, j + 1)});
    for (int i = 1; i + 1 < rows; ++i) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
    mesh.triangles.push_back({last, at(rows - 1, j + 1), at(rows - 1, j)});
  }
  return mesh;
}

double volume_of(const TriangleMesh& mesh) {
  double volume = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    volume += mesh.points[a].dot(mesh.points[b].cross(mesh.points[c])) / 6;
  return volume;
}

TEST(MeshQuality, RadiusRatioIsThatOfTheCircles) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> value(-1, 1);
  for (int i = 0; i < 200; ++i) {
    const auto point = [&] { return Vector3d(value(random), value(random), value(random)); };
    const Vector3d a = point(), b = point(), c = point();
    // The centre of the circumscribed circle is as far from all corners; that of the inscribed one is weighted by edges.
    const Vector3d u = b - a, v = c - a, w = u.cross(v);
    const Vector3d to_centre =
        (v.squaredNorm() * w.cross(u) + u.squaredNorm() * v.cross(w)) / (2 * w.squaredNorm());
    EXPECT_NEAR((to_centre - u).norm(), to_centre.norm(), 1e-9);
    const double l = (b - c).norm(), m = v.norm(), n = u.norm();
    const Vector3d inner = (l * a + m * b + n * c) / (l + m + n);
    const double inner_radius = (inner - a).cross(u).norm() / n;
    EXPECT_NEAR(radius_ratio(a, b, c), 2 * inner_radius / to_centre.norm(), 1e-9);
  }
  EXPECT_NEAR(radius_ratio({0, 0, 0}, {1, 0, 0}, {0.5, std::sqrt(0.75), 0}), 1, 1e-12);
  EXPECT_EQ(radius_ratio({0, 0, 0}, {1, 0, 0}, {2, 0, 0}), 0);
}

TEST(MeshQuality, TrianglesOfABallImproveOnTheBall) {
  const TriangleMesh before = ball(24, 0.3);
  TriangleMesh mesh = before;
  const MeshImprovement found = improve(mesh, 5, 1.5);
  EXPECT_EQ(found.locked, 0U);
  EXPECT_GT(found.after.least, 3 * found.before.least);
  EXPECT_GT(found.after.mean, found.before.mean);
  EXPECT_LE(found.largest_move, 1.5);
  // Chords of an edge of 10 * pi / 24 lie 0.02 within the ball; points stay nearer to it, and so does the volume.
  for (const Vector3d& each : mesh.points) EXPECT_NEAR(each.norm(), 10, 0.05);
  EXPECT_NEAR(volume_of(mesh), volume_of(before), 0.005 * volume_of(before));
  // By brute force: no triangle is worse than the worst one was.
  double least = 1;
  for (const auto& [a, b, c] : mesh.triangles)
    least = std::min(least, radius_ratio(mesh.points[a], mesh.points[b], mesh.points[c]));
  EXPECT_EQ(least, found.after.least);
}

TEST(MeshQuality, NoPassLowersTheLeastRatio) {
  TriangleMesh mesh = ball(16, 0.4);
  double least = quality_of(mesh).least;
  for (int pass = 0; pass < 6; ++pass) {
    improve(mesh, 1, 10);
    const double now = quality_of(mesh).least;
    EXPECT_GE(now, least);
    least = now;
  }
}

TEST(MeshQuality, BordersAndEdgesOfSeveralSheetsStay) {
  // A square around a point, of which only the point inside may move, and not in its second copy with a third sheet.
  TriangleMesh mesh{{{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {3, 3, 0}},
                    {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}};
  TriangleMesh sheets = mesh;
  sheets.points.push_back({3, 3, 3});
  sheets.triangles.push_back({2, 5, 4});
  const MeshImprovement of_mesh = improve(mesh, 10, 10), of_sheets = improve(sheets, 10, 10);
  EXPECT_EQ(of_mesh.locked, 4U);
  EXPECT_NEAR((mesh.points[4] - Vector3d(2, 2, 0)).norm(), 0,
              0.1);  // the least ratio is greatest in the middle
  EXPECT_EQ(of_sheets.locked, 6U);
  EXPECT_EQ(sheets.points[4], Vector3d(3, 3, 0));
}

TEST(MeshQuality, ThreadsDoNotChangeBits) {
  TriangleMesh one = ball(20, 0.4), three = one;
  tbb::task_arena(1).execute([&] { improve(one, 3, 1); });
  tbb::task_arena(3).execute([&] { improve(three, 3, 1); });
  EXPECT_EQ(one.points, three.points);
}

}  // namespace
}  // namespace isolume::surfaces

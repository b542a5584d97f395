// Surfaces as currents: distances, their derivatives, and surfaces of labels.
#include "core/anatomy/currents.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/base/error.h"

namespace isolume::anatomy {
namespace {

using Eigen::Vector3d;
constexpr double pi = std::numbers::pi;

/// A sphere of 8 * 4^divisions triangles.
Surface sphere(double radius, int divisions, const Vector3d& centre = Vector3d::Zero()) {
  Surface surface{
      .points = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
      .triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
  for (int i = 0; i < divisions; ++i) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [found, is_new] =
          middles.emplace(std::minmax(a, b), static_cast<std::uint32_t>(surface.points.size()));
      if (is_new) surface.points.push_back((surface.points[a] + surface.points[b]).normalized());
      return found->second;
    };
    std::vector<std::array<std::uint32_t, 3>> finer;
    for (const auto& [a, b, c] : surface.triangles) {
      const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    surface.triangles = std::move(finer);
  }
  for (Vector3d& each : surface.points) each = centre + radius * each;
  return surface;
}

Surface reversed(Surface surface) {
  for (auto& each : surface.triangles) std::swap(each[1], each[2]);
  return surface;
}

double distance_of(const Surface& a, const Surface& b, double width, CurrentsMethod method) {
  return CurrentsDistance(a, b, width, method).measure(a.points, nullptr);
}

/// The product of two currents as the definition has it.
double product(const Surface& a, const Surface& b, double width) {
  double sum = 0;
  for (const auto& f : a.triangles) {
    for (const auto& g : b.triangles) {
      const auto centre = [](const Surface& s, const auto& t) {
        return Vector3d((s.points[t[0]] + s.points[t[1]] + s.points[t[2]]) / 3);
      };
      const auto normal = [](const Surface& s, const auto& t) {
        return Vector3d(0.5 * (s.points[t[1]] - s.points[t[0]]).cross(s.points[t[2]] - s.points[t[0]]));
      };
      sum += normal(a, f).dot(normal(b, g)) *
             std::exp(-(centre(a, f) - centre(b, g)).squaredNorm() / (2 * width * width));
    }
  }
  return sum;
}

TEST(Currents, AgreeWithAllPairs) {
  const Surface a = sphere(12, 3, {3, -2, 40}), b = sphere(9, 3, {0, 1, 44});
  for (const double width : {2.0, 5.0, 11.0}) {
    const double aa = product(a, a, width), ab = product(a, b, width), bb = product(b, b, width);
    CurrentsDistance pairs(a, b, width, CurrentsMethod::pairs), mesh(a, b, width, CurrentsMethod::mesh);
    EXPECT_NEAR(pairs.scale(), aa + bb, 1e-9 * (aa + bb));
    EXPECT_NEAR(pairs.measure(a.points, nullptr), aa - 2 * ab + bb, 1e-9 * (aa + bb));
    EXPECT_NEAR(mesh.scale(), aa + bb, 1e-4 * (aa + bb)) << width;
    EXPECT_NEAR(mesh.measure(a.points, nullptr), aa - 2 * ab + bb, 1e-4 * (aa + bb)) << width;
  }
}

/// The squared length of a sphere's current, and the product of two about one centre, are integrals over the cosine u of the angle:
/// 8 pi^2 R^2 S^2 exp(-(R - S)^2 / (2 w^2)) times that of u exp(-b (1 - u)) with b = R S / w^2.
TEST(Currents, SpheresHaveTheirAnalyticDistance) {
  constexpr double r = 20, s = 17, width = 4;
  const auto expected = [&](double a, double b) {
    const double p = a * b / (width * width);
    const double integral = 1 / p - 1 / (p * p) + std::exp(-2 * p) * (1 / p + 1 / (p * p));
    return 8 * pi * pi * a * a * b * b * std::exp(-(a - b) * (a - b) / (2 * width * width)) * integral;
  };
  const Surface a = sphere(r, 5), b = sphere(s, 5);
  CurrentsDistance distance(a, b, width);
  EXPECT_EQ(distance.method(), CurrentsMethod::mesh);
  const double scale = expected(r, r) + expected(s, s);
  EXPECT_NEAR(distance.scale(), scale, 5e-3 * scale);
  EXPECT_NEAR(distance.measure(a.points, nullptr), scale - 2 * expected(r, s), 5e-3 * scale);
}

TEST(Currents, SameSurfacesHaveNoDistanceAndReversedOnesTwiceTheLength) {
  const Surface a = sphere(10, 3);
  for (const CurrentsMethod method : {CurrentsMethod::pairs, CurrentsMethod::mesh}) {
    CurrentsDistance same(a, a, 3, method);
    EXPECT_LT(same.measure(a.points, nullptr), 1e-10 * same.scale());
    CurrentsDistance other(a, reversed(a), 3, method);
    EXPECT_NEAR(other.measure(a.points, nullptr), 2 * other.scale(), 1e-5 * other.scale());
    EXPECT_NEAR(other.scale(), same.scale(), 1e-5 * same.scale());
    // A surface of triangles of other sizes is nearly the same current.
    EXPECT_LT(distance_of(sphere(10, 4), sphere(10, 3), 6, method), 2e-3 * same.scale());
    // Far apart, nothing is in common.
    const Surface far = sphere(10, 3, {60, 0, 0});
    CurrentsDistance apart(a, far, 3, method);
    EXPECT_NEAR(apart.measure(a.points, nullptr), apart.scale(), 1e-5 * apart.scale());
  }
}

TEST(Currents, GradientIsThatOfFiniteDifferences) {
  Surface a = sphere(10, 2, {1, 2, 3});
  for (std::size_t i = 0; i < a.points.size(); ++i)
    a.points[i] *= 1 + 0.1 * std::sin(static_cast<double>(3 * i));
  const Surface b = sphere(8, 2, {2, 0, 4});
  for (const CurrentsMethod method : {CurrentsMethod::pairs, CurrentsMethod::mesh}) {
    CurrentsDistance distance(a, b, 4, method);
    std::vector<Vector3d> gradient;
    distance.measure(a.points, &gradient);
    double largest = 0;
    for (const Vector3d& each : gradient) largest = std::max(largest, each.norm());
    // Single precision on the mesh needs longer steps.
    const double step = method == CurrentsMethod::pairs ? 1e-4 : 2e-2;
    for (const std::size_t at : {0U, 7U, 31U, 65U}) {
      for (int axis = 0; axis < 3; ++axis) {
        std::vector<Vector3d> ahead = a.points, back = a.points;
        ahead[at][axis] += step;
        back[at][axis] -= step;
        const double slope =
            (distance.measure(ahead, nullptr) - distance.measure(back, nullptr)) / (2 * step);
        EXPECT_NEAR(gradient[at][axis], slope, (method == CurrentsMethod::pairs ? 1e-6 : 2e-3) * largest)
            << at << ", " << axis;
      }
    }
  }
}

TEST(Currents, SimplifiedSurfacesAreTheSameForWideKernels) {
  const Surface fine = sphere(20, 5, {3, 0, 0}), coarse = simplified(fine, 4);
  EXPECT_LT(3 * coarse.triangles.size(), fine.triangles.size());
  CurrentsDistance distance(coarse, fine, 10);
  EXPECT_LT(distance.measure(coarse.points, nullptr), 2e-3 * distance.scale());
  EXPECT_EQ(simplified(fine, 1e-6).triangles, fine.triangles);
}

TEST(Currents, ResultsDoNotDependOnThreads) {
  const Surface a = sphere(20, 3, {1, 0, 0}), b = sphere(19, 3);
  const auto on = [&](int threads, CurrentsMethod method) {
    std::vector<Vector3d> gradient;
    tbb::task_arena(threads).execute([&] {
      CurrentsDistance distance(a, b, 5, method);
      gradient.push_back({distance.measure(a.points, &gradient), distance.scale(), 0});
    });
    return gradient;
  };
  EXPECT_EQ(on(1, CurrentsMethod::mesh), on(4, CurrentsMethod::mesh));
  EXPECT_EQ(on(1, CurrentsMethod::pairs), on(4, CurrentsMethod::pairs));
}

TEST(Currents, RefusesWhatHasNoDistance) {
  const Surface a = sphere(10, 1);
  EXPECT_THROW(CurrentsDistance(a, Surface(), 3), Error);
  EXPECT_THROW(CurrentsDistance(Surface(), a, 3), Error);
  EXPECT_THROW(CurrentsDistance(a, a, 0), Error);
  Surface bad = a;
  bad.points[0][1] = std::nan("");
  EXPECT_THROW(CurrentsDistance(a, bad, 3), Error);
}

Labels labels_where(const grid::Grid& grid, const auto& is_in) {
  Labels labels{.grid = grid, .values = {0, 7}, .indices = {}, .remarks = {}};
  for (int z = 0; z < grid.dimensions[2]; ++z) {
    for (int y = 0; y < grid.dimensions[1]; ++y) {
      for (int x = 0; x < grid.dimensions[0]; ++x) labels.indices.push_back(is_in(Vector3d(x, y, z)) ? 1 : 0);
    }
  }
  return labels;
}

double volume_of(const Surface& surface) {
  double volume = 0;
  for (const auto& [a, b, c] : surface.triangles)
    volume += surface.points[a].dot(surface.points[b].cross(surface.points[c])) / 6;
  return volume;
}

TEST(SurfaceOfLabels, IsClosedOutwardAndInPlace) {
  grid::Grid grid = grid::centred({5, -40, 100}, {40, 36, 30}, 1, grid::LengthUnit::millimetre);
  grid.step.col(2) *= 1.5;
  for (const bool is_mirrored : {false, true}) {
    if (is_mirrored) grid.step.col(0) *= -1;
    const Vector3d centre = grid.position(19, 17, 14);
    const Labels ball = labels_where(
        grid, [&](const Vector3d& index) { return (grid.position(index) - centre).norm() < 12; });
    const Surface surface = surface_of(ball, 7);
    EXPECT_NEAR(volume_of(surface), 4 * pi / 3 * std::pow(12, 3), 0.03 * 7238) << is_mirrored;
    EXPECT_LT(mesh_distances(surface, sphere(12, 5, centre)).mean, 0.2);
    EXPECT_LT(mesh_distances(surface, sphere(12, 5, centre)).greatest, 0.8);
  }
  EXPECT_TRUE(surface_of(labels_where(grid, [](const Vector3d&) { return true; }), 3).empty());
}

TEST(SurfaceOfLabels, OfBoxesHasFlatFacesAndClosesAtTheBorder) {
  const grid::Grid grid = grid::centred({0, 0, 0}, {8, 9, 10}, 2, grid::LengthUnit::millimetre);
  const Surface whole = surface_of(labels_where(grid, [](const Vector3d&) { return true; }), 7);
  Vector3d low = whole.points[0], high = low;
  for (const Vector3d& each : whole.points) {
    low = low.cwiseMin(each);
    high = high.cwiseMax(each);
  }
  EXPECT_LT((low - Vector3d(-8, -9, -10)).norm(), 1e-5);
  EXPECT_LT((high - Vector3d(8, 9, 10)).norm(), 1e-5);
  EXPECT_NEAR(volume_of(whole), 16 * 18 * 20, 0.05 * 16 * 18 * 20) << "less along its edges";
}

TEST(MeshDistances, OfSpheresIsTheDifferenceOfRadii) {
  const MeshDistances distances = mesh_distances(sphere(10, 4), sphere(12, 4));
  EXPECT_NEAR(distances.mean, 2, 0.02);
  EXPECT_NEAR(distances.greatest, 2, 0.05);
  const MeshDistances apart = mesh_distances(sphere(1, 4), sphere(1, 4, {10, 0, 0}));
  EXPECT_NEAR(apart.greatest, 10, 1e-9);
  EXPECT_THROW(mesh_distances(sphere(1, 1), Surface()), Error);
}

}  // namespace
}  // namespace isolume::anatomy

#include "core/surfaces/isosurface.h"

#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

namespace isolume::surfaces {
namespace {

using Eigen::Vector3d;

template <class Function>
grid::ScalarField sampled(const grid::Grid& grid, const Function& value) {
  grid::ScalarField field;
  field.grid = grid;
  std::vector<float> values;
  const auto& n = grid.dimensions;
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i) values.push_back(static_cast<float>(value(grid.position(i, j, k))));
    }
  }
  field.values = FieldValues(values.begin(), values.end());
  return field;
}

Vector3d vector(const std::vector<float>& of, std::size_t i) {
  return {of[3 * i], of[3 * i + 1], of[3 * i + 2]};
}

struct Measures {
  double area = 0, volume = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> sides;  ///< how often each directed side occurs
  double worst_turn = 1;  ///< the smallest cosine between a triangle's side and its points' normals
};
Measures measure(const Mesh& mesh) {
  Measures result;
  for (std::size_t t = 0; t < mesh.triangle_count(); ++t) {
    const std::uint32_t* corners = &mesh.triangles[3 * t];
    const Vector3d a = vector(mesh.points, corners[0]), b = vector(mesh.points, corners[1]),
                   c = vector(mesh.points, corners[2]);
    const Vector3d cross = (b - a).cross(c - a);
    result.area += 0.5 * cross.norm();
    result.volume += a.dot(b.cross(c)) / 6;
    for (int s = 0; s < 3; ++s) ++result.sides[{corners[s], corners[(s + 1) % 3]}];
    if (cross.norm() < 1e-9) continue;
    for (int s = 0; s < 3; ++s)
      result.worst_turn =
          std::min(result.worst_turn, cross.normalized().dot(vector(mesh.normals, corners[s])));
  }
  return result;
}

void expect_closed(const Measures& measures) {
  for (const auto& [side, times] : measures.sides) {
    EXPECT_EQ(times, 1);
    EXPECT_TRUE(measures.sides.contains({side.second, side.first}));
  }
}

grid::Grid slanted() {
  grid::Grid grid = grid::centred(Vector3d(0.2, -0.1, 0.3), {61, 55, 49}, 0.06, grid::LengthUnit::angstrom);
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  const Vector3d middle = grid.position(30, 27, 24);
  grid.step = turn * grid.step;
  grid.origin = middle - grid.step * Vector3d(30, 27, 24);
  return grid;
}

TEST(Isosurface, OfASphereHasItsAreaAndVolumeAndIsClosed) {
  const Vector3d centre(0.2, -0.1, 0.3);
  for (const bool mirrored : {false, true}) {
    grid::Grid grid = slanted();
    if (mirrored) {
      grid.origin += grid.step.col(0) * (grid.dimensions[0] - 1);
      grid.step.col(0) *= -1;
    }
    for (const double sign : {1.0, -1.0}) {
      const auto field =
          sampled(grid, [&](const Vector3d& p) { return sign * std::exp(-(p - centre).squaredNorm()); });
      const double radius = 1.1;
      const Mesh mesh = isosurface(field, sign * std::exp(-radius * radius));
      const Measures found = measure(mesh);
      constexpr double pi = std::numbers::pi;
      EXPECT_NEAR(found.area, 4 * pi * radius * radius, 0.01 * 4 * pi);
      EXPECT_NEAR(found.volume, 4 / 3.0 * pi * std::pow(radius, 3), 0.01 * 4)
          << "outwards, counter-clockwise";
      EXPECT_GT(found.worst_turn, 0.95);
      expect_closed(found);
      for (std::size_t i = 0; i < mesh.point_count(); ++i) {
        const Vector3d from = vector(mesh.points, i) - centre;
        EXPECT_NEAR(from.norm(), radius, 1e-3);
        EXPECT_GT(vector(mesh.normals, i).dot(from.normalized()), 0.999);
      }
    }
  }
}

TEST(Isosurface, IsInTheUnitThatScenesShow) {
  const auto bohr = grid::centred(Vector3d::Zero(), {41, 41, 41}, 0.1, grid::LengthUnit::bohr);
  const auto field = sampled(bohr, [](const Vector3d& p) { return 2 - p.norm(); });
  const Mesh mesh = isosurface(field, 0.5);
  ASSERT_GT(mesh.point_count(), 1000U);
  for (std::size_t i = 0; i < mesh.point_count(); ++i)
    EXPECT_NEAR(vector(mesh.points, i).norm(), 1.5 * 0.529177, 0.002);
}

TEST(Isosurface, LeavesOutCellsWithValuesThatAreNotFinite) {
  const auto cube = grid::centred(Vector3d::Zero(), {31, 31, 31}, 0.1, grid::LengthUnit::angstrom);
  const auto whole = sampled(cube, [](const Vector3d& p) { return 1 - p.norm(); });
  const auto half = sampled(cube, [](const Vector3d& p) {
    return p.z() > 0.05 ? std::numeric_limits<double>::quiet_NaN() : 1 - p.norm();
  });
  const Mesh mesh = isosurface(half, 0.2);
  EXPECT_NEAR(measure(mesh).area, 0.5 * measure(isosurface(whole, 0.2)).area, 0.1);
  for (const std::uint32_t corner : mesh.triangles) EXPECT_LT(mesh.points[3 * corner + 2], 0.05);
}

TEST(Isosurface, IsEmptyWhereThereIsNone) {
  const auto field = sampled(grid::centred(Vector3d::Zero(), {5, 5, 5}, 1, grid::LengthUnit::angstrom),
                             [](const Vector3d&) { return 1.0; });
  EXPECT_EQ(isosurface(field, 2).triangle_count(), 0U);
  EXPECT_EQ(isosurface(field, std::numeric_limits<double>::quiet_NaN()).triangle_count(), 0U);
  const auto flat = sampled(grid::centred(Vector3d::Zero(), {5, 1, 5}, 1, grid::LengthUnit::angstrom),
                            [](const Vector3d& p) { return p.x(); });
  EXPECT_EQ(isosurface(flat, 0.5).triangle_count(), 0U);
}

}  // namespace
}  // namespace isolume::surfaces

#include "app/scene/surfaces/surface.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <sstream>
#include <stop_token>
#include <string>

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <vtkCellArray.h>
#include <vtkDataArray.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkUnsignedCharArray.h>

#include "app/scene/files/ply_file.h"
#include "core/base/units.h"
#include "tests/app/scene/analytic_field.h"

namespace isolume::scene {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
struct Shape {
  std::string name;
  Matrix3d step_angstrom;  ///< columns
};

void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.name;
}

/// A grid of steps of about 0.1 angstrom, centred on a place, that reaches 3 angstrom each way.
grid::Grid grid_about(const Vector3d& centre, const Shape& shape) {
  grid::Grid grid;
  grid.dimensions = {61, 63, 65};
  grid.step = shape.step_angstrom * units::bohr_per_angstrom;
  grid.origin = centre * units::bohr_per_angstrom - grid.step * Vector3d(30, 31, 32);
  return grid;
}

std::vector<Shape> shapes() {
  const Matrix3d straight = Vector3d(0.1, 0.1, 0.1).asDiagonal();
  const Matrix3d uneven = Vector3d(0.11, 0.1, 0.09).asDiagonal();
  const Matrix3d rotation = Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  const Matrix3d mirror = Vector3d(1, 1, -1).asDiagonal();
  Matrix3d sheared = straight;
  sheared(0, 1) = 0.03;
  sheared(1, 2) = -0.02;
  return {{"Straight", straight},         {"Uneven", uneven},
          {"Rotated", rotation * uneven}, {"LeftHanded", mirror * straight},
          {"Sheared", sheared},           {"RotatedLeftHanded", rotation * mirror * uneven}};
}

Vector3d point(const Surface& surface, vtkIdType index) {
  Vector3d place;
  surface.mesh->GetPoint(index, place.data());
  return place;
}

Vector3d normal(const Surface& surface, vtkIdType index) {
  Vector3d direction;
  surface.mesh->GetPointData()->GetNormals()->GetTuple(index, direction.data());
  return direction;
}

/// By the divergence theorem; positive when the triangles run counter-clockwise seen from outside.
double enclosed_volume(const Surface& surface) {
  double volume = 0;
  const vtkIdType* corner = nullptr;
  vtkIdType size = 0;
  for (vtkIdType cell = 0; cell < surface.mesh->GetNumberOfPolys(); ++cell) {
    surface.mesh->GetPolys()->GetCellAtId(cell, size, corner);
    volume += point(surface, corner[0]).dot(point(surface, corner[1]).cross(point(surface, corner[2]))) / 6;
  }
  return volume;
}

class SurfaceOf : public ::testing::TestWithParam<Shape> {};

TEST_P(SurfaceOf, ASphereHasItsAreaVolumeAndNormals) {
  const Vector3d centre(0.5, -0.3, 0.2);
  const double radius = 2;
  const auto fall = [&](const Vector3d& place) { return std::exp(-(place - centre).squaredNorm() / 4); };
  for (const double sign : {1.0, -1.0}) {
    const auto field =
        sampled(grid_about(centre, GetParam()), [&](const Vector3d& p) { return sign * fall(p); });
    const auto lobes = contour(field, std::exp(-radius * radius / 4), true);
    const Surface& surface = sign > 0 ? lobes.positive : lobes.negative;
    EXPECT_TRUE((sign > 0 ? lobes.negative : lobes.positive).empty());
    ASSERT_FALSE(surface.empty());
    // A polyhedron of edges h inscribed in a sphere misses about (h/R)^2/8, 3e-4 here, of area and volume.
    EXPECT_NEAR(surface.area, 4 * std::numbers::pi * radius * radius, 2e-3 * 50);
    EXPECT_NEAR(enclosed_volume(surface), 4 * std::numbers::pi / 3 * std::pow(radius, 3), 2e-3 * 33.5);
    for (vtkIdType i = 0; i < surface.mesh->GetNumberOfPoints(); ++i) {
      const Vector3d outward = (point(surface, i) - centre).normalized();
      ASSERT_NEAR((point(surface, i) - centre).norm(), radius, 2e-3);
      ASSERT_NEAR(normal(surface, i).norm(), 1, 1e-5);
      // Central differences at h = 0.1 of a Gaussian of width 2: an angle below half a degree.
      ASSERT_GT(normal(surface, i).dot(outward), std::cos(0.5 / 180 * std::numbers::pi));
    }
  }
}

TEST(Surface, OfAGridInMillimetresIsInMillimetres) {
  const double radius = 20;
  const auto grid = grid::centred({5, 0, 0}, {61, 61, 61}, 1, grid::LengthUnit::millimetre);
  const auto field =
      sampled(grid, [](const Vector3d& r) { return std::exp(-(r - Vector3d(5, 0, 0)).norm()); });
  const auto found = contour(field, std::exp(-radius), false).positive;
  EXPECT_NEAR(found.area, 4 * std::numbers::pi * radius * radius, 1e-2 * 5027);
  EXPECT_NEAR(found.mesh->GetBounds()[1], 25, 0.01);
}

TEST_P(SurfaceOf, BothLobesOfAPOrbitalFaceAwayFromTheirInside) {
  const auto p_orbital = [](const Vector3d& r) { return r.z() * std::exp(-r.norm() * 1.5); };
  const auto field = sampled(grid_about(Vector3d::Zero(), GetParam()), p_orbital);
  const auto lobes = contour(field, 0.1, true);
  EXPECT_EQ(lobes.positive.isovalue, 0.1);
  EXPECT_EQ(lobes.negative.isovalue, -0.1);
  EXPECT_NEAR(lobes.positive.area, lobes.negative.area, 1e-2 * lobes.positive.area);
  for (const Surface* surface : {&lobes.positive, &lobes.negative}) {
    ASSERT_FALSE(surface->empty());
    EXPECT_GT(enclosed_volume(*surface), 0.1);
    for (vtkIdType i = 0; i < surface->mesh->GetNumberOfPoints(); ++i) {
      const Vector3d place = point(*surface, i);
      const Vector3d step = 0.01 * normal(*surface, i);
      ASSERT_LT(std::abs(p_orbital(place + step)), std::abs(p_orbital(place - step)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, SurfaceOf, ::testing::ValuesIn(shapes()),
                         [](const auto& shape) { return shape.param.name; });

grid::ScalarField gaussian() {
  return sampled(grid_about(Vector3d::Zero(), shapes().front()),
                 [](const Vector3d& place) { return std::exp(-place.squaredNorm()); });
}

TEST(Surface, OfADensityHasOneLobe) {
  auto field = gaussian();
  for (float& value : field.values) value -= 0.5F;
  const auto lobes = contour(field, 0.3, false);
  EXPECT_FALSE(lobes.positive.empty());
  EXPECT_TRUE(lobes.negative.empty());
}

TEST(Surface, ALargeOneHasADraftOfFewerTrianglesInTheSamePlace) {
  const auto ball = [](int points) {
    return sampled(grid::centred(Vector3d::Zero(), {points, points, points}, 6.0 / points),
                   [](const Vector3d& place) { return std::exp(-place.squaredNorm()); });
  };
  const auto large = contour(ball(161), 0.5, false).positive;
  ASSERT_NE(large.draft, nullptr);
  const auto draft_triangles = static_cast<double>(large.draft->GetNumberOfPolys());
  EXPECT_NEAR(draft_triangles / static_cast<double>(large.triangle_count()), 0.25, 0.03);
  const double radius = std::sqrt(std::log(2));
  for (vtkIdType i = 0; i < large.draft->GetNumberOfPoints(); ++i) {
    const Vector3d place(large.draft->GetPoint(i)),
        normal(large.draft->GetPointData()->GetNormals()->GetTuple(i));
    ASSERT_NEAR(place.norm(), radius, 0.002);
    ASSERT_GT(normal.dot(place.normalized()), 0.999);
  }
  EXPECT_EQ(contour(ball(41), 0.5, false).positive.draft, nullptr);
}

TEST(Surface, IsEmptyWhereTheFieldDoesNotReach) {
  const auto lobes = contour(gaussian(), 1.5, true);
  EXPECT_TRUE(lobes.positive.empty());
  EXPECT_TRUE(lobes.negative.empty());
  ASSERT_NE(lobes.positive.mesh, nullptr);
  ASSERT_NE(lobes.negative.mesh, nullptr);
  EXPECT_EQ(lobes.positive.area, 0);
  EXPECT_EQ(lobes.positive.isovalue, 1.5);
}

TEST(Surface, IsEmptyForAnIsovalueOrAGridThatMakesNoSurface) {
  for (const double isovalue : {0.0, -0.1, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(contour(gaussian(), isovalue, true).positive.empty());
  }
  grid::ScalarField flat;
  flat.grid.dimensions = {4, 4, 1};
  flat.values = {0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0};
  EXPECT_TRUE(contour(flat, 0.5, true).positive.empty());
  EXPECT_TRUE(contour({}, 0.5, true).positive.empty());
}

TEST(Surface, StaysFiniteBesideValuesThatAreNot) {
  auto field = gaussian();
  const auto whole = contour(field, 0.5, false);
  const auto plane = static_cast<std::size_t>(61 * 63);
  for (std::size_t i = 0; i < plane; ++i) field.values[plane * 36 + i] = std::nanf("");
  field.values[plane * 30 + 61 * 31 + 30] = std::numeric_limits<float>::infinity();
  const auto lobes = contour(field, 0.5, true);
  ASSERT_FALSE(lobes.positive.empty());
  EXPECT_LT(lobes.positive.mesh->GetNumberOfPolys(), whole.positive.mesh->GetNumberOfPolys());
  EXPECT_TRUE(std::isfinite(lobes.positive.area));
  const double* bounds = lobes.positive.mesh->GetBounds();
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(std::isfinite(bounds[i]));
    EXPECT_LT(std::abs(bounds[i]), 1.0);  // exp(-r^2) = 0.5 at r = 0.83
  }
}

/// A sphere of radius 0.83 angstrom coloured by 0.3 x - y + 2 z, which trilinear interpolation knows exactly, on another
/// grid, turned and in another unit, that ends at x = 0.4 angstrom.
TEST(Surface, HasTheValuesOfASecondFieldAtItsVertices) {
  auto lobes = contour(gaussian(), 0.5, false);
  grid::Grid other;
  other.unit = grid::LengthUnit::angstrom;
  other.dimensions = {31, 41, 41};
  const double spacing = 0.05;
  other.step = spacing * Eigen::AngleAxisd(0.5, Vector3d::UnitX()).toRotationMatrix();
  other.origin = Vector3d(0.4, 0, 0) - other.step * Vector3d(30, 20, 20);
  const auto value = [](const Vector3d& place) { return place.dot(Vector3d(0.3, -1, 2)); };
  const auto second = sampled(other, value);
  sample(second, lobes);
  const auto& surface = lobes.positive;
  ASSERT_NE(surface.values, nullptr);
  ASSERT_EQ(surface.values->GetNumberOfTuples(), surface.mesh->GetNumberOfPoints());
  EXPECT_EQ(surface.mesh->GetPointData()->GetArray(second_field), surface.values.Get());
  EXPECT_EQ(lobes.negative.values, nullptr);
  int inside = 0, outside = 0;
  for (vtkIdType i = 0; i < surface.mesh->GetNumberOfPoints(); ++i) {
    const Vector3d place = point(surface, i);
    const float found = surface.values->GetValue(i);
    if (place.x() > 0.4 + 1e-3) {
      ASSERT_TRUE(std::isnan(found)) << "nothing is known there: " << place.transpose();
      ++outside;
    } else if (place.x() < 0.4 - 1e-3) {
      ASSERT_NEAR(found, value(place), 2e-6) << place.transpose();
      ++inside;
    }
  }
  EXPECT_GT(inside, 800);
  EXPECT_GT(outside, 200);
}

TEST(Surface, ItsDraftHasTheValuesOfASecondFieldToo) {
  const auto field = sampled(grid::centred(Vector3d::Zero(), {201, 201, 201}, 0.04),
                             [](const Vector3d& place) { return std::exp(-place.squaredNorm()); });
  auto lobes = contour(field, 0.5, true);
  ASSERT_NE(lobes.positive.draft, nullptr);
  sample(sampled(field.grid, [](const Vector3d& place) { return place.z(); }), lobes);
  auto& draft = *lobes.positive.draft;
  auto* values = draft.GetPointData()->GetArray(second_field);
  ASSERT_NE(values, nullptr);
  for (vtkIdType i = 0; i < draft.GetNumberOfPoints(); ++i)
    ASSERT_NEAR(values->GetTuple1(i), draft.GetPoint(i)[2], 1e-5);
}

TEST(Surface, LeavesTheFieldAsItWas) {
  const auto field = gaussian();
  const auto before = field.values;
  contour(field, 0.5, true);
  EXPECT_EQ(field.values, before);
}

TEST(Surface, CanBeCancelled) {
  std::stop_source stop;
  const jobs::Progress progress(stop.get_token(), [&](double, std::string_view) { stop.request_stop(); });
  EXPECT_THROW(contour(gaussian(), 0.5, true, progress), Cancelled);
}

TEST(PlyFile, HasPlacesNormalsColoursAndValues) {
  vtkNew<vtkPolyData> mesh;
  vtkNew<vtkPoints> points;
  vtkNew<vtkFloatArray> normals, values;
  vtkNew<vtkUnsignedCharArray> colours;
  normals->SetNumberOfComponents(3);
  values->SetName("Potential / kT/e");
  colours->SetName("colour");
  colours->SetNumberOfComponents(3);
  for (int i = 0; i < 3; ++i) {
    points->InsertNextPoint(i, 10 * i, 0.5);
    normals->InsertNextTuple3(0, 0, 1);
    values->InsertNextValue(static_cast<float>(i) - 1.25F);
    colours->InsertNextTuple3(i, 100 + i, 200 + i);
  }
  mesh->SetPoints(points);
  vtkNew<vtkCellArray> triangle;
  triangle->InsertNextCell({2, 0, 1});
  mesh->SetPolys(triangle);
  mesh->GetPointData()->SetNormals(normals);
  mesh->GetPointData()->AddArray(values);
  mesh->GetPointData()->SetScalars(colours);
  std::ostringstream out;
  write_ply(*mesh, out);
  const std::string text = out.str(), end = "end_header\n";
  const auto header = text.substr(0, text.find(end) + end.size());
  EXPECT_EQ(header,
            "ply\nformat binary_little_endian 1.0\ncomment value is Potential / kT/e\nelement vertex 3\n"
            "property float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\n"
            "property float nz\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
            "property float value\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n");
  const std::size_t of_vertex = 7 * 4 + 3;
  ASSERT_EQ(text.size(), header.size() + 3 * of_vertex + 1 + 3 * 4);
  const auto number = [&](std::size_t vertex, std::size_t at) {
    float value = 0;
    std::memcpy(&value, text.data() + header.size() + vertex * of_vertex + at, sizeof value);
    return value;
  };
  EXPECT_EQ(number(2, 4), 20);
  EXPECT_EQ(number(1, 20), 1);
  EXPECT_EQ(static_cast<unsigned char>(text[header.size() + of_vertex + 26]), 201);
  EXPECT_EQ(number(2, 27), 0.75F);
  std::int32_t last = 0;
  std::memcpy(&last, text.data() + text.size() - 4, sizeof last);
  EXPECT_EQ(last, 1);
}

}  // namespace
}  // namespace isolume::scene

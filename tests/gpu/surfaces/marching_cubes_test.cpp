#include "gpu/surfaces/marching_cubes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/units.h"
#include "gpu/runtime/devices/gpu_device.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif

namespace isolume::gpu {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using std::numbers::pi;

struct Mesh {
  std::vector<float> points, normals;
  std::vector<std::uint32_t> triangles;

  std::size_t triangle_count() const { return triangles.size() / 3; }
  Vector3d point(std::size_t vertex) const { return vector(points, vertex); }
  Vector3d normal(std::size_t vertex) const { return vector(normals, vertex); }
  Vector3d corner(std::size_t triangle, int k) const { return point(triangles[3 * triangle + k]); }

  double area() const {
    double sum = 0;
    for (std::size_t t = 0; t < triangle_count(); ++t) {
      sum += 0.5 * (corner(t, 1) - corner(t, 0)).cross(corner(t, 2) - corner(t, 0)).norm();
    }
    return sum;
  }
  /// By the divergence theorem; positive when the triangles run counter-clockwise seen from outside.
  double volume() const {
    double sum = 0;
    for (std::size_t t = 0; t < triangle_count(); ++t) {
      sum += corner(t, 0).dot(corner(t, 1).cross(corner(t, 2))) / 6;
    }
    return sum;
  }

 private:
  static Vector3d vector(const std::vector<float>& numbers, std::size_t i) {
    return Vector3d(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]);
  }
};

class Surfaces : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices("1x sm90 1GiB");
#endif
    for (const auto& description : describe_devices()) {
      if (description.usable && !device) device.emplace(description);
    }
    if (!device) GTEST_SKIP() << "No usable GPU. " << why_no_devices();
  }

  MarchingCubes cubes(const grid::ScalarField& field, double isovalue) const {
    return MarchingCubes(std::make_shared<const SurfaceField>(*device, field), isovalue);
  }
  Mesh mesh(const MarchingCubes& surface) const {
    Mesh result;
    result.points.resize(3 * surface.vertex_count());
    result.normals.resize(3 * surface.vertex_count());
    result.triangles.resize(3 * surface.triangle_count());
    const Stream stream(*device);
    DeviceBuffer<float> points(stream, result.points.size());
    DeviceBuffer<float> normals(stream, result.normals.size());
    DeviceBuffer<std::uint32_t> triangles(stream, result.triangles.size());
    surface.write_vertices(points.device_data(), normals.device_data(), stream);
    surface.write_triangles(triangles.device_data(), stream);
    points.copy_to(result.points, stream);
    normals.copy_to(result.normals, stream);
    triangles.copy_to(result.triangles, stream);
    stream.wait();
    return result;
  }
  Mesh mesh(const grid::ScalarField& field, double isovalue) const {
    return mesh(cubes(field, isovalue));
  }

  std::optional<GpuDevice> device;
};

using Function = std::function<double(const Vector3d& angstrom)>;

grid::ScalarField sampled(const grid::Grid& grid, const Function& function) {
  grid::ScalarField field;
  field.grid = grid;
  const auto& n = grid.dimensions;
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i) {
        field.values.push_back(
            static_cast<float>(function(grid.position(i, j, k) * units::angstrom_per_bohr)));
      }
    }
  }
  return field;
}

/// About `reach` angstrom each way from a place, with the given steps in angstrom as columns.
grid::Grid grid_about(const Vector3d& centre, const Matrix3d& step, double reach) {
  grid::Grid grid;
  for (int axis = 0; axis < 3; ++axis) {
    grid.dimensions.at(axis) = 2 * static_cast<int>(std::ceil(reach / step.col(axis).norm())) + axis;
  }
  grid.step = step * units::bohr_per_angstrom;
  const Vector3d middle(grid.dimensions[0] / 2, grid.dimensions[1] / 2, grid.dimensions[2] / 2);
  grid.origin = centre * units::bohr_per_angstrom - grid.step * middle;
  return grid;
}

Matrix3d cubic(double spacing) {
  return spacing * Matrix3d::Identity();
}

struct Shape {
  std::string name;
  Matrix3d step_angstrom;
};

std::vector<Shape> shapes() {
  const Matrix3d uneven = Vector3d(0.32, 0.3, 0.27).asDiagonal();
  const Matrix3d rotation = Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  const Matrix3d mirror = Vector3d(1, 1, -1).asDiagonal();
  Matrix3d sheared = cubic(0.3);
  sheared(0, 1) = 0.09;
  sheared(1, 2) = -0.06;
  return {{"Straight", cubic(0.3)},       {"Uneven", uneven},
          {"Rotated", rotation * uneven}, {"LeftHanded", mirror * uneven},
          {"Sheared", sheared},           {"RotatedLeftHanded", rotation * mirror * sheared}};
}

/// Whether a place is at most this number of steps inside the faces of the grid's box.
bool on_box(const grid::Grid& grid, const Vector3d& angstrom) {
  const Vector3d index = grid.index_at(angstrom * units::bohr_per_angstrom);
  for (int axis = 0; axis < 3; ++axis) {
    if (index[axis] < 1e-3 || index[axis] > grid.dimensions.at(axis) - 1 - 1e-3) return true;
  }
  return false;
}

/// Every side of a triangle is the side of exactly one other, run through the other way; sides of one
/// triangle alone lie in faces of the box.
void expect_closed_inside(const Mesh& mesh, const grid::Grid& grid) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> sides;
  for (std::size_t t = 0; t < mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const auto from = mesh.triangles[3 * t + k];
      const auto to = mesh.triangles[3 * t + (k + 1) % 3];
      ASSERT_LT(from, mesh.points.size() / 3);
      ++sides[{from, to}];
    }
  }
  for (const auto& [side, times] : sides) {
    ASSERT_EQ(times, 1);
    if (sides.contains({side.second, side.first})) continue;
    ASSERT_TRUE(on_box(grid, mesh.point(side.first)) && on_box(grid, mesh.point(side.second)))
        << "a hole at " << mesh.point(side.first).transpose();
  }
}

void expect_all_used(const Mesh& mesh) {
  const std::set<std::uint32_t> used(mesh.triangles.begin(), mesh.triangles.end());
  EXPECT_EQ(used.size(), mesh.points.size() / 3);
}

TEST_F(Surfaces, ASphereHasItsAreaVolumeAndNormalsOnAnyGrid) {
  const Vector3d centre(0.5, -0.3, 0.2);
  constexpr double radius = 1.2;
  for (const auto& shape : shapes()) {
    for (const double sign : {1.0, -1.0}) {
      SCOPED_TRACE(shape.name + (sign > 0 ? ", positive" : ", negative"));
      const auto grid = grid_about(centre, shape.step_angstrom, 1.6);
      const auto field =
          sampled(grid, [&](const Vector3d& p) { return sign * std::exp(-(p - centre).squaredNorm() / 2); });
      const auto surface = cubes(field, sign * std::exp(-radius * radius / 2));
      const Mesh found = mesh(surface);
      ASSERT_GT(found.triangle_count(), 100);
      expect_closed_inside(found, grid);
      expect_all_used(found);
      // A polyhedron with edges h inscribed in a sphere misses about (h/R)^2/8 of area and volume, and its
      // vertices lie on it but for interpolation, h^2/8 times the second derivative over the first.
      EXPECT_NEAR(found.area(), 4 * pi * radius * radius, 0.04 * 18.1);
      EXPECT_NEAR(found.volume(), 4 * pi / 3 * std::pow(radius, 3), 0.04 * 7.24);
      EXPECT_NEAR(surface.area(), found.area(), 1e-6 * found.area());
      std::array<double, 6> bounds{9, -9, 9, -9, 9, -9};
      for (std::size_t v = 0; v < found.points.size() / 3; ++v) {
        const Vector3d outward = (found.point(v) - centre).normalized();
        ASSERT_NEAR((found.point(v) - centre).norm(), radius, 0.02);
        ASSERT_NEAR(found.normal(v).norm(), 1, 1e-5);
        ASSERT_GT(found.normal(v).dot(outward), std::cos(4.0 / 180 * pi));
        for (int c = 0; c < 3; ++c) {
          bounds[2 * c] = std::min(bounds[2 * c], found.point(v)[c]);
          bounds[2 * c + 1] = std::max(bounds[2 * c + 1], found.point(v)[c]);
        }
      }
      EXPECT_EQ(surface.bounds(), bounds);
    }
  }
}

TEST_F(Surfaces, AreaAndVolumeConvergeWithTheSquareOfTheSpacing) {
  // Not centred on a grid point, and a paraboloid, which linear interpolation does not meet exactly.
  const Vector3d centre(0.03, 0.011, -0.02);
  constexpr double radius = 1;
  const auto errors = [&](double spacing) {
    const auto field = sampled(grid_about(Vector3d::Zero(), cubic(spacing), 1.3),
                               [&](const Vector3d& p) { return 2 - (p - centre).squaredNorm(); });
    const Mesh found = mesh(field, 2 - radius * radius);
    return std::pair(4 * pi - found.area(), 4 * pi / 3 - found.volume());
  };
  const auto [area_coarse, volume_coarse] = errors(0.24);
  const auto [area_fine, volume_fine] = errors(0.12);
  EXPECT_NEAR(area_coarse / area_fine, 4, 0.6);
  EXPECT_NEAR(volume_coarse / volume_fine, 4, 0.6);
}

TEST_F(Surfaces, ATorusIsClosedAndHasItsAreaAndVolume) {
  constexpr double ring = 1.0;
  constexpr double tube = 0.4;
  const auto grid = grid_about(Vector3d::Zero(), cubic(0.13), 1.6);
  const auto field =
      sampled(grid, [](const Vector3d& p) { return 1 - std::hypot(std::hypot(p.x(), p.y()) - ring, p.z()); });
  const Mesh found = mesh(field, 1 - tube);
  expect_closed_inside(found, grid);
  EXPECT_NEAR(found.area(), 4 * pi * pi * ring * tube, 0.03 * 15.8);
  EXPECT_NEAR(found.volume(), 2 * pi * pi * ring * tube * tube, 0.05 * 3.16);
  // Closed and of genus 1: as many vertices and triangles as edges, 3/2 of the triangles.
  EXPECT_EQ(2 * found.points.size() / 3, found.triangle_count());
}

TEST_F(Surfaces, AGyroidIsOpenOnlyAtTheBox) {
  const auto gyroid = [](const Vector3d& p) {
    return std::sin(3 * p.x()) * std::cos(3 * p.y()) + std::sin(3 * p.y()) * std::cos(3 * p.z()) +
           std::sin(3 * p.z()) * std::cos(3 * p.x());
  };
  const auto grid = grid_about(Vector3d::Zero(), cubic(0.15), 1.7);
  const auto field = sampled(grid, gyroid);
  const Mesh found = mesh(field, 0.1);
  ASSERT_GT(found.triangle_count(), 1000);
  expect_closed_inside(found, grid);
  expect_all_used(found);
  for (std::size_t v = 0; v < found.points.size() / 3; ++v) {
    const Vector3d step = 0.02 * found.normal(v);
    ASSERT_LT(gyroid(found.point(v) + step), gyroid(found.point(v) - step));
  }
}

TEST_F(Surfaces, BothLobesOfAPOrbitalFaceAwayFromTheirInside) {
  const auto p_orbital = [](const Vector3d& r) { return r.z() * std::exp(-r.norm() * 1.5); };
  for (const auto& shape : {shapes()[0], shapes()[3], shapes()[5]}) {
    SCOPED_TRACE(shape.name);
    const auto field = sampled(grid_about(Vector3d::Zero(), shape.step_angstrom, 2.0), p_orbital);
    const auto on_device = std::make_shared<const SurfaceField>(*device, field);
    std::vector<double> areas;
    for (const double isovalue : {0.15, -0.15}) {
      const MarchingCubes surface(on_device, isovalue);
      const Mesh lobe = mesh(surface);
      expect_closed_inside(lobe, field.grid);
      EXPECT_GT(lobe.volume(), 0.05);
      areas.push_back(surface.area());
      for (std::size_t v = 0; v < lobe.points.size() / 3; ++v) {
        const Vector3d step = 0.01 * lobe.normal(v);
        ASSERT_LT(std::abs(p_orbital(lobe.point(v) + step)), std::abs(p_orbital(lobe.point(v) - step)));
      }
    }
    EXPECT_NEAR(areas[0], areas[1], 0.1 * areas[0]);
  }
}

/// Values without any order: neighbours know nothing of each other, so that every case occurs.
grid::ScalarField noise(std::array<int, 3> dimensions, int levels) {
  grid::ScalarField field;
  field.grid.dimensions = dimensions;
  field.grid.step = cubic(units::bohr_per_angstrom);
  std::mt19937 random(12345);
  for (std::size_t i = 0; i < field.grid.point_count(); ++i) {
    field.values.push_back(static_cast<float>(random() % levels) / static_cast<float>(levels - 1));
  }
  return field;
}

TEST_F(Surfaces, NoiseIsClosedInEachOfThe256Cases) {
  const auto field = noise({37, 16, 15}, 1'000'000);
  std::set<unsigned> cases;
  const auto& n = field.grid.dimensions;
  for (int k = 0; k + 1 < n[2]; ++k) {
    for (int j = 0; j + 1 < n[1]; ++j) {
      for (int i = 0; i + 1 < n[0]; ++i) {
        unsigned above = 0;
        for (unsigned c = 0; c < 8; ++c) {
          above |=
              static_cast<unsigned>(field.at(i + static_cast<int>(c & 1), j + static_cast<int>(c >> 1 & 1),
                                             k + static_cast<int>(c >> 2)) >= 0.5F)
              << c;
        }
        cases.insert(above);
      }
    }
  }
  ASSERT_EQ(cases.size(), 256U);
  const Mesh found = mesh(field, 0.5);
  expect_closed_inside(found, field.grid);
  expect_all_used(found);
}

TEST_F(Surfaces, VerticesAreThePointsWhereGridEdgesAreCrossed) {
  const auto field = noise({35, 6, 7}, 1'000'000);
  const auto& n = field.grid.dimensions;
  std::set<std::tuple<int, int, int>> expected;
  const auto rounded = [](const Vector3d& p) {
    return std::tuple(static_cast<int>(std::lround(p.x() * 1e4)), static_cast<int>(std::lround(p.y() * 1e4)),
                      static_cast<int>(std::lround(p.z() * 1e4)));
  };
  std::vector<Vector3d> brute;
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
          const Vector3d begin(i, j, k);
          const Vector3d end = begin + Vector3d::Unit(axis);
          if (end[axis] > n.at(axis) - 1) continue;
          const double a = field.at(i, j, k);
          const double b =
              field.at(static_cast<int>(end.x()), static_cast<int>(end.y()), static_cast<int>(end.z()));
          if ((a >= 0.3) == (b >= 0.3)) continue;
          brute.push_back(begin + (0.3 - a) / (b - a) * Vector3d::Unit(axis));
          expected.insert(rounded(brute.back()));
        }
      }
    }
  }
  const Mesh found = mesh(field, 0.3);
  ASSERT_EQ(found.points.size() / 3, brute.size());
  std::size_t missed = 0;
  for (std::size_t v = 0; v < brute.size(); ++v) missed += expected.contains(rounded(found.point(v))) ? 0 : 1;
  EXPECT_LE(missed, brute.size() / 100) << "numbers on the verge of rounding may fall to either side";
}

TEST_F(Surfaces, IsovaluesThatGridPointsHaveMakeNoHoles) {
  const auto field = noise({20, 11, 9}, 3);
  const auto surface = cubes(field, 0.5);
  const Mesh found = mesh(surface);
  expect_closed_inside(found, field.grid);
  for (const float coordinate : found.points) ASSERT_TRUE(std::isfinite(coordinate));
  for (std::size_t v = 0; v < found.normals.size() / 3; ++v) ASSERT_NEAR(found.normal(v).norm(), 1, 1e-5);
  EXPECT_NEAR(surface.area(), found.area(), 1e-5 * found.area());
}

TEST_F(Surfaces, CellsWithValuesThatAreNotFiniteAreLeftOut) {
  auto field = noise({36, 9, 8}, 1000);
  const auto& n = field.grid.dimensions;
  std::mt19937 random(1);
  std::set<std::size_t> broken;
  for (int i = 0; i < 40; ++i) broken.insert(random() % field.values.size());
  const float wrong[] = {std::nanf(""), std::numeric_limits<float>::infinity(),
                         -std::numeric_limits<float>::infinity()};
  for (const auto place : broken) field.values[place] = wrong[place % 3];
  const auto surface = cubes(field, 0.4);
  const Mesh found = mesh(surface);
  ASSERT_GT(found.triangle_count(), 100);
  EXPECT_TRUE(std::isfinite(surface.area()));
  for (const float number : found.points) ASSERT_TRUE(std::isfinite(number));
  for (std::size_t v = 0; v < found.normals.size() / 3; ++v) ASSERT_NEAR(found.normal(v).norm(), 1, 1e-5);
  for (std::size_t t = 0; t < found.triangle_count(); ++t) {
    const Vector3d middle = (found.corner(t, 0) + found.corner(t, 1) + found.corner(t, 2)) / 3;
    for (int corner = 0; corner < 8; ++corner) {
      const auto at = [&](int axis) {
        return std::min(static_cast<int>(middle[axis]), n.at(axis) - 2) + (corner >> axis & 1);
      };
      ASSERT_TRUE(std::isfinite(field.at(at(0), at(1), at(2)))) << middle.transpose();
    }
  }
}

TEST_F(Surfaces, AreEmptyWhereNothingCrosses) {
  grid::ScalarField flat;
  flat.grid.dimensions = {4, 4, 1};
  flat.values.assign(16, 0);
  flat.values[5] = 1;
  auto constant = noise({8, 4, 4}, 2);
  std::fill(constant.values.begin(), constant.values.end(), 0.5F);
  grid::ScalarField none;
  struct Case {
    const grid::ScalarField& field;
    double isovalue;
  };
  for (const auto& [field, isovalue] :
       {Case{flat, 0.5}, Case{constant, 0.7}, Case{constant, 0.5}, Case{none, 0.5},
        Case{noise({8, 4, 4}, 5), 2}, Case{constant, std::nan("")},
        Case{constant, std::numeric_limits<double>::infinity()}}) {
    const auto surface = cubes(field, isovalue);
    EXPECT_EQ(surface.vertex_count(), 0U);
    EXPECT_EQ(surface.triangle_count(), 0U);
    EXPECT_EQ(surface.area(), 0);
    EXPECT_TRUE(mesh(surface).triangles.empty());
  }
}

TEST_F(Surfaces, AreTheSameEveryTime) {
  const auto field = noise({33, 9, 10}, 1000);
  const auto first = cubes(field, 0.5);
  const auto second = cubes(field, 0.5);
  const Mesh a = mesh(first);
  const Mesh b = mesh(second);
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.normals, b.normals);
  EXPECT_EQ(a.triangles, b.triangles);
  EXPECT_EQ(first.area(), second.area());
}

TEST_F(Surfaces, LinesAreTheSidesOfTheTriangles) {
  const auto surface = cubes(noise({10, 5, 5}, 100), 0.5);
  const Mesh found = mesh(surface);
  std::vector<std::uint32_t> lines(6 * surface.triangle_count());
  const Stream stream(*device);
  DeviceBuffer<std::uint32_t> on_device(stream, lines.size());
  surface.write_lines(on_device.device_data(), stream);
  on_device.copy_to(lines, stream);
  stream.wait();
  for (std::size_t t = 0; t < found.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      ASSERT_EQ(lines[6 * t + 2 * k], found.triangles[3 * t + k]);
      ASSERT_EQ(lines[6 * t + 2 * k + 1], found.triangles[3 * t + (k + 1) % 3]);
    }
  }
}

TEST_F(Surfaces, WhatCannotFitIsRefusedWithARemedy) {
  grid::ScalarField huge;
  huge.grid.dimensions = {4000, 4000, 4000};
  try {
    SurfaceField field(*device, huge);
    FAIL();
  } catch (const ResourceError& error) {
    EXPECT_NE(std::string(error.what()).find("larger spacing"), std::string::npos) << error.what();
  }
  auto short_of_values = noise({5, 5, 5}, 2);
  short_of_values.values.resize(short_of_values.values.size() - 1);
  EXPECT_THROW(SurfaceField(*device, short_of_values), Error);
}

TEST_F(Surfaces, CanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const auto field = std::make_shared<const SurfaceField>(*device, noise({32, 16, 16}, 100));
  EXPECT_THROW(MarchingCubes(field, 0.5, jobs::Progress(stop.get_token(), {})), Cancelled);
}

}  // namespace
}  // namespace isolume::gpu

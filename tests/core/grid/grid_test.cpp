#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/grid/scalar_field.h"

namespace isolume::grid {
namespace {

using Eigen::Vector3d;

template <class Function>
ScalarField sample(const Grid& grid, const Function& function) {
  ScalarField field{grid, FieldValues(grid.point_count()), "test", ""};
  std::size_t n = 0;
  for (int k = 0; k < grid.dimensions[2]; ++k) {
    for (int j = 0; j < grid.dimensions[1]; ++j) {
      for (int i = 0; i < grid.dimensions[0]; ++i)
        field.values[n++] = static_cast<float>(function(grid.position(i, j, k)));
    }
  }
  return field;
}

Grid rotated() {
  Grid made;
  made.origin = {1, -2, 3};
  made.step = Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()).toRotationMatrix() *
              Vector3d(0.2, 0.3, 0.4).asDiagonal();
  made.dimensions = {11, 12, 13};
  return made;
}

TEST(Grid, CoversTheBoxAndIsCentredInIt) {
  const Grid made = cover_box({-1, -2, -3}, {1.05, 2, 3}, 0.1);
  for (int axis = 0; axis < 3; ++axis) {
    const Vector3d low = made.position(0, 0, 0);
    const Vector3d high =
        made.position(made.dimensions[0] - 1, made.dimensions[1] - 1, made.dimensions[2] - 1);
    EXPECT_LE(low[axis], Vector3d(-1, -2, -3)[axis] + 1e-9);
    EXPECT_GE(high[axis], Vector3d(1.05, 2, 3)[axis] - 1e-9);
    EXPECT_NEAR(low[axis] + high[axis], Vector3d(0.05, 0, 0)[axis], 1e-12);
  }
  EXPECT_EQ(made.dimensions, (std::array<int, 3>{22, 41, 61}));
}

TEST(Grid, ImpossibleSpacingIsRefused) {
  for (const double spacing : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e-300}) {
    EXPECT_THROW(cover_box({0, 0, 0}, {1, 1, 1}, spacing), Error) << spacing;
  }
}

TEST(Grid, CarriesItsUnitOfLength) {
  const Grid made = coarsened(cover_box({0, 0, 0}, {30, 20, 10}, 5, LengthUnit::millimetre), 2);
  EXPECT_EQ(made.unit, LengthUnit::millimetre);
  Grid other = made;
  other.unit = LengthUnit::angstrom;
  EXPECT_FALSE(made == other);
  EXPECT_EQ(Grid{}.unit, LengthUnit::bohr);
  try {
    centred({0, 0, 0}, {2, 2, 2}, -1, LengthUnit::millimetre);
    FAIL() << "a negative spacing was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("-1 mm"), std::string::npos) << error.what();
  }
}

TEST(Grid, IndexIsTheInverseOfPoint) {
  const Grid made = rotated();
  EXPECT_TRUE(made.index_at(made.position(3, 4.5, 6)).isApprox(Vector3d(3, 4.5, 6), 1e-12));
  EXPECT_NEAR(made.cell_volume(), 0.2 * 0.3 * 0.4, 1e-12);
  EXPECT_FALSE(made.axis_aligned());
  EXPECT_TRUE(centred({0, 0, 0}, {3, 3, 3}, 0.5).axis_aligned());
}

TEST(Grid, SpacingsAndDirectionsAreSetOneByOne) {
  Grid made = rotated();
  const Eigen::Matrix3d before = made.directions();
  made.set_spacing({1, 2, 3});
  EXPECT_TRUE(made.spacing().isApprox(Vector3d(1, 2, 3), 1e-14));
  EXPECT_TRUE(made.directions().isApprox(before, 1e-14));
  made.set_direction(2, {0, 0, 1});
  made.set_spacing(0, 0.5);
  EXPECT_TRUE(made.step.col(0).isApprox(0.5 * before.col(0), 1e-14));
  EXPECT_TRUE(made.step.col(2).isApprox(Vector3d(0, 0, 3), 1e-14));
  made.set_directions(Eigen::Matrix3d::Identity());
  EXPECT_TRUE(made.step.isApprox(Eigen::Matrix3d(Vector3d(0.5, 2, 3).asDiagonal()), 1e-14));
}

TEST(Grid, OfATiltedGantryHasSmallerCells) {
  Grid made = centred({0, 0, 0}, {3, 3, 3}, 2);
  EXPECT_TRUE(made.is_orthogonal());
  made.set_direction(2, {0, std::sin(0.5), std::cos(0.5)});
  EXPECT_FALSE(made.is_orthogonal());
  EXPECT_NEAR(made.cell_volume(), 8 * std::cos(0.5), 1e-12);
}

/// Of a plane whose rows lean: lengths and areas by coordinates in space.
TEST(PlaneGrid, MeasuresInOrthogonalAxes) {
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(1.1, Vector3d(3, -1, 2).normalized()).toRotationMatrix();
  const PlaneGrid plane{
      .corner = {4, 5, 6}, .along = turn * Vector3d(0.5, 0, 0), .across = turn * Vector3d(0.3, 2, 0)};
  EXPECT_NEAR(plane.cell_area(), 0.5 * 2, 1e-12);
  EXPECT_NEAR(plane.metric().determinant(), plane.cell_area(), 1e-12);
  const Eigen::Vector2d from(3, -1), to(-2, 4);
  EXPECT_NEAR((plane.metric() * (to - from)).norm(), (plane.position(to) - plane.position(from)).norm(),
              1e-12);
  const Vector3d above = plane.position(to) + 7 * turn * Vector3d::UnitZ();
  EXPECT_TRUE(plane.place_at(above).isApprox(to, 1e-12));
  EXPECT_TRUE(plane.spacing().isApprox(Eigen::Vector2d(0.5, std::hypot(0.3, 2)), 1e-12));
}

TEST(Grid, CoarsenedKeepsTheBox) {
  const Grid fine = centred({1, 2, 3}, {61, 50, 2}, 0.1);
  const Grid coarse = coarsened(fine, 3);
  EXPECT_TRUE(coarse.position(0, 0, 0).isApprox(fine.position(0, 0, 0)));
  EXPECT_TRUE(coarse.position(coarse.dimensions[0] - 1, coarse.dimensions[1] - 1, coarse.dimensions[2] - 1)
                  .isApprox(fine.position(60, 49, 1), 1e-12));
  EXPECT_EQ(coarse.dimensions, (std::array<int, 3>{21, 17, 2}));
}

TEST(ScalarField, GaussianIntegral) {
  const auto field = sample(centred({0, 0, 0}, {81, 81, 81}, 0.15),
                            [](const Vector3d& r) { return std::exp(-r.squaredNorm()); });
  EXPECT_NEAR(integral(field), std::pow(std::numbers::pi, 1.5), 1e-5);
  EXPECT_NEAR(inner_product(field, field), std::pow(std::numbers::pi / 2, 1.5), 1e-5);
}

TEST(ScalarField, InterpolationIsExactForLinearFunctionsOnRotatedGrids) {
  const auto linear = [](const Vector3d& r) { return 1 + 2 * r.x() - 3 * r.y() + 0.5 * r.z(); };
  const auto field = sample(rotated(), linear);
  for (const Vector3d& index : {Vector3d(0, 0, 0), Vector3d(10, 11, 12), Vector3d(2.3, 5.7, 11.9)}) {
    const Vector3d place = field.grid.position(index.x(), index.y(), index.z());
    EXPECT_NEAR(interpolate(field, place), linear(place), 2e-6);
  }
  EXPECT_EQ(interpolate(field, field.grid.position(-0.5, 0, 0)), 0);
  EXPECT_EQ(interpolate(field, field.grid.position(0, 0, 12.5)), 0);
}

TEST(ScalarField, EnclosedFractionOfAGaussianDensity) {
  // The density exp(-2 r^2) of the orbital exp(-r^2): P(r < R) = erf(sqrt(2) R) - 2 sqrt(2/pi) R exp(-2 R^2).
  const auto orbital = sample(centred({0, 0, 0}, {121, 121, 121}, 0.06),
                              [](const Vector3d& r) { return std::exp(-r.squaredNorm()); });
  for (const double radius : {0.5, 0.8, 1.2}) {
    const double fraction = std::erf(std::sqrt(2) * radius) -
                            2 * std::sqrt(2 / std::numbers::pi) * radius * std::exp(-2 * radius * radius);
    const double isovalue = std::exp(-radius * radius);
    EXPECT_NEAR(isovalue_enclosing(orbital, fraction, true) / isovalue, 1, 0.01) << radius;
    EXPECT_NEAR(fraction_enclosed(orbital, isovalue, true), fraction, 0.005) << radius;
  }
}

TEST(ScalarField, EnclosedFractionIgnoresSignAndSurvivesZeros) {
  auto field = sample(centred({0, 0, 0}, {41, 41, 41}, 0.2),
                      [](const Vector3d& r) { return r.z() * std::exp(-r.squaredNorm()); });
  const double isovalue = isovalue_enclosing(field, 0.7, true);
  EXPECT_NEAR(fraction_enclosed(field, isovalue, true), 0.7, 0.02);
  std::fill(field.values.begin(), field.values.end(), 0.0f);
  EXPECT_EQ(isovalue_enclosing(field, 0.7, true), 0);
  EXPECT_EQ(fraction_enclosed(field, 0.1, true), 0);
}

TEST(ScalarField, IsovaluesOfSeveralFractionsAreThoseOfEach) {
  const auto field =
      sample(centred({0, 0, 0}, {41, 41, 41}, 0.2), [](const Vector3d& r) { return std::exp(-r.norm()); });
  const std::vector<double> fractions{0.9, 0.1};
  const auto found = isovalues_enclosing(field, fractions, false);
  ASSERT_EQ(found.size(), 2U);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(found[i], isovalue_enclosing(field, fractions[i], false));
}

TEST(ScalarField, MedianOnTheFacesIsThatOfTheOutermostPoints) {
  // 1 on the six faces of 4 x 4 x 4 points (56 of them), 100 within; a minus where x is least.
  auto field = sample(centred({0, 0, 0}, {4, 4, 4}, 2), [](const Vector3d& r) {
    const bool outside = r.cwiseAbs().maxCoeff() > 2.5;
    return outside ? (r.x() < -2.5 ? -1.0 : 1.0) : 100.0;
  });
  EXPECT_EQ(median_on_faces(field), 1);
  field.values[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(median_on_faces(field), 1);
}

TEST(ScalarField, RangeSkipsWhatIsNotFinite) {
  auto field = sample(centred({0, 0, 0}, {3, 1, 1}, 1), [](const Vector3d& r) { return r.x(); });
  field.values[1] = NAN;
  EXPECT_EQ(value_range(field).low, -1);
  EXPECT_EQ(value_range(field).high, 1);
}

TEST(Grid, PointCountDoesNotWrapAround) {
  Grid grid;
  grid.dimensions = {1 << 22, 1 << 21, 1 << 21};  // 2^64
  EXPECT_EQ(grid.point_count(), std::numeric_limits<std::size_t>::max());
  grid.dimensions = {1 << 20, 1 << 20, 0};
  EXPECT_EQ(grid.point_count(), 0u);
}

}  // namespace
}  // namespace isolume::grid

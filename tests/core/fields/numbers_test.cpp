#include "core/fields/numbers.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "core/base/units.h"

namespace isolume::fields {
namespace {

using Eigen::Vector3d;

/// Linear in the place as it is shown, so that interpolation is exact: 1 + x + 2 y - 3 z.
grid::ScalarField plane(grid::LengthUnit unit) {
  grid::ScalarField field;
  field.grid = grid::centred({1, 2, 3}, {21, 25, 31}, 0.25, unit);
  field.grid.step(0, 1) = 0.1;  // sheared
  field.values.resize(field.grid.point_count());
  std::size_t at = 0;
  for (int k = 0; k < 31; ++k) {
    for (int j = 0; j < 25; ++j) {
      for (int i = 0; i < 21; ++i) {
        const Vector3d shown = field.grid.position(i, j, k) * grid::shown_per_unit(unit);
        field.values[at++] = static_cast<float>(1 + shown.dot(Vector3d(1, 2, -3)));
      }
    }
  }
  return field;
}

TEST(ValueAt, IsThatOfThePlaceAsItIsShown) {
  const Vector3d place(1.1, 1.9, 2.7);
  for (const auto unit : {grid::LengthUnit::angstrom, grid::LengthUnit::millimetre})
    EXPECT_NEAR(value_at(plane(unit), place).value(), 1 + 1.1 + 3.8 - 8.1, 1e-5);
  const Vector3d in_angstrom = place * units::angstrom_per_bohr;
  EXPECT_NEAR(value_at(plane(grid::LengthUnit::bohr), in_angstrom).value(),
              1 + in_angstrom.dot(Vector3d(1, 2, -3)), 1e-5);
}

/// Quadratic, so that interpolation is wrong by exactly t (1 - t) / 2 times the second difference: 0.01 (x h)^2 + 1.
TEST(DigitsAt, AreThoseThatInterpolationSupports) {
  grid::ScalarField field;
  field.grid = grid::centred({0, 0, 0}, {21, 5, 5}, 1, grid::LengthUnit::angstrom);
  const auto fill = [&](double curvature) {
    field.values.resize(field.grid.point_count());
    for (std::size_t i = 0; i < field.values.size(); ++i) {
      const double x = static_cast<double>(i % 21) - 10;
      field.values[i] = static_cast<float>(1 + curvature * x * x);
    }
  };
  fill(0.04);  // an error of 0.01 in the middle of a step
  EXPECT_EQ(digits_at(field, {0.5, 0, 0}), 2);
  EXPECT_EQ(digits_at(field, {1, 0, 0}), 4) << "at a point of the grid";
  fill(0.2);  // of 0.05 in 1.1
  EXPECT_EQ(digits_at(field, {0.5, 0, 0}), 1);
  fill(0);
  EXPECT_EQ(digits_at(field, {0.5, 0.3, 0.2}), 4);
  EXPECT_EQ(digits_at(field, {50, 0, 0}), 4) << "outside";
}

TEST(ValueAt, IsNothingOutsideTheBox) {
  const auto field = plane(grid::LengthUnit::angstrom);
  EXPECT_TRUE(value_at(field, field.grid.position(0, 0, 0)));
  EXPECT_TRUE(value_at(field, field.grid.position(20, 24, 30)));
  EXPECT_FALSE(value_at(field, field.grid.position(20.01, 24, 30)));
  EXPECT_FALSE(value_at(field, {1, 2, 30}));
  EXPECT_FALSE(value_at(field, {std::nan(""), 2, 3}));
}

TEST(ValuesAt, AreThoseOfEachPlaceAndNoneOutside) {
  for (const auto unit : {grid::LengthUnit::angstrom, grid::LengthUnit::bohr}) {
    const auto field = plane(unit);
    const double scale = grid::shown_per_unit(unit);
    std::vector<float> places;
    std::vector<Vector3d> inside;
    for (int i = 0; i < 5000; ++i) {
      // On every face, too, where floats round to the one side or the other.
      const Vector3d index(20 * (i % 7) / 6.0, 24 * (i % 11) / 10.0, 30 * (i % 13) / 12.0);
      inside.emplace_back(scale * field.grid.position(index.x(), index.y(), index.z()));
      for (int axis = 0; axis < 3; ++axis) places.push_back(static_cast<float>(inside.back()[axis]));
    }
    const Vector3d beside = scale * field.grid.position(20.01, 3, 3);
    for (int axis = 0; axis < 3; ++axis) places.push_back(static_cast<float>(beside[axis]));
    for (int axis = 0; axis < 3; ++axis) places.push_back(std::nanf(""));
    const auto values = values_at(field, places);
    ASSERT_EQ(values.size(), 5002U);
    for (std::size_t i = 0; i < inside.size(); ++i)
      ASSERT_NEAR(values[i], 1 + inside[i].dot(Vector3d(1, 2, -3)), 2e-3 * scale) << i;
    EXPECT_TRUE(std::isnan(values[5000]));
    EXPECT_TRUE(std::isnan(values[5001]));
  }
}

TEST(FirstOnIsosurface, IsTheNearSideOfASphereOfEitherSign) {
  grid::ScalarField field;
  field.grid = grid::centred({0, 0, 0}, {81, 81, 81}, 0.1, grid::LengthUnit::bohr);
  field.grid.step(0, 1) = 0.03;  // sheared
  field.grid.origin = -field.grid.step * Vector3d(40, 40, 40);
  const Vector3d centre(0.3, 0.2, 0.6);  // angstrom
  for (int k = 0; k < 81; ++k) {
    for (int j = 0; j < 81; ++j) {
      for (int i = 0; i < 81; ++i) {
        const Vector3d place = units::angstrom_per_bohr * field.grid.position(i, j, k);
        field.values.push_back(
            static_cast<float>(2 - (place - centre).norm() - 4 * (place.z() < -0.4 ? 1 : 0)));
      }
    }
  }
  const auto found = [&](const Vector3d& start, const Vector3d& direction, bool both_signs = true) {
    return first_on_isosurface(field, start, direction, 1.2,
                               both_signs);  // a sphere of radius 0.8, and z < -0.4
  };
  for (const Vector3d& from : {Vector3d(5, 1, 3), Vector3d(-4, 3, 6), Vector3d(0.3, 0.2, 9)}) {
    const Vector3d toward = (centre - from).normalized();
    const auto place = found(from, toward);
    ASSERT_TRUE(place);
    EXPECT_LT((*place - (centre - 0.8 * toward)).norm(), 0.004) << "of linear interpolation";
    EXPECT_LT((*place - found(from, 3 * toward).value()).norm(), 1e-6) << "whatever the direction's length";
  }
  EXPECT_NEAR(found({0.3, 0.2, -9}, {0, 0, 1})->z(), -0.4, 0.06)
      << "not the box's face, which cuts the surface open";
  EXPECT_NEAR(found({0.3, 0.2, -9}, {0, 0, 1}, false)->z(), -0.2, 0.004);
  EXPECT_NEAR(found(centre, {1, 0, 0})->x(), 1.1, 0.004) << "seen from within";
  EXPECT_FALSE(found({0.3, 0.2, 9}, {0, 0, 1})) << "behind";
  EXPECT_FALSE(found({5, 5, 5}, {1, -1, 0})) << "beside the box";
  EXPECT_FALSE(found({1.3, 0.2, 1.8}, {0, 1, 0})) << "through the box, beside the surface";
}

TEST(ProfileOfAField, RunsFromOneEndToTheOther) {
  const auto field = plane(grid::LengthUnit::angstrom);
  const auto found = profile(field, {1, 2, 2}, {1, 2, 4}, 5);
  EXPECT_DOUBLE_EQ(found.length, 2);
  ASSERT_EQ(found.values.size(), 5U);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(found.values[i], 1 + 1 + 4 - 3 * (2 + 0.5 * i), 1e-5);
  const auto beyond = profile(field, {1, 2, 3}, {1, 2, 30}, 3);
  EXPECT_TRUE(std::isfinite(beyond.values[0]));
  EXPECT_TRUE(std::isnan(beyond.values[1]));
}

TEST(HistogramOfAField, CountsEveryFiniteValueOnce) {
  grid::ScalarField field;
  field.grid = grid::centred({0, 0, 0}, {10, 10, 10}, 1);
  field.values.resize(1000);
  std::iota(field.values.begin(), field.values.end(), 0.0F);
  field.values[0] = std::numeric_limits<float>::quiet_NaN();
  field.values[1] = std::numeric_limits<float>::infinity();
  field.values[2] = 999;
  const auto found = histogram(field, 4);
  EXPECT_EQ(found.low, 3);
  EXPECT_EQ(found.high, 999);
  EXPECT_EQ(found.left_out, 2U);
  EXPECT_EQ(found.counts, (std::vector<std::size_t>{249, 249, 249, 251}));
}

TEST(HistogramOfAField, AFewExtremesDoNotTakeTheRange) {
  grid::ScalarField field;
  field.grid = grid::centred({0, 0, 0}, {100, 10, 10}, 1);
  field.values.resize(10000);
  // All numbers below 10000, in disorder.
  for (std::size_t i = 0; i < field.values.size(); ++i)
    field.values[i] = static_cast<float>(i * 7919 % 10000);
  field.values[3] = -1e6F;
  field.values[4] = 1e6F;
  const auto found = histogram(field, 100);
  EXPECT_NEAR(found.low, 10, 5);
  EXPECT_NEAR(found.high, 9989, 5);
  const double width = (found.high - found.low) / 100;
  for (const std::size_t each : found.counts) EXPECT_NEAR(static_cast<double>(each), width, 2);
  EXPECT_EQ(std::accumulate(found.counts.begin(), found.counts.end(), found.left_out), 10000U);
  const auto marked = histogram(field, 100, {-2000.0, 5000.0});
  EXPECT_EQ(marked.low, -2000);
  EXPECT_EQ(marked.high, found.high);
  EXPECT_EQ(histogram(field, 100, {-1e6}).high, 1e6) << "with the mark it is more than half: all is shown";
}

TEST(HistogramOfAField, DecadesForWhatFallsOffExponentially) {
  grid::ScalarField field;
  field.grid = grid::centred({0, 0, 0}, {2, 2, 3}, 1);
  field.values = {100, 99, 2, 2, 0.5F, 1.1e-5F, 2e-6F, 0.9e-6F, 0, -3, 1e-20F, 5};
  const auto found = logarithmic_histogram(field, 8);
  EXPECT_TRUE(found.logarithmic);
  EXPECT_EQ(found.high, 2);
  EXPECT_EQ(found.low, -6);
  EXPECT_EQ(found.counts, (std::vector<std::size_t>{1, 1, 0, 0, 0, 1, 3, 2}));
  EXPECT_EQ(found.left_out, 4U);
}

TEST(HistogramOfAField, OneValueFallsIntoOneBin) {
  grid::ScalarField field{grid::centred({0, 0, 0}, {2, 2, 2}, 1), FieldValues(8, 7.0F), "", ""};
  EXPECT_EQ(histogram(field, 3).counts, (std::vector<std::size_t>{8, 0, 0}));
}

}  // namespace
}  // namespace isolume::fields

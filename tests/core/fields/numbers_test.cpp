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
lattice::ScalarField plane(lattice::LengthUnit unit) {
  lattice::ScalarField field;
  field.lattice = lattice::centred({1, 2, 3}, {21, 25, 31}, 0.25, unit);
  field.lattice.step(0, 1) = 0.1;  // sheared
  field.values.resize(field.lattice.point_count());
  std::size_t at = 0;
  for (int k = 0; k < 31; ++k) {
    for (int j = 0; j < 25; ++j) {
      for (int i = 0; i < 21; ++i) {
        const Vector3d shown = field.lattice.point(i, j, k) * lattice::shown_per_unit(unit);
        field.values[at++] = static_cast<float>(1 + shown.dot(Vector3d(1, 2, -3)));
      }
    }
  }
  return field;
}

TEST(ValueAt, IsThatOfThePlaceAsItIsShown) {
  const Vector3d place(1.1, 1.9, 2.7);
  for (const auto unit : {lattice::LengthUnit::angstrom, lattice::LengthUnit::millimetre})
    EXPECT_NEAR(value_at(plane(unit), place).value(), 1 + 1.1 + 3.8 - 8.1, 1e-5);
  const Vector3d in_angstrom = place * units::angstrom_per_bohr;
  EXPECT_NEAR(value_at(plane(lattice::LengthUnit::bohr), in_angstrom).value(),
              1 + in_angstrom.dot(Vector3d(1, 2, -3)), 1e-5);
}

TEST(ValueAt, IsNothingOutsideTheBox) {
  const auto field = plane(lattice::LengthUnit::angstrom);
  EXPECT_TRUE(value_at(field, field.lattice.point(0, 0, 0)));
  EXPECT_TRUE(value_at(field, field.lattice.point(20, 24, 30)));
  EXPECT_FALSE(value_at(field, field.lattice.point(20.01, 24, 30)));
  EXPECT_FALSE(value_at(field, {1, 2, 30}));
  EXPECT_FALSE(value_at(field, {std::nan(""), 2, 3}));
}

TEST(ProfileOfAField, RunsFromOneEndToTheOther) {
  const auto field = plane(lattice::LengthUnit::angstrom);
  const auto found = profile(field, {1, 2, 2}, {1, 2, 4}, 5);
  EXPECT_DOUBLE_EQ(found.length, 2);
  ASSERT_EQ(found.values.size(), 5U);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(found.values[i], 1 + 1 + 4 - 3 * (2 + 0.5 * i), 1e-5);
  const auto beyond = profile(field, {1, 2, 3}, {1, 2, 30}, 3);
  EXPECT_TRUE(std::isfinite(beyond.values[0]));
  EXPECT_TRUE(std::isnan(beyond.values[1]));
}

TEST(HistogramOfAField, CountsEveryFiniteValueOnce) {
  lattice::ScalarField field;
  field.lattice = lattice::centred({0, 0, 0}, {10, 10, 10}, 1);
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

TEST(HistogramOfAField, DecadesForWhatFallsOffExponentially) {
  lattice::ScalarField field;
  field.lattice = lattice::centred({0, 0, 0}, {2, 2, 3}, 1);
  field.values = {100, 99, 2, 2, 0.5F, 1.1e-5F, 2e-6F, 0.9e-6F, 0, -3, 1e-20F, 5};
  const auto found = logarithmic_histogram(field, 8);
  EXPECT_TRUE(found.logarithmic);
  EXPECT_EQ(found.high, 2);
  EXPECT_EQ(found.low, -6);
  EXPECT_EQ(found.counts, (std::vector<std::size_t>{1, 1, 0, 0, 0, 1, 3, 2}));
  EXPECT_EQ(found.left_out, 4U);
}

TEST(HistogramOfAField, OneValueFallsIntoOneBin) {
  lattice::ScalarField field{lattice::centred({0, 0, 0}, {2, 2, 2}, 1), FieldValues(8, 7.0F), "", ""};
  EXPECT_EQ(histogram(field, 3).counts, (std::vector<std::size_t>{8, 0, 0}));
}

}  // namespace
}  // namespace isolume::fields

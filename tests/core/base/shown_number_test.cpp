#include "core/base/shown_number.h"

#include <cmath>

#include <gtest/gtest.h>

namespace isolume {
namespace {

TEST(ShownNumber, ReadingsHaveFourDigitsAtMost) {
  EXPECT_EQ(shown_reading(0.0318374652), "0.03184");
  EXPECT_EQ(shown_reading(0.5), "0.5");
  EXPECT_EQ(shown_reading(1284.629), "1285");
  EXPECT_EQ(shown_reading(999.96), "1000");
  EXPECT_EQ(shown_reading(12.3456), "12.35");
  EXPECT_EQ(shown_reading(91.84, 3), "91.8");
}

TEST(ShownNumber, NothingIsPlainZero) {
  EXPECT_EQ(shown_reading(0), "0");
  EXPECT_EQ(shown_reading(-0.0), "0");
  EXPECT_EQ(shown_setting(-0.0), "0");
}

TEST(ShownNumber, WholeNumbersStayWhole) {
  EXPECT_EQ(shown_reading(123456), "123456");
  EXPECT_EQ(shown_reading(-12), "−12");
  EXPECT_EQ(shown_setting(100000), "100000");
}

TEST(ShownNumber, ExponentsAreShort) {
  EXPECT_EQ(shown_reading(3.2e-7), "3.2e-7");
  EXPECT_EQ(shown_reading(-1.5e12), "−1.5e12");
  EXPECT_EQ(shown_setting(1e-6), "1e-6");
  EXPECT_EQ(shown_setting(1e100), "1e100");
}

TEST(ShownNumber, WhatWasTypedIsShownAsTyped) {
  EXPECT_EQ(shown_setting(298.15), "298.15");
  EXPECT_EQ(shown_setting(-0.0125), "-0.0125");
  EXPECT_EQ(shown_setting(0.031837465123), "0.03184");
  EXPECT_EQ(shown_setting(1284.6291234), "1285");
}

TEST(ShownNumber, NumbersThatAreNoneHaveTheirNames) {
  EXPECT_EQ(shown_reading(std::nan("")), "nan");
  EXPECT_EQ(shown_setting(INFINITY), "inf");
}

TEST(PrettyUnit, HasExponentsAsInPrint) {
  EXPECT_EQ(pretty_unit("mm^-2"), "mm⁻²");
  EXPECT_EQ(pretty_unit("bohr^-3/2"), "bohr⁻³ᐟ²");
  EXPECT_EQ(pretty_unit("e/bohr^3"), "e/bohr³");
  EXPECT_EQ(pretty_unit("angstrom^2"), "Å²");
}

}  // namespace
}  // namespace isolume

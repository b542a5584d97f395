#include "core/base/number.h"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "core/base/byte_size.h"

namespace isolume {
namespace {

TEST(Number, HasOneSignAndNothingElse) {
  EXPECT_EQ(parse_number<int>("+3"), 3);
  EXPECT_EQ(parse_number<int>("-3"), -3);
  EXPECT_EQ(parse_number<double>("+2.5e-1"), 0.25);
  EXPECT_EQ(parse_number<double>(".5"), 0.5);
  for (const char* text :
       {"+-3", "-+3", "++3", "--3", "+", "-", "", " 3", "3 ", "3,", "0x3", "3e", "1e+-3"}) {
    EXPECT_EQ(parse_number<double>(text), std::nullopt) << text;
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
  }
}

TEST(Number, TooLargeIsNoneAndTooSmallIsZero) {
  EXPECT_EQ(parse_number<double>("1e400"), std::nullopt);
  EXPECT_EQ(parse_number<double>("-1e400"), std::nullopt);
  EXPECT_EQ(parse_number<double>("1e-400"), 0);
  EXPECT_EQ(parse_number<double>("-0." + std::string(400, '0') + "1"), 0);
  EXPECT_EQ(parse_number<double>("1" + std::string(400, '0')), std::nullopt);
  EXPECT_EQ(parse_number<float>("1e39"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint8_t>("255"), 255);
  EXPECT_EQ(parse_number<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint8_t>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<std::int8_t>("-128"), -128);
  EXPECT_EQ(parse_number<int>("1e-400"), std::nullopt);
}

TEST(Number, IsFiniteWhereThatIsAskedFor) {
  EXPECT_TRUE(std::isnan(parse_number<double>("nan").value()));
  EXPECT_EQ(parse_finite("nan"), std::nullopt);
  EXPECT_EQ(parse_finite("-inf"), std::nullopt);
  EXPECT_EQ(parse_finite("+-3"), std::nullopt);
  EXPECT_EQ(parse_finite("+1.5"), 1.5);
}

TEST(Number, PixelSizesAreTwoWholeNumbers) {
  EXPECT_EQ(parse_pixel_size("1280x960", 16, 8192), (std::pair{1280, 960}));
  for (const char* text :
       {"1280", "1280x", "x960", "15x960", "1280x8193", "1280x960x1", "1280 x960", "+-20x960"})
    EXPECT_EQ(parse_pixel_size(text, 16, 8192), std::nullopt) << text;
}

TEST(Number, SizesOfMemoryAreReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("4096"), 4096U);
  EXPECT_EQ(parse_bytes("12B"), 12U);
  EXPECT_EQ(parse_bytes("1.5KiB"), 1536U);
  EXPECT_EQ(parse_bytes("500 MiB"), std::size_t{500} << 20);
  EXPECT_EQ(parse_bytes("2GiB"), std::size_t{2} << 30);
  EXPECT_EQ(parse_bytes("1TiB"), std::size_t{1} << 40);
  for (const char* wrong : {"", "GiB", "2GB", "-1", "2  GiB", "2GiB ", "nan", "inf", "1e30", "two"}) {
    EXPECT_EQ(parse_bytes(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace isolume

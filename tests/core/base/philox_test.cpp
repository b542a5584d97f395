#include "core/base/philox.h"

#include <gtest/gtest.h>

namespace isolume {
namespace {

using Words = std::array<std::uint32_t, 4>;

/// The known answers that Random123 publishes (kat_vectors, "philox 4x32 10").
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, NumbersOfAnItemAreItsOwn) {
  Random one(5, 7), same(5, 7), another_seed(6, 7), another_item(5, 8), another_purpose(5, 7, 1);
  for (int i = 0; i < 10; ++i) {
    const double value = one.uniform();
    EXPECT_EQ(value, same.uniform());
    EXPECT_NE(value, another_seed.uniform());
    EXPECT_NE(value, another_item.uniform());
    EXPECT_NE(value, another_purpose.uniform());
  }
}

TEST(Random, MomentsAreThoseOfTheDistributions) {
  constexpr int count = 200000;
  double mean = 0, square = 0, fourth = 0, even = 0, even_square = 0;
  for (int i = 0; i < count; ++i) {
    Random random(1, static_cast<std::uint64_t>(i));
    const double normal = random.normal(), uniform = random.uniform();
    ASSERT_GT(uniform, 0);
    ASSERT_LT(uniform, 1);
    mean += normal / count;
    square += normal * normal / count;
    fourth += normal * normal * normal * normal / count;
    even += uniform / count;
    even_square += uniform * uniform / count;
  }
  EXPECT_NEAR(mean, 0, 4 / std::sqrt(count));
  EXPECT_NEAR(square, 1, 4 * std::sqrt(2.0 / count));
  EXPECT_NEAR(fourth, 3, 4 * std::sqrt(96.0 / count));
  EXPECT_NEAR(even, 0.5, 4 * std::sqrt(1.0 / 12 / count));
  EXPECT_NEAR(even_square, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / count));
}

}  // namespace
}  // namespace isolume

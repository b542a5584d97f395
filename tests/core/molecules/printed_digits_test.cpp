#include "core/molecules/printed_digits.h"

#include <gtest/gtest.h>

namespace isolume::molecules {
namespace {

double half_unit(std::initializer_list<const char*> words, double value) {
  PrintedDigits digits;
  for (const char* word : words) digits.see(word);
  return digits.half_unit(value);
}

TEST(PrintedDigits, of_fixed_places_are_the_same_for_all_values) {
  EXPECT_DOUBLE_EQ(half_unit({"10.389", "-0.126", "0.000"}, 10.389), 0.5e-3);
  EXPECT_DOUBLE_EQ(half_unit({"10.389", "-0.126", "0.000"}, 0.126), 0.5e-3);
}

TEST(PrintedDigits, of_scientific_numbers_follow_the_value) {
  EXPECT_DOUBLE_EQ(half_unit({"0.3683820D+02"}, 36.8382), 0.5e-5);
  EXPECT_DOUBLE_EQ(half_unit({"1.23456789E-01", "0.0"}, 1000), 0.5e-5);
  EXPECT_DOUBLE_EQ(half_unit({"1.2345-103"}, 1e-103), 0.5e-107);
  // A language that prints the shortest form has both kinds in one column.
  EXPECT_DOUBLE_EQ(half_unit({"2.5", "1.2345678901234567e-05"}, 2.5), 0.5e-16);
}

TEST(PrintedDigits, of_significant_digits_alone_follow_the_value_too) {
  EXPECT_DOUBLE_EQ(half_unit({"1234.5", "0.00012345"}, 1234.5), 0.05);
}

TEST(PrintedDigits, whole_numbers_and_words_tell_nothing) {
  EXPECT_EQ(half_unit({"12", "0", "0.000", "word", ""}, 1), 0);
}

}  // namespace
}  // namespace isolume::molecules

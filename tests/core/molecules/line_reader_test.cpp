#include "core/molecules/line_reader.h"

#include <clocale>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace isolume::molecules {
namespace {

const std::filesystem::path name = "file.txt";

TEST(Numbers, as_programs_print_them) {
  EXPECT_EQ(parse_real("1.5"), 1.5);
  EXPECT_EQ(parse_real("+1.5"), 1.5);
  EXPECT_EQ(parse_real("-.14088313098110E-01"), -.14088313098110E-01);
  EXPECT_EQ(parse_real("1.0D+00"), 1.0);
  EXPECT_EQ(parse_real("0.12345678d-03"), 0.12345678e-3);
  EXPECT_EQ(parse_real("1.25-100"), 1.25e-100);
  EXPECT_EQ(parse_real("1.25+100"), 1.25e100);
  EXPECT_EQ(parse_real("3"), 3.0);
  EXPECT_EQ(parse_real("1e-400"), 0.0);
  EXPECT_EQ(parse_real("1.0-400"), 0.0);
}

TEST(Numbers, refuse_everything_else) {
  for (const char* text : {"", "+", "-", "abc", "nan", "NaN", "inf", "-Infinity", "*****", "1.0.0", "1e5e5",
                           "1e400", "++1", "+-1x", "1,5", "0x10", "1.0E", "--1"}) {
    EXPECT_FALSE(parse_real(text).has_value()) << text;
  }
  for (const char* text : {"", "1.0", "a", "9999999999999999999999", "1e3", "+"}) {
    EXPECT_FALSE(parse_integer(text).has_value()) << text;
  }
  EXPECT_EQ(parse_integer("+12"), 12);
  EXPECT_EQ(parse_integer("-12"), -12);
}

TEST(Numbers, do_not_depend_on_the_locale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_NUMERIC, locale) == nullptr) continue;
    EXPECT_EQ(parse_real("1.5D0"), 1.5);
  }
  std::setlocale(LC_NUMERIC, before.c_str());
  EXPECT_EQ(parse_real("1.5"), 1.5);
}

std::vector<std::string> lines_of(std::string_view text) {
  LineReader reader(name, text, {});
  std::vector<std::string> lines;
  while (reader.next()) lines.emplace_back(reader.line());
  return lines;
}

TEST(LineReader, understands_all_line_ends) {
  const std::vector<std::string> expected{"one", "", "two"};
  EXPECT_EQ(lines_of("one\n\ntwo\n"), expected);
  EXPECT_EQ(lines_of("one\n\ntwo"), expected);
  EXPECT_EQ(lines_of("one\r\n\r\ntwo\r\n"), expected);
  EXPECT_EQ(lines_of("one\r\rtwo\r"), expected);
  EXPECT_EQ(lines_of("\xef\xbb\xbfone\n\ntwo"), expected);
  EXPECT_TRUE(lines_of("").empty());
}

TEST(LineReader, pushes_back) {
  LineReader reader(name, "a\nb\nc\n", {});
  ASSERT_TRUE(reader.next());
  ASSERT_TRUE(reader.next());
  reader.push_back();
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), "b");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), "c");
  EXPECT_FALSE(reader.next());
}

TEST(LineReader, words_are_split_at_tabs_and_blanks) {
  LineReader reader(name, " 1\t 2\v3 \n", {});
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.words(), (std::vector<std::string_view>{"1", "2", "3"}));
}

TEST(LineReader, errors_name_file_line_expectation_and_remedy) {
  LineReader reader(name, "one\ntwo\n", {});
  reader.next();
  reader.next();
  try {
    reader.real("abc", "exponent");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "file.txt:2: expected a finite number (exponent), found \"abc\". Export the file again.");
    EXPECT_EQ(error.line(), 2u);
  }
  EXPECT_THROW(reader.count("1000000", "number of things", 2), InputError);
  EXPECT_THROW(reader.count("-1", "number of things", 2), InputError);
  EXPECT_THROW(reader.integer("7", "index", 1, 6), InputError);
}

}  // namespace
}  // namespace isolume::molecules

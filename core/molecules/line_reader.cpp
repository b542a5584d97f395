#include "core/molecules/line_reader.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/number.h"

namespace isolume::molecules {
namespace {

bool is_blank(char c) {
  return static_cast<unsigned char>(c) <= ' ';
}

bool is_digit_or_point(char c) {
  return (c >= '0' && c <= '9') || c == '.';
}

}  // namespace

std::optional<double> parse_real(std::string_view word) {
  if (const auto value = parse_finite(word)) return value;

  std::string rewritten;
  rewritten.reserve(word.size() + 1);
  bool has_exponent = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (c == 'd' || c == 'D' || c == 'e' || c == 'E' || c == 'q' || c == 'Q') {
      if (has_exponent) return std::nullopt;
      has_exponent = true;
      rewritten += 'e';
    } else if ((c == '+' || c == '-') && i > 0 && is_digit_or_point(word[i - 1]) && !has_exponent) {
      has_exponent = true;  // Fortran drops the letter when the exponent has three digits
      rewritten += 'e';
      rewritten += c;
    } else {
      rewritten += c;
    }
  }
  return parse_finite(rewritten);
}

std::optional<long> parse_integer(std::string_view word) {
  return parse_number<long>(word);
}

std::optional<double> number_behind(std::string_view line, std::string_view phrase) {
  const std::size_t at = line.find(phrase);
  const std::size_t equals = at == std::string_view::npos ? at : line.find('=', at);
  if (equals == std::string_view::npos) return std::nullopt;
  std::vector<std::string_view> words;
  split_words(line.substr(equals + 1), words);
  return words.empty() ? std::nullopt : parse_real(words.front());
}

void split_words(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  std::size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && is_blank(line[i])) ++i;
    const std::size_t start = i;
    while (i < line.size() && !is_blank(line[i])) ++i;
    if (i > start) words.push_back(line.substr(start, i - start));
  }
}

void split_columns(std::string_view line, std::size_t width, std::vector<std::string_view>& words) {
  words.clear();
  for (std::size_t start = 0; start < line.size(); start += width) {
    const std::string_view word = trimmed(line.substr(start, width));
    if (!word.empty()) words.push_back(word);
  }
}

bool starts_with_ignoring_case(std::string_view text, std::string_view beginning) {
  return lower_case(text.substr(0, beginning.size())) == lower_case(beginning);
}

LineReader::LineReader(const std::filesystem::path& path, std::string_view text,
                       const jobs::Progress& progress)
    : path_(path), text_(text), progress_(progress) {
  if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  if (text_.find('\n') == std::string_view::npos) line_end_ = '\r';
}

bool LineReader::next() {
  if (pushed_back_) {
    pushed_back_ = false;
    return true;
  }
  split_ = false;
  if (position_ >= text_.size()) {
    line_ = {};
    return false;
  }
  const std::size_t end = std::min(text_.find(line_end_, position_), text_.size());
  line_ = text_.substr(position_, end - position_);
  position_ = std::min(end + 1, text_.size());
  while (line_.ends_with('\r')) line_.remove_suffix(1);
  ++number_;
  if (number_ % 4096 == 0) {
    progress_.check();
    progress_.report(static_cast<double>(position_) / static_cast<double>(text_.size()), "reading");
  }
  return true;
}

void LineReader::require(std::string_view what) {
  if (!next())
    fail_at(number_, fmt::format("the file ends where {} was expected", what),
            "The file is truncated: copy or export it again.");
}

bool LineReader::ends_here() const {
  return position_ >= text_.size() && !text_.empty() && text_.back() != '\n' && text_.back() != '\r';
}

const std::vector<std::string_view>& LineReader::words() {
  if (!split_) split_words(line_, words_);
  split_ = true;
  return words_;
}

double LineReader::real(std::string_view word, std::string_view what) const {
  if (const auto value = parse_real(word)) return *value;
  if (word.find("***") != std::string_view::npos) {
    fail(fmt::format("{} is printed as {}: it did not fit its column", what, quoted(word)),
         "Export again with a program version that prints it in full.");
  }
  fail(fmt::format("expected a finite number ({}), found {}", what, quoted(word)));
}

long LineReader::integer(std::string_view word, std::string_view what) const {
  if (const auto value = parse_integer(word)) return *value;
  fail(fmt::format("expected a whole number ({}), found {}", what, quoted(word)));
}

long LineReader::integer(std::string_view word, std::string_view what, long lowest, long highest) const {
  const long value = integer(word, what);
  if (value < lowest || value > highest) {
    fail(fmt::format("{} is {}, but must lie between {} and {}", what, value, lowest, highest));
  }
  return value;
}

std::size_t LineReader::count(std::string_view word, std::string_view what, std::size_t bytes_each) const {
  const long value = integer(word, what);
  if (value < 0) fail(fmt::format("{} is {}, but a count cannot be negative", what, value));
  const std::size_t most = (remaining() + 1) / bytes_each;
  if (static_cast<std::size_t>(value) > most) {
    fail(fmt::format("{} is {}, but the rest of the file can hold at most {}", what, value, most),
         "The file is truncated or damaged: copy or export it again.");
  }
  return static_cast<std::size_t>(value);
}

void LineReader::fail(std::string_view problem, std::string_view remedy) const {
  fail_at(number_, problem,
          ends_here() ? "The file ends in this line and may be truncated: copy or export it again." : remedy);
}

void LineReader::fail_at(std::size_t line, std::string_view problem, std::string_view remedy) const {
  throw InputError(path_, line, problem, remedy);
}

}  // namespace isolume::molecules

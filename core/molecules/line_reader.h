#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/letter_case.h"
#include "core/base/text.h"
#include "core/jobs/progress.h"

namespace isolume::molecules {

/// A finite number as printed by programs, whatever the locale: leading '+', exponents with E or D or (Fortran, three
/// digits) none at all as in 1.0-100. Nothing for anything else: words, NaN, infinities, `****`.
std::optional<double> parse_real(std::string_view word);
std::optional<long> parse_integer(std::string_view word);
/// The number after the first "=" after a phrase; nothing if there is none.
std::optional<double> number_behind(std::string_view line, std::string_view phrase);

/// Words between blanks, tabs and other control characters.
void split_words(std::string_view line, std::vector<std::string_view>& words);
/// Words of a fixed width, for numbers that touch each other; empty ones are left out.
void split_columns(std::string_view line, std::size_t width, std::vector<std::string_view>& words);
/// Ignores the case of the letters A to Z.
bool starts_with_ignoring_case(std::string_view text, std::string_view beginning);

/// Lines of a file held in memory; all errors are reported as InputError naming file and line. Understands Unix,
/// Windows and old Macintosh line ends and skips a UTF-8 byte order mark. The text must outlive it.
class LineReader {
 public:
  LineReader(const std::filesystem::path& path, std::string_view text, const jobs::Progress& progress);

  /// Moves to the next line; false at the end of the file. Throws Cancelled.
  bool next();
  /// Moves to the next line or fails with "the file ends where <what> was expected".
  void require(std::string_view what);
  /// The next call of `next` returns the current line again.
  void push_back() { pushed_back_ = true; }

  std::string_view line() const { return line_; }
  /// The words of the current line; valid until the next `next`.
  const std::vector<std::string_view>& words();
  /// Whether the file ends in the current line, without a line end: it may have been truncated here.
  bool ends_here() const;
  std::size_t line_number() const { return number_; }
  /// Characters after the current line: an upper bound for what a count can refer to.
  std::size_t remaining() const { return text_.size() - position_; }
  std::size_t size() const { return text_.size(); }

  double real(std::string_view word, std::string_view what) const;
  long integer(std::string_view word, std::string_view what) const;
  /// An integer in [lowest, highest].
  long integer(std::string_view word, std::string_view what, long lowest, long highest) const;
  /// A count whose items take at least `bytes_each` characters of the rest of the file.
  std::size_t count(std::string_view word, std::string_view what, std::size_t bytes_each) const;

  /// If the file ends in the current line, the remedy is to copy the file again.
  [[noreturn]] void fail(std::string_view problem, std::string_view remedy = "Export the file again.") const;
  [[noreturn]] void fail_at(std::size_t line, std::string_view problem,
                            std::string_view remedy = "Export the file again.") const;

 private:
  std::filesystem::path path_;
  std::string_view text_;
  jobs::Progress progress_;
  char line_end_ = '\n';
  std::size_t position_ = 0;
  std::size_t number_ = 0;
  std::string_view line_;
  bool pushed_back_ = false;
  bool split_ = false;
  std::vector<std::string_view> words_;
};

}  // namespace isolume::molecules

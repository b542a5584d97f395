#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace isolume::anatomy {

/// Without blanks at either end.
std::string_view trimmed(std::string_view text);
/// The cells of a line of CSV (RFC 4180), trimmed.
std::vector<std::string> csv_cells(std::string_view line);
/// Opens a file of at most 16 MiB; `what` names what it should hold. Throws InputError.
std::ifstream open_small(const std::filesystem::path& path, std::string_view what);

/// A table with comments, read line by line. The path has to live as long as it is used.
class CsvLines {
 public:
  CsvLines(const std::filesystem::path& path, std::string_view what)
      : path_(path), file_(open_small(path, what)) {}

  /// The next line that is not empty and no comment (#); comments are passed to `comment`.
  template <class Comment>
  bool next(const Comment& comment) {
    while (read_line()) {
      const std::string_view text = trimmed(line_);
      if (text.empty()) continue;
      if (text.front() == '#') {
        comment(text);
        continue;
      }
      cells_ = csv_cells(text);
      return true;
    }
    return false;
  }
  const std::vector<std::string>& cells() const { return cells_; }
  /// The text of a cell in quotes, or "the end of the line".
  std::string found(std::size_t column) const;
  /// Throws InputError at the present line.
  [[noreturn]] void fail(std::string_view problem, std::string_view remedy) const;

 private:
  bool read_line();

  const std::filesystem::path& path_;
  std::ifstream file_;
  std::string line_;
  std::size_t number_ = 0;
  std::vector<std::string> cells_;
};

}  // namespace isolume::anatomy

#include "core/anatomy/csv_lines.h"

#include <cstdint>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/input_file.h"

namespace isolume::anatomy {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string> csv_cells(std::string_view line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_quote = line[i] == '"';
    if (is_quoted && is_quote && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (is_quote) {
      is_quoted = !is_quoted;
    } else if (line[i] == ',' && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  for (std::string& each : cells) each = std::string(trimmed(each));
  return cells;
}

std::ifstream open_small(const std::filesystem::path& path, std::string_view what) {
  std::ifstream file = open_input(path);
  constexpr std::uintmax_t most_bytes = 1 << 24;
  if (std::filesystem::file_size(path) > most_bytes) {
    throw InputError(path, 0, fmt::format("it is larger than {}", format_bytes(most_bytes)),
                     fmt::format("Choose a file with {}.", what));
  }
  return file;
}

bool CsvLines::read_line() {
  if (!std::getline(file_, line_)) return false;
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (number_++ == 0 && line_.starts_with(byte_order_mark)) line_.erase(0, byte_order_mark.size());
  return true;
}

std::string CsvLines::found(std::size_t column) const {
  return column < cells_.size() ? isolume::quoted(cells_[column]) : std::string("the end of the line");
}

void CsvLines::fail(std::string_view problem, std::string_view remedy) const {
  throw InputError(path_, number_, problem, remedy);
}

}  // namespace isolume::anatomy

#include "core/base/csv.h"

namespace isolume {

std::string quoted_csv_cell(std::string_view text) {
  std::string cell = "\"";
  for (const char each : text) {
    if (each == '"') cell += '"';
    cell += each;
  }
  return cell + '"';
}

std::string csv_cell(std::string_view text) {
  return text.find_first_of(",\"\r\n") == text.npos ? std::string(text) : quoted_csv_cell(text);
}

}  // namespace isolume

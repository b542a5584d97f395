#include "core/base/number_list.h"

#include <charconv>

namespace isolume {

std::vector<double> numbers_in(std::string_view text) {
  const auto is_between = [](char c) { return c == ' ' || c == ','; };
  std::vector<double> numbers;
  const char *at = text.data(), *const end = at + text.size();
  while (at != end) {
    if (is_between(*at)) {
      ++at;
      continue;
    }
    double number = 0;
    const auto [behind, problem] = std::from_chars(at, end, number);
    if (problem != std::errc() || (behind != end && !is_between(*behind))) return {};
    numbers.push_back(number);
    at = behind;
  }
  return numbers;
}

}  // namespace isolume

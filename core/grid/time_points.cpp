#include "core/grid/time_points.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::grid {

std::optional<double> TimePoints::time_s() const {
  if (!step_s) return std::nullopt;
  return index * *step_s;
}

std::vector<std::string> numbered(std::string_view what, int count) {
  std::vector<std::string> names;
  for (int number = 1; number <= count; ++number)
    names.push_back(fmt::format("{} {} of {}", what, number, count));
  return names;
}

void require_time_point(const std::filesystem::path& file, int index, int count) {
  if (index >= 0 && index < count) return;
  throw Error(fmt::format("{}: there is no time point {}; it has {}.", file.string(), index + 1, count));
}

}  // namespace isolume::grid

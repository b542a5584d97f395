#include "core/livewire/search_area.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::livewire {

Rectangle common(const Rectangle& one, const Rectangle& other) {
  const auto end = [](int begin, int size) { return std::int64_t{begin} + size; };
  const int x = std::max(one.x, other.x), y = std::max(one.y, other.y);
  const auto right = std::min(end(one.x, one.width), end(other.x, other.width)),
             bottom = std::min(end(one.y, one.height), end(other.y, other.height));
  return {x, y, static_cast<int>(std::max<std::int64_t>(0, right - x)),
          static_cast<int>(std::max<std::int64_t>(0, bottom - y))};
}

Rectangle search_area(const CostGrid& grid, Pixel seed, const SearchOptions& options) {
  const Rectangle slice{0, 0, grid.width, grid.height};
  const Rectangle area = options.region.empty() ? slice : common(slice, options.region);
  if (!area.contains(seed)) throw Error(fmt::format("The seed ({}, {}) lies outside.", seed.x, seed.y));
  // No shortest path costs more than going straight along x, then along y.
  const auto longest = static_cast<std::uint64_t>(area.width) + static_cast<std::uint64_t>(area.height);
  if (longest * grid.greatest_arc >= unreached) {
    throw Error(
        fmt::format("Costs of up to {} a step are too large for {} × {} pixels: distances would overflow.",
                    grid.greatest_arc, area.width, area.height));
  }
  return area;
}

std::vector<std::uint32_t> distances_within(Rectangle area, const CostGrid& grid, const Search& search) {
  std::vector<std::uint32_t> all(grid.pixel_count(), unreached);
  for (int y = area.y; y < area.y + area.height; ++y) {
    for (int x = area.x; x < area.x + area.width; ++x) all[grid.index({x, y})] = search.distance({x, y});
  }
  return all;
}

}  // namespace isolume::livewire

#include "core/livewire/search_area.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::livewire {

Rectangle search_area(const CostGrid& grid, Pixel seed, const SearchOptions& options) {
  Rectangle area{0, 0, grid.width, grid.height};
  if (!options.region.empty()) {
    const auto& wanted = options.region;
    const auto right = std::min<std::int64_t>(grid.width, std::int64_t{wanted.x} + wanted.width),
               bottom = std::min<std::int64_t>(grid.height, std::int64_t{wanted.y} + wanted.height);
    area.x = std::max(0, wanted.x);
    area.y = std::max(0, wanted.y);
    area.width = static_cast<int>(std::max<std::int64_t>(0, right - area.x));
    area.height = static_cast<int>(std::max<std::int64_t>(0, bottom - area.y));
  }
  if (!area.contains(seed)) throw Error(fmt::format("The seed ({}, {}) lies outside.", seed.x, seed.y));
  // No shortest path is dearer than going straight along x, then along y.
  const auto longest = static_cast<std::uint64_t>(area.width) + static_cast<std::uint64_t>(area.height);
  if (longest * grid.greatest_arc >= unreached) {
    throw Error(
        fmt::format("Costs of up to {} a step are too large for {} x {} pixels: distances would overflow.",
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

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/livewire/engine.h"

namespace isolume::livewire {

namespace {

/// The direction from which the cheapest path arrives at `pixel`; `straight` where that is one of them.
int direction_of_arrival(const CostGrid& grid, const Search& search, Pixel pixel, std::uint32_t distance,
                         int straight) {
  int found = -1;
  for (int d = 0; d < grid.directions(); ++d) {
    const Pixel step = steps[static_cast<std::size_t>(d)];
    const Pixel before{pixel.x - step.x, pixel.y - step.y};
    if (!grid.contains(before)) continue;
    const std::uint32_t to_there = search.distance(before);
    if (to_there == unreached || to_there >= distance) continue;
    if (to_there + grid.arc(grid.index(before), grid.index(pixel), d) != distance) continue;
    if (d == straight) return d;
    if (found < 0) found = d;
  }
  return found;
}

}  // namespace

std::vector<Pixel> trace_path(const CostGrid& grid, const Search& search, Pixel target) {
  std::uint32_t distance = grid.contains(target) ? search.distance(target) : unreached;
  if (distance == unreached)
    throw Error(fmt::format("No path to pixel ({}, {}) is known.", target.x, target.y));
  std::vector<Pixel> path{target};
  int direction = -1;
  while (distance > 0) {
    const Pixel pixel = path.back();
    direction = direction_of_arrival(grid, search, pixel, distance, direction);
    if (direction < 0)
      throw Error(fmt::format("The distances around pixel ({}, {}) are not final.", pixel.x, pixel.y));
    const Pixel step = steps[static_cast<std::size_t>(direction)];
    path.push_back({pixel.x - step.x, pixel.y - step.y});
    distance = search.distance(path.back());
  }
  std::ranges::reverse(path);
  return path;
}

std::optional<std::uint64_t> path_cost(const CostGrid& grid, const std::vector<Pixel>& path) {
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Pixel from = path[i - 1], to = path[i];
    const int direction = direction_of({to.x - from.x, to.y - from.y}, grid.neighbours);
    if (direction < 0 || !grid.contains(from) || !grid.contains(to)) return std::nullopt;
    sum += grid.arc(grid.index(from), grid.index(to), direction);
  }
  return sum;
}

}  // namespace isolume::livewire

#include "core/livewire/cost_grid.h"

#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::livewire {

std::array<std::uint32_t, 8> step_lengths(const Eigen::Matrix2d& to_mm) {
  const double unit = 128 / to_mm.colwise().norm().minCoeff();
  constexpr double longest =
      std::numeric_limits<std::uint32_t>::max() / greatest_node_cost - 1;  // times a cost
  std::array<std::uint32_t, 8> lengths{};
  for (std::size_t d = 0; d < lengths.size(); ++d) {
    const double length = (to_mm * Eigen::Vector2d(steps[d].x, steps[d].y)).norm();
    lengths[d] = static_cast<std::uint32_t>(std::lround(std::min(length * unit, longest)));
  }
  return lengths;
}

void make_dear(CostGrid& grid, const std::vector<Pixel>& pixels) {
  const auto directions = static_cast<std::size_t>(grid.directions());
  for (const Pixel pixel : pixels) {
    if (!grid.contains(pixel)) continue;
    if (grid.arcs.empty()) grid.node[grid.index(pixel)] = greatest_node_cost;
    for (std::size_t d = 0; d < directions; ++d) {
      const std::uint32_t cost = std::min((greatest_node_cost * grid.length[d] + 64) >> 7, 65535u);
      grid.greatest_arc = std::max(grid.greatest_arc, cost);
      const Pixel from{pixel.x - steps[d].x, pixel.y - steps[d].y};
      if (!grid.arcs.empty() && grid.contains(from))
        grid.arcs[grid.index(from) * directions + d] = static_cast<std::uint16_t>(cost);
    }
  }
}

void finish(CostGrid& grid) {
  const auto& values = grid.arcs.empty() ? grid.node : grid.arcs;
  const std::size_t per_pixel = grid.arcs.empty() ? 1 : static_cast<std::size_t>(grid.directions());
  if (grid.width <= 0 || grid.height <= 0 || values.size() != grid.pixel_count() * per_pixel) {
    throw Error(
        fmt::format("{} costs do not make a grid of {} × {}.", values.size(), grid.width, grid.height));
  }
  std::uint16_t least = values.front(), greatest = least;
  for (const std::uint16_t value :
       values) {  // std::ranges::minmax compares pairs one after the other, which is
                  // slower
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  if (least == 0) throw Error("A cost of 0 is not allowed: the shortest path would not be unique.");
  grid.least_arc = least;
  grid.greatest_arc = greatest;
  if (!grid.arcs.empty()) return;
  const auto used = std::span(grid.length).first(static_cast<std::size_t>(grid.directions()));
  const auto [shortest, longest] = std::ranges::minmax(used);
  grid.least_arc = std::max(1u, (least * shortest + 64) >> 7);
  grid.greatest_arc = (greatest * longest + 64) >> 7;
}

}  // namespace isolume::livewire

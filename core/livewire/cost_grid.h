#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "core/base/field_values.h"

namespace isolume::livewire {

/// A pixel of a slice; also a node of its graph.
struct Pixel {
  int x = 0, y = 0;
  auto operator<=>(const Pixel&) const = default;
};

/// width x height pixels from (x, y) on; an empty rectangle means the whole slice.
struct Rectangle {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Rectangle&) const = default;
  bool empty() const { return width <= 0 || height <= 0; }
  bool contains(Pixel p) const { return p.x >= x && p.y >= y && p.x < x + width && p.y < y + height; }
};

enum class Neighbours { four = 4, eight = 8 };

/// Steps along the arcs of a pixel, by direction; graphs with four neighbours use the first four. The order also
/// decides between equally cheap paths.
inline constexpr std::array<Pixel, 8> steps{
    {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}}};
/// The reverse direction.
constexpr int opposite(int direction) {
  return direction < 4 ? (direction + 2) % 4 : 4 + (direction - 2) % 4;
}

/// Direction of a step between neighbours; -1 for any other.
constexpr int direction_of(Pixel step, Neighbours neighbours = Neighbours::eight) {
  const auto end = steps.begin() + static_cast<int>(neighbours);
  const auto found = std::find(steps.begin(), end, step);
  return found == end ? -1 : static_cast<int>(found - steps.begin());
}

using CostValues = std::vector<std::uint16_t, UninitialisedAllocator<std::uint16_t>>;

/// The slice as a graph with integer costs, so that all engines agree exactly. It has two forms. *Nodes*: entering
/// pixel q in direction d costs (node[q] * length[d] + 64) >> 7, at least 1: node costs are per step of the shortest
/// kind, lengths in 1/128 of that (128 and 181 for square pixels, others where pixels are not square). *Arcs*: every
/// arc has a cost of its own, arcs[index * neighbours + d] for leaving pixel `index` in direction d; those that leave
/// the slice are ignored. Costs are 1 or more.
struct CostGrid {
  int width = 0, height = 0;
  Neighbours neighbours = Neighbours::eight;
  std::array<std::uint32_t, 8> length{128, 128, 128, 128, 181, 181, 181, 181};
  CostValues node;  ///< empty in the arc form
  CostValues arcs;  ///< empty in the node form
  /// Range of all arc costs, by which engines size their buckets.
  std::uint32_t least_arc = 1, greatest_arc = 1;
  /// Grid units per 1.0 of the cost before rounding: distances divided by this are in the unit of the cost.
  double units_per_one = 1;

  int directions() const { return static_cast<int>(neighbours); }
  std::size_t pixel_count() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  std::size_t index(Pixel p) const {
    return static_cast<std::size_t>(p.y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(p.x);
  }
  bool contains(Pixel p) const { return p.x >= 0 && p.y >= 0 && p.x < width && p.y < height; }
  /// Cost of going from `from` in `direction` to `to`, the pixel there (both inside).
  std::uint32_t arc(std::size_t from, std::size_t to, int direction) const {
    if (!arcs.empty())
      return arcs[from * static_cast<std::size_t>(directions()) + static_cast<std::size_t>(direction)];
    return std::max(1u, (node[to] * length[static_cast<std::size_t>(direction)] + 64) >> 7);
  }
};

/// Upper limit of node costs: fine enough for rounding to be below noise, small enough for bucket queues to stay in
/// the cache.
inline constexpr std::uint32_t greatest_node_cost = 1023;

/// Lengths of the eight steps for pixels of this shape (PlaneGrid::metric()), in 1/128 of the shorter side; limited
/// to 32 000 times that.
std::array<std::uint32_t, 8> step_lengths(const Eigen::Matrix2d& to_mm);

/// Makes entering these pixels as expensive as if there were no edge at all.
void make_dear(CostGrid& grid, const std::vector<Pixel>& pixels);

/// Sets least_arc and greatest_arc. Throws Error where a cost is 0 or a size does not match.
void finish(CostGrid& grid);

}  // namespace isolume::livewire

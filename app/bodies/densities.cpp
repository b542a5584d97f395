#include "app/bodies/densities.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace isolume::bodies {
namespace {

constexpr int side = 64;

/// Box that holds nine tenths of the bodies along each axis.
struct Grid {
  std::array<float, 3> low{}, cell{};

  explicit Grid(std::span<const float> positions) {
    constexpr std::size_t most = 5000;
    const std::size_t bodies = positions.size() / 3, stride = bodies / most + 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<float> sample;
      for (std::size_t i = 0; i < bodies; i += stride) sample.push_back(positions[3 * i + axis]);
      std::ranges::sort(sample);
      const float from = sample[sample.size() / 20], to = sample[sample.size() - 1 - sample.size() / 20];
      constexpr float shortest = 1e-9F;  // keeps a cell's volume within the range of float
      const float length = std::max(to - from, shortest);
      constexpr float margin = 0.25F;  // fraction of the length, on both sides
      low[axis] = from - margin * length;
      cell[axis] = (1 + 2 * margin) * length / side;
    }
  }

  float volume() const { return cell[0] * cell[1] * cell[2]; }

  /// Calls `visit` with each of the eight cells whose centres surround a position, and its weight. Returns
  /// false without calls outside the grid.
  template <class Visit>
  bool around(const float* place, const Visit& visit) const {
    std::array<int, 3> first{};
    std::array<float, 3> part{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float index = (place[axis] - low[axis]) / cell[axis] - 0.5F;
      if (!(index >= 0) || index >= side - 1) return false;
      first[axis] = static_cast<int>(index);
      part[axis] = index - static_cast<float>(first[axis]);
    }
    for (int corner = 0; corner < 8; ++corner) {
      std::size_t cell_number = 0;
      float share = 1;
      for (std::size_t axis = 3; axis-- > 0;) {
        const int next = corner >> axis & 1;
        cell_number = cell_number * side + static_cast<std::size_t>(first[axis] + next);
        share *= next == 1 ? part[axis] : 1 - part[axis];
      }
      visit(cell_number, share);
    }
    return true;
  }
};

}  // namespace

std::vector<float> densities(std::span<const float> positions, std::span<const float> masses) {
  std::vector<float> found(masses.size(), 0.0F);
  if (masses.empty()) return found;
  const Grid grid(positions);
  std::vector<float> cells(std::size_t{side} * side * side, 0.0F);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    grid.around(&positions[3 * i], [&](std::size_t cell, float share) { cells[cell] += share * masses[i]; });
  }
  float smallest = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < masses.size(); ++i) {
    grid.around(&positions[3 * i], [&](std::size_t cell, float share) { found[i] += share * cells[cell]; });
    if (found[i] > 0) smallest = std::min(smallest, found[i]);
  }
  if (smallest == std::numeric_limits<float>::max()) smallest = 1;  // all bodies coincide
  for (float& each : found) each = std::max(each, smallest) / grid.volume();
  return found;
}

}  // namespace isolume::bodies

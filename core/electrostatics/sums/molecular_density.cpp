#include "core/electrostatics/sums/molecular_density.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;

/// Range of indices along an axis within `half`, a length, of a coordinate; empty if the first is greater than the
/// last.
std::pair<int, int> indices_near(const grid::Grid& grid, int axis, double place, double half) {
  const double step = grid.step(axis, axis), middle = (place - grid.origin[axis]) / step;
  const auto last = static_cast<double>(grid.dimensions[static_cast<std::size_t>(axis)] - 1);
  return {static_cast<int>(std::clamp(std::ceil(middle - half / step), 0.0, last + 1)),
          static_cast<int>(std::clamp(std::floor(middle + half / step), -1.0, last))};
}

/// Adds an atom's Gaussian, truncated to a sphere, to one layer of the grid.
void add_to_layer(const grid::Grid& grid, float* values, int k, const Vector3d& centre, double radius) {
  const auto& n = grid.dimensions;
  const double reach = density_reach() * radius, scale = -density_sharpness / (radius * radius);
  const auto away = [&](int axis, int at) {
    const double distance = grid.origin[axis] + at * grid.step(axis, axis) - centre[axis];
    return distance * distance;
  };
  const double in_layer = reach * reach - away(2, k);
  if (in_layer < 0) return;
  const auto [first_x, last_x] = indices_near(grid, 0, centre.x(), std::sqrt(in_layer));
  const auto [first_y, last_y] = indices_near(grid, 1, centre.y(), std::sqrt(in_layer));
  const double of_layer = std::exp(density_sharpness + scale * away(2, k));
  std::vector<double> of_column;
  for (int i = first_x; i <= last_x; ++i) of_column.push_back(std::exp(scale * away(0, i)));
  for (int j = first_y; j <= last_y; ++j) {
    const double in_row = in_layer - away(1, j);
    if (in_row < 0) continue;
    const double of_row = of_layer * std::exp(scale * away(1, j));
    float* const row = values + static_cast<std::size_t>(n[0]) *
                                    (static_cast<std::size_t>(j) +
                                     static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(k));
    const auto [first, last] = indices_near(grid, 0, centre.x(), std::sqrt(in_row));
    for (int i = std::max(first, first_x); i <= std::min(last, last_x); ++i)
      row[i] += static_cast<float>(of_row * of_column[static_cast<std::size_t>(i - first_x)]);
  }
}

}  // namespace

double density_reach() {
  return std::sqrt(1 - std::log(least_density) / density_sharpness);
}

double density_pairs(const grid::Grid& grid, const structures::Charges& charges) {
  double volume = 0;
  for (const double radius : charges.radius)
    volume += 4 * std::numbers::pi / 3 * std::pow(density_reach() * radius, 3);
  const double angstrom = grid::shown_per_unit(grid.unit);
  return volume / (std::pow(angstrom, 3) * grid.cell_volume());
}

DensityLayers::DensityLayers(const grid::Grid& grid, const structures::Charges& charges)
    : grid_(grid), charges_(charges), atoms_(static_cast<std::size_t>(grid.dimensions[2])) {
  const double unit = 1 / grid::shown_per_unit(grid.unit);
  for (std::size_t i = 0; i < charges.size(); ++i) {
    if (!(charges.radius[i] > 0)) continue;
    const auto [first, last] =
        indices_near(grid, 2, unit * charges.z[i], unit * density_reach() * charges.radius[i]);
    for (int k = first; k <= last; ++k) atoms_[static_cast<std::size_t>(k)].push_back(i);
  }
}

void DensityLayers::fill(int layer, float* values) const {
  const std::size_t points = grid_.point_count() / atoms_.size();
  std::fill_n(values + static_cast<std::size_t>(layer) * points, points, 0.0F);
  const double unit = 1 / grid::shown_per_unit(grid_.unit);
  for (const std::size_t atom : atoms_[static_cast<std::size_t>(layer)])
    add_to_layer(grid_, values, layer, unit * charges_.place(atom), unit * charges_.radius[atom]);
}

void fill_density(const grid::Grid& grid, const structures::Charges& charges, float* values,
                  const jobs::Progress& progress) {
  const DensityLayers layers(grid, charges);
  handover::parallel_for(tbb::blocked_range<int>(0, grid.dimensions[2], 1), [&](const auto& range) {
    for (int k = range.begin(); k != range.end() && !progress.cancelled(); ++k) layers.fill(k, values);
  });
  progress.check();
}

}  // namespace isolume::electrostatics

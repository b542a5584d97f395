#include "core/electrostatics/maps/map_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/LU>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/memory.h"
#include "core/electrostatics/poisson_boltzmann/distance_map.h"
#include "core/grid/point_number.h"

namespace isolume::electrostatics {
namespace {

constexpr double same_place = 1e-3;  ///< of a step: tolerance for rounding in files

struct Walk {
  std::array<int, 3> at{0, 0, 0};
  std::array<int, 3> dimensions;

  void next() {
    for (std::size_t axis = 0; axis < 3 && ++at[axis] == dimensions[axis] && axis < 2; ++axis) at[axis] = 0;
  }
};

}  // namespace

grid::ScalarField in_unit(grid::ScalarField field, PotentialUnit from, PotentialUnit to,
                          double temperature_kelvin) {
  field.unit = to_text(to);
  if (from == to) return field;
  const auto factor = static_cast<float>(coulomb_constant(to, temperature_kelvin) /
                                         coulomb_constant(from, temperature_kelvin));
  for (float& value : field.values.host()) value *= factor;
  return field;
}

bool have_same_points(const grid::Grid& one, const grid::Grid& other) {
  if (one.dimensions != other.dimensions) return false;
  const auto a = in_angstrom(one), b = in_angstrom(other);
  const auto& n = a.dimensions;
  // Both grids are linear: where the corners coincide, all points do.
  for (int corner = 0; corner < 8; ++corner) {
    const double i = corner & 1 ? n[0] - 1 : 0, j = corner & 2 ? n[1] - 1 : 0, k = corner & 4 ? n[2] - 1 : 0;
    const Eigen::Vector3d off = b.index_at(a.position(i, j, k)) - Eigen::Vector3d(i, j, k);
    if (!(off.cwiseAbs().maxCoeff() <= same_place)) return false;
  }
  return true;
}

grid::ScalarField resampled(const grid::ScalarField& field, const grid::Grid& onto,
                            const jobs::Progress& progress) {
  grid::ScalarField result{.grid = onto, .values = {}, .name = field.name, .unit = field.unit};
  if (have_same_points(field.grid, onto)) {
    result.values = field.values;
    return result;
  }
  dispatch::require_memory("The map on another grid", grid::point_number(onto) * sizeof(float),
                           "Choose a larger spacing.");
  FieldValues values(onto.point_count());
  const auto from = in_angstrom(field.grid), to = in_angstrom(onto);
  const Eigen::Matrix3d to_index = from.step.inverse();
  const Eigen::Vector3d last(from.dimensions[0] - 1, from.dimensions[1] - 1, from.dimensions[2] - 1);
  const auto [nx, ny, nz] = to.dimensions;
  const grid::ScalarField& source = field;
  source.values.host();  // once, before threads access them
  handover::parallel_for(tbb::blocked_range<int>(0, nz), [&, nx = nx, ny = ny](const auto& range) {
    for (int k = range.begin(); k != range.end(); ++k) {
      if (progress.cancelled()) return;
      float* value = values.data() + static_cast<std::size_t>(k) * static_cast<std::size_t>(ny) *
                                         static_cast<std::size_t>(nx);
      for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i, ++value) {
          const Eigen::Vector3d index = to_index * (to.position(i, j, k) - from.origin);
          const Eigen::Vector3d within = index.cwiseMax(0.0).cwiseMin(last);
          const bool inside = (index - within).cwiseAbs().maxCoeff() <= same_place;
          *value = inside ? static_cast<float>(grid::interpolate_at_index(source, within))
                          : std::numeric_limits<float>::quiet_NaN();
        }
      }
    }
  });
  progress.check();
  result.values = std::move(values);
  return result;
}

grid::ScalarField difference_of(grid::ScalarField one, const grid::ScalarField& other) {
  if (one.grid.dimensions != other.grid.dimensions)
    throw Error("Maps on different grids cannot be subtracted.");
  auto& values = one.values.host();
  std::ranges::transform(values, other.values.host(), values.begin(), std::minus<>());
  return one;
}

MapComparison compare(const grid::ScalarField& difference, const grid::ScalarField& other) {
  MapComparison found{.points = difference.values.size()};
  const auto& differences = difference.values.host();
  const auto& others = other.values.host();
  double sum = 0, squares = 0, sum_other = 0, squares_other = 0, products = 0, squares_difference = 0;
  Walk walk{.dimensions = difference.grid.dimensions};
  std::array<int, 3> place{};
  for (std::size_t i = 0; i < differences.size(); ++i, walk.next()) {
    const double off = differences[i], second = others[i], first = off + second;
    if (!std::isfinite(off) || !std::isfinite(second)) continue;
    ++found.compared;
    squares_difference += off * off;
    sum += first;
    squares += first * first;
    sum_other += second;
    squares_other += second * second;
    products += first * second;
    if (found.compared == 1 || std::abs(off) > std::abs(found.largest)) {
      found.largest = off;
      place = walk.at;
    }
  }
  if (found.compared == 0) return found;
  const auto count = static_cast<double>(found.compared);
  found.rms = std::sqrt(squares_difference / count);
  found.place = in_angstrom(difference.grid).position(place[0], place[1], place[2]);
  const double spread = squares - sum * sum / count,
               spread_other = squares_other - sum_other * sum_other / count;
  found.correlation = spread > 0 && spread_other > 0
                          ? (products - sum * sum_other / count) / std::sqrt(spread * spread_other)
                          : std::numeric_limits<double>::quiet_NaN();
  return found;
}

grid::ScalarField known_part(grid::ScalarField field) {
  const auto& values = field.values.host();
  constexpr int none = std::numeric_limits<int>::max();
  std::array<int, 3> low{none, none, none}, high{-1, -1, -1};
  std::size_t known = 0;
  Walk walk{.dimensions = field.grid.dimensions};
  for (std::size_t i = 0; i < values.size(); ++i, walk.next()) {
    if (!std::isfinite(values[i])) continue;
    ++known;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], walk.at[axis]);
      high[axis] = std::max(high[axis], walk.at[axis]);
    }
  }
  if (known == 0) throw Error("The two maps do not overlap. Give two of the same molecule.");
  if (known == values.size()) return field;
  grid::ScalarField part{.grid = field.grid, .values = {}, .name = field.name, .unit = field.unit};
  part.grid.origin = field.grid.position(low[0], low[1], low[2]);
  for (std::size_t axis = 0; axis < 3; ++axis) part.grid.dimensions[axis] = high[axis] - low[axis] + 1;
  if (known != part.grid.point_count()) {
    throw Error(
        "The overlap of the maps is not a box of the grid, so that it cannot be written. Give maps whose "
        "grids are not turned against each other.");
  }
  FieldValues kept;
  kept.reserve(known);
  for (const float value : values)
    if (std::isfinite(value)) kept.push_back(value);
  part.values = std::move(kept);
  return part;
}

}  // namespace isolume::electrostatics

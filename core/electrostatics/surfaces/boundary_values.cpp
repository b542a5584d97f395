#include "core/electrostatics/surfaces/boundary_values.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Core>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/electrostatics/poisson_boltzmann/solvent_surfaces.h"
#include "core/electrostatics/surfaces/molecular_surface.h"
#include "core/fields/numbers.h"

namespace isolume::electrostatics {
namespace {

/// The eight grid points around a place.
struct Cell {
  std::array<double, 8> weight{}, value{}, depth{};

  int corners_in_solute() const {
    return static_cast<int>(std::ranges::count_if(depth, [](double each) { return each > 0; }));
  }
  double interpolated(const std::array<double, 8>& of) const {
    double sum = 0;
    for (std::size_t i = 0; i < of.size(); ++i) sum += weight.at(i) * of.at(i);
    return sum;
  }
  /// `ratio`: permittivity of the solute divided by the solvent's, which counts as 1.
  double across_boundary(double ratio) const {
    const auto reduced = [ratio](double of) { return of > 0 ? of / ratio : of; };
    double products = 0,
           squares = 0;  // for the least squares of the slope, along edges that cross the boundary
    for (std::size_t i = 0; i < 8; ++i) {
      for (const std::size_t axis : {1U, 2U, 4U}) {
        if ((i & axis) != 0 || (depth.at(i) > 0) == (depth.at(i | axis) > 0)) continue;
        const double step = reduced(depth.at(i | axis)) - reduced(depth.at(i));
        products += step * (value.at(i | axis) - value.at(i));
        squares += step * step;
      }
    }
    const double slope = squares > 0 ? products / squares : 0;
    double weights = 0, rest = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const double counted = weight.at(i) * (depth.at(i) > 0 ? ratio : 1);
      weights += counted;
      rest += counted * (value.at(i) - slope * reduced(depth.at(i)));
    }
    return rest / weights + slope * reduced(interpolated(depth));
  }
};

}  // namespace

BoundaryValues::BoundaryValues(const grid::Grid& grid, const structures::Charges& charges,
                               const PotentialOptions& options, SolventSurfaces& known,
                               const jobs::Progress& progress)
    : ratio_(options.solute_dielectric / options.solvent_dielectric) {
  const bool is_sharp = is_poisson_boltzmann(options.method) && options.surface != DielectricSurface::spline;
  const auto& n = grid.dimensions;
  if (!is_sharp || std::ranges::min(n) < 2) return;
  const auto form = options.surface == DielectricSurface::ses ? MolecularSurface::ses : MolecularSurface::vdw;
  auto [field, isovalue, report] = molecular_surface(grid, charges, form, options, known, progress);
  depth_.assign(field.values.begin(), field.values.end());
  for (float& each : depth_) each -= static_cast<float>(isovalue);
}

std::vector<float> BoundaryValues::at(const grid::ScalarField& potential,
                                      std::span<const float> places) const {
  auto values = fields::values_at(potential, places);
  if (depth_.empty()) return values;
  const auto& grid = potential.grid;
  const auto& n = grid.dimensions;
  const double per_unit = grid::shown_per_unit(grid.unit);
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, values.size(), 4096), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      if (std::isnan(values[i])) continue;
      const Eigen::Vector3d place = Eigen::Map<const Eigen::Vector3f>(&places[3 * i]).template cast<double>();
      const Eigen::Vector3d index = grid.index_at(place / per_unit);
      Cell cell;
      for (std::size_t corner = 0; corner < 8; ++corner) {
        std::size_t number = 0, stride = 1;
        cell.weight.at(corner) = 1;
        for (int axis = 0; axis < 3; ++axis) {
          const int count = n.at(static_cast<std::size_t>(axis));
          const int low = std::clamp(static_cast<int>(std::floor(index[axis])), 0, count - 2);
          const bool high = (corner >> axis & 1U) != 0;
          cell.weight.at(corner) *= high ? index[axis] - low : 1 - (index[axis] - low);
          number += stride * static_cast<std::size_t>(low + (high ? 1 : 0));
          stride *= static_cast<std::size_t>(count);
        }
        cell.value.at(corner) = static_cast<double>(potential.values[number]);
        cell.depth.at(corner) = static_cast<double>(depth_[number]);
      }
      const int in_solute = cell.corners_in_solute();
      if (in_solute > 0 && in_solute < 8) values[i] = static_cast<float>(cell.across_boundary(ratio_));
    }
  });
  return values;
}

}  // namespace isolume::electrostatics

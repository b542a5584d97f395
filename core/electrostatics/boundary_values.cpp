#include "core/electrostatics/boundary_values.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Core>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/electrostatics/molecular_surface.h"
#include "core/electrostatics/poisson_boltzmann/solvent_surfaces.h"
#include "core/fields/numbers.h"

namespace isolume::electrostatics {
namespace {

/// From 0 at the cell's low corner to 1, along each axis.
struct InCell {
  Eigen::Vector3i low;
  Eigen::Vector3d part;

  InCell(const Eigen::Vector3d& index, const std::array<int, 3>& counts) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::clamp(static_cast<int>(std::floor(index[axis])), 0, counts.at(axis) - 2);
      part[axis] = index[axis] - low[axis];
    }
  }
  double weight(const Eigen::Vector3i& corner) const {
    double weight = 1;
    for (int axis = 0; axis < 3; ++axis) weight *= corner[axis] == 1 ? part[axis] : 1 - part[axis];
    return weight;
  }
};

}  // namespace

BoundaryValues::BoundaryValues(const lattice::Lattice& lattice, const structures::Charges& charges,
                               const PotentialOptions& options, SolventSurfaces& known,
                               const jobs::Progress& progress)
    : ratio_(options.solute_dielectric / options.solvent_dielectric) {
  const bool is_sharp = is_poisson_boltzmann(options.method) && options.surface != DielectricSurface::spline;
  const auto& n = lattice.dimensions;
  if (!is_sharp || std::ranges::min(n) < 2) return;
  const auto form = options.surface == DielectricSurface::ses ? MolecularSurface::ses : MolecularSurface::vdw;
  const auto [depth, isovalue, report] = molecular_surface(lattice, charges, form, options, known, progress);
  in_solute_.resize(depth.values.size());
  for (std::size_t i = 0; i < in_solute_.size(); ++i) in_solute_[i] = depth.values[i] > isovalue;
}

std::vector<float> BoundaryValues::at(const lattice::ScalarField& potential,
                                      std::span<const float> places) const {
  auto values = fields::values_at(potential, places);
  if (in_solute_.empty()) return values;
  const auto& lattice = potential.lattice;
  const auto& n = lattice.dimensions;
  const double per_unit = lattice::shown_per_unit(lattice.unit);
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, values.size(), 4096), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      if (std::isnan(values[i])) continue;
      const Eigen::Vector3d place = Eigen::Map<const Eigen::Vector3f>(&places[3 * i]).template cast<double>();
      const InCell cell(lattice.index_of(place / per_unit), n);
      double weights = 0, sum = 0;
      for (int c = 0; c < 8; ++c) {
        const Eigen::Vector3i corner(c & 1, c >> 1 & 1, c >> 2);
        const Eigen::Vector3i point = cell.low + corner;
        const std::size_t number = static_cast<std::size_t>(point.x()) +
                                   static_cast<std::size_t>(n[0]) *
                                       (static_cast<std::size_t>(point.y()) +
                                        static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(point.z()));
        const double weight = cell.weight(corner) * (in_solute_[number] ? ratio_ : 1);
        weights += weight;
        sum += weight * static_cast<double>(potential.values[number]);
      }
      values[i] = static_cast<float>(sum / weights);
    }
  });
  return values;
}

}  // namespace isolume::electrostatics

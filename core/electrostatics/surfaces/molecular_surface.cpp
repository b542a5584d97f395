#include "core/electrostatics/surfaces/molecular_surface.h"

#include <algorithm>
#include <memory>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/electrostatics/poisson_boltzmann/distance_map.h"
#include "core/electrostatics/poisson_boltzmann/solvent_surfaces.h"
#include "core/electrostatics/sums/pair_engine.h"

namespace isolume::electrostatics {
namespace {

std::shared_ptr<const SolventSurface> balls_of(const structures::Charges& charges, MolecularSurface form,
                                               double probe, SolventSurfaces& known) {
  if (form == MolecularSurface::vdw) return known.balls(charges);
  structures::Charges swollen{.x = charges.x,
                              .y = charges.y,
                              .z = charges.z,
                              .charge = charges.charge,
                              .radius = charges.radius,
                              .labels = {}};
  for (double& radius : swollen.radius) radius += radius > 0 ? probe : 0;
  return std::make_shared<const SolventSurface>(swollen);
}

}  // namespace

SurfaceField molecular_surface(const grid::Grid& grid, const structures::Charges& charges,
                               MolecularSurface form, double probe_angstrom, const jobs::Progress& progress) {
  PotentialOptions options;
  options.probe_angstrom = probe_angstrom;
  SolventSurfaces known;
  return molecular_surface(grid, charges, form, options, known, progress);
}

SurfaceField molecular_surface(const grid::Grid& grid, const structures::Charges& charges,
                               MolecularSurface form, const PotentialOptions& options, SolventSurfaces& known,
                               const jobs::Progress& progress) {
  SurfaceField found;
  found.field.grid = grid;
  found.field.name = "Molecular surface";
  found.field.values.resize(grid.point_count());
  float* const values = found.field.values.data();
  if (form == MolecularSurface::gaussian) {
    found.report = density_by_engine(grid, charges, values, options, progress);
    return found;
  }
  const auto measured = in_angstrom(grid);
  const double cut_off = 2 * Spacing(measured).longest();
  const auto rolled = form == MolecularSurface::ses
                          ? known.distances(charges, options.probe_angstrom, cut_off, progress)
                          : nullptr;
  const auto balls =
      rolled ? rolled->shared_surface() : balls_of(charges, form, options.probe_angstrom, known);
  const auto distances = rolled ? DistanceMap(*rolled, cut_off, measured) : DistanceMap(*balls, measured);
  found.isovalue = cut_off;
  found.field.unit = "angstrom";
  const std::size_t plane = distances.extents().plane();
  handover::parallel_for(tbb::blocked_range<int>(0, grid.dimensions[2], 1), [&](const auto& range) {
    for (int k = range.begin(); k != range.end(); ++k) {
      const auto from = distances.at(k, Eigen::Vector3d::Zero(), cut_off, progress).surface;
      const auto cut = static_cast<float>(cut_off);
      std::ranges::transform(from, values + static_cast<std::size_t>(k) * plane,
                             [cut](float distance) { return cut - std::clamp(distance, -cut, cut); });
    }
  });
  return found;
}

}  // namespace isolume::electrostatics

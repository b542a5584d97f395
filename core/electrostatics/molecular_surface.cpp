#include "core/electrostatics/molecular_surface.h"

#include <algorithm>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/electrostatics/pair_engine.h"
#include "core/electrostatics/poisson_boltzmann/distance_map.h"

namespace isolume::electrostatics {
namespace {

/// The balls that a surface is made of, or that a probe rolls over.
SolventSurface surface_of(const structures::Charges& charges, MolecularSurface form, double probe,
                          const jobs::Progress& progress) {
  if (form == MolecularSurface::ses) return {charges, probe, progress};
  if (form == MolecularSurface::vdw) return SolventSurface(charges);
  structures::Charges swollen = charges;
  for (double& radius : swollen.radius) radius += radius > 0 ? probe : 0;
  return SolventSurface(swollen);
}

}  // namespace

SurfaceField molecular_surface(const lattice::Lattice& lattice, const structures::Charges& charges,
                               MolecularSurface form, double probe_angstrom, const jobs::Progress& progress) {
  PotentialOptions options;
  options.probe_angstrom = probe_angstrom;
  return molecular_surface(lattice, charges, form, options, progress);
}

SurfaceField molecular_surface(const lattice::Lattice& lattice, const structures::Charges& charges,
                               MolecularSurface form, const PotentialOptions& options,
                               const jobs::Progress& progress) {
  SurfaceField found;
  found.field.lattice = lattice;
  found.field.name = "Molecular surface";
  found.field.values.resize(lattice.point_count());
  float* const values = found.field.values.data();
  if (form == MolecularSurface::gaussian) {
    found.report = density_by_engine(lattice, charges, values, options, progress);
    return found;
  }
  auto surface = surface_of(charges, form, options.probe_angstrom, progress);
  const auto measured = in_angstrom(lattice);
  const bool rolls = form == MolecularSurface::ses;
  const DistanceMap distances(surface, rolls, measured);
  const double cut_off = 2 * distances.spacing().longest();
  if (rolls) surface.prepare(cut_off);
  found.isovalue = cut_off;
  found.field.unit = "angstrom";
  const std::size_t plane = distances.extents().plane();
  handover::parallel_for(tbb::blocked_range<int>(0, lattice.dimensions[2], 1), [&](const auto& range) {
    for (int k = range.begin(); k != range.end() && !progress.cancelled(); ++k) {
      const auto from = distances.at(k, Eigen::Vector3d::Zero(), cut_off, cut_off).surface;
      const auto cut = static_cast<float>(cut_off);
      std::ranges::transform(from, values + static_cast<std::size_t>(k) * plane,
                             [cut](float distance) { return cut - std::clamp(distance, -cut, cut); });
    }
  });
  progress.check();
  return found;
}

}  // namespace isolume::electrostatics

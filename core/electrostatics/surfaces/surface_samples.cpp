#include "core/electrostatics/surfaces/surface_samples.h"

#include <utility>

#include <Eigen/Geometry>

#include "core/electrostatics/poisson_boltzmann/solvent_surfaces.h"
#include "core/electrostatics/surfaces/boundary_values.h"
#include "core/electrostatics/surfaces/residues.h"

namespace isolume::electrostatics {
namespace {

std::vector<double> areas_of_points(const surfaces::Mesh& mesh) {
  const auto point = [&](std::uint32_t i) {
    return Eigen::Map<const Eigen::Vector3f>(&mesh.points[3 * std::size_t{i}]).cast<double>().eval();
  };
  std::vector<double> areas(mesh.point_count());
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
    const std::uint32_t a = mesh.triangles[t], b = mesh.triangles[t + 1], c = mesh.triangles[t + 2];
    const double third = (point(b) - point(a)).cross(point(c) - point(a)).norm() / 6;
    for (const std::uint32_t corner : {a, b, c}) areas[corner] += third;
  }
  return areas;
}

std::vector<float> raised_vertices(const surfaces::Mesh& mesh, double height) {
  std::vector<float> places = mesh.points;
  // Normals point down the surface's field, which increases inwards.
  for (std::size_t i = 0; i < places.size(); ++i) places[i] += static_cast<float>(height) * mesh.normals[i];
  return places;
}

}  // namespace

SurfaceSamples sample_surface(const structures::Charges& charges, const grid::ScalarField& potential,
                              const SampledSurface& surface, double probe_angstrom,
                              const jobs::Progress& progress) {
  PotentialOptions options;
  options.probe_angstrom = probe_angstrom;
  SolventSurfaces known;
  return sample_surface(charges, potential, surface, options, known, progress);
}

SurfaceSamples sample_surface(const structures::Charges& charges, const grid::ScalarField& potential,
                              const SampledSurface& surface, const PotentialOptions& options,
                              SolventSurfaces& known, const jobs::Progress& progress) {
  const auto [field, isovalue, report] =
      molecular_surface(potential.grid, charges, surface.form, options, known, progress.part(0, 0.4));
  SurfaceSamples samples;
  samples.mesh = surfaces::isosurface(field, isovalue, progress.part(0.4, 0.6));
  samples.potential = BoundaryValues(potential.grid, charges, options, known, progress.part(0.6, 0.9))
                          .at(potential, raised_vertices(samples.mesh, surface.above_angstrom));
  progress.check();
  samples.area = areas_of_points(samples.mesh);
  progress.check();
  samples.atom = NearestAtoms(charges, reach_of_atoms).at(samples.mesh.points);
  return samples;
}

}  // namespace isolume::electrostatics

#include "core/electrostatics/surfaces/chosen_places.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number_list.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/memory.h"
#include "core/electrostatics/surfaces/grid_around.h"
#include "core/grid/point_number.h"

namespace isolume::electrostatics {

using Eigen::Vector3d;

PlanePatch plane_patch_of(std::string_view text) {
  const auto numbers = numbers_in(text);
  const auto within = [](double each) { return std::abs(each) <= structures::most_magnitude; };
  if (numbers.size() == 9 && std::ranges::all_of(numbers, within)) {
    const PlanePatch patch{Vector3d(numbers.data()), Vector3d(numbers.data() + 3),
                           Vector3d(numbers.data() + 6)};
    constexpr double least_sine = 1e-3;
    if (patch.u.cross(patch.v).norm() > least_sine * patch.u.norm() * patch.v.norm()) return patch;
  }
  throw Error(fmt::format(
      "The plane is {}. Give nine numbers in angstrom, x, y and z of a corner and of two edges that are not "
      "in line, as in -10,-10,0,20,0,0,0,20,0.",
      isolume::quoted(std::string(text))));
}

Places places_on(const PlanePatch& patch, double spacing_angstrom, const jobs::Progress& progress) {
  const auto steps_along = [&](const Vector3d& edge) {
    constexpr double rounding = 1e-9;
    return std::max(1.0, std::ceil(edge.norm() / spacing_angstrom - rounding));
  };
  const double along_u = steps_along(patch.u), along_v = steps_along(patch.v);
  const double count = (along_u + 1) * (along_v + 1);
  constexpr double bytes_each = 4 * sizeof(double);  // with its potential
  dispatch::require_memory(fmt::format("A plane of {:.3g} points", count), count * bytes_each,
                           "Take a larger spacing.");
  Places places;
  for (double j = 0; j <= along_v; ++j) {
    progress.check();
    for (double i = 0; i <= along_u; ++i) {
      const Vector3d place = patch.corner + i / along_u * patch.u + j / along_v * patch.v;
      places.x.push_back(place.x());
      places.y.push_back(place.y());
      places.z.push_back(place.z());
    }
  }
  return places;
}

surfaces::Mesh surface_mesh(const structures::Charges& charges, MolecularSurface form, double probe_angstrom,
                            double spacing_angstrom, const jobs::Progress& progress) {
  structures::check(charges);
  const double radius = charges.radius.empty() ? 0 : *std::ranges::max_element(charges.radius);
  if (!(radius > 0)) throw Error("No atom has a radius, so that there is no surface. Give radii.");
  // No Gaussian extends farther than 2.3 radii, no probe centre farther than its own radius outside an atom.
  const double margin = std::max(2.3 * radius, radius + probe_angstrom) + 3 * spacing_angstrom;
  const auto grid = grid_around(charges, spacing_angstrom, margin);
  // The field, and for each point whether it is inside and which edges cross the surface.
  constexpr double bytes_a_point = sizeof(float) + 2;
  const double points = grid::point_number(grid);
  dispatch::require_memory(fmt::format("A surface on a grid of {:.4g} points", points),
                           points * bytes_a_point, "Take a larger spacing.");
  const auto [field, isovalue, report] =
      molecular_surface(grid, charges, form, probe_angstrom, progress.part(0, 0.6));
  return surfaces::isosurface(field, isovalue, progress.part(0.6, 1));
}

Places places_above(const surfaces::Mesh& mesh, double distance_angstrom, const jobs::Progress& progress) {
  Places places;
  for (auto* each : {&places.x, &places.y, &places.z}) each->reserve(mesh.point_count());
  for (std::size_t i = 0; i < mesh.point_count(); ++i) {
    if (i % (1U << 16U) == 0) progress.check();
    const auto at = [&](std::size_t axis) {
      return static_cast<double>(mesh.points[3 * i + axis]) +
             distance_angstrom * static_cast<double>(mesh.normals[3 * i + axis]);
    };
    places.x.push_back(at(0));
    places.y.push_back(at(1));
    places.z.push_back(at(2));
  }
  return places;
}

}  // namespace isolume::electrostatics

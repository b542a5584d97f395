#include "core/electrostatics/poisson_boltzmann/dielectric_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/electrostatics/poisson_boltzmann/distance_map.h"
#include "core/electrostatics/poisson_boltzmann/multigrid.h"
#include "core/electrostatics/poisson_boltzmann/solvent_surfaces.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;

/// Stores `value(in_plane)` for each point of plane k.
template <class Value>
void put_plane(const Extents& e, int k, FieldValues& into, const Value& value) {
  for (int j = 0; j < e.ny; ++j) {
    for (int i = 0; i < e.nx; ++i) into[e.at(i, j, k)] = value(e.row(j, 0) + static_cast<std::size_t>(i));
  }
}

void put_ions(const Medium& medium, float ions, const std::vector<float>& from_balls, Level& level, int k) {
  put_plane(level.extents, k, level.d, [&](std::size_t at) {
    return static_cast<double>(from_balls[at]) >= medium.ion_radius ? ions : 0;
  });
}

/// The fraction of a link inside the solute, from the signed distances of its ends.
float inside_part(float a, float b) {
  if (a > 0 && b > 0) return 0;
  if (a <= 0 && b <= 0) return 1;
  const float low = std::min(a, b), high = std::max(a, b);
  return -low / (high - low);
}

struct Areas {
  float x, y, z;  ///< cross-section over length of links along the axes
  explicit Areas(const Spacing& h)
      : x(static_cast<float>(h.y * h.z / h.x)),
        y(static_cast<float>(h.x * h.z / h.y)),
        z(static_cast<float>(h.x * h.y / h.z)) {}
};

/// z holds the signed distances of points.
void harmonic_links(const Medium& medium, const Spacing& h, Level& level, int k) {
  const Extents& e = level.extents;
  const Areas areas(h);
  const float resistance_in = static_cast<float>(1 / medium.solute),
              resistance_out = static_cast<float>(1 / medium.solvent);
  const auto link = [&](float a, float b) {
    const float in = inside_part(a, b);
    return 1 / (in * resistance_in + (1 - in) * resistance_out);
  };
  const float* s = level.z.data();
  for (int j = 0; j < e.ny; ++j) {
    for (int i = 0; i < e.nx; ++i) {
      const std::size_t at = e.at(i, j, k);
      if (i + 1 < e.nx) level.gx[at] = areas.x * link(s[at], s[e.at(i + 1, j, k)]);
      if (j + 1 < e.ny) level.gy[at] = areas.y * link(s[at], s[e.at(i, j + 1, k)]);
      if (k + 1 < e.nz) level.gz[at] = areas.z * link(s[at], s[e.at(i, j, k + 1)]);
    }
  }
}

/// Calls fill(links, cross-section over length, offset from a point to the middle of its link) for each axis.
template <class Fill>
void for_axes(const Spacing& h, Level& level, const Fill& fill) {
  const Areas areas(h);
  fill(level.gx, areas.x, Vector3d(h.x / 2, 0, 0));
  fill(level.gy, areas.y, Vector3d(0, h.y / 2, 0));
  fill(level.gz, areas.z, Vector3d(0, 0, h.z / 2));
}

void sharp_links(const Medium& medium, const DistanceMap& distances, Level& level, int k,
                 const jobs::Progress& progress) {
  for_axes(distances.spacing(), level, [&](FieldValues& g, float area, const Vector3d& half) {
    const auto from = distances.at(k, half, 0, progress).surface;
    const float in = area * static_cast<float>(medium.solute),
                out = area * static_cast<float>(medium.solvent);
    put_plane(level.extents, k, g, [&](std::size_t at) { return from[at] > 0 ? out : in; });
  });
}

/// 0 inside of a sphere's window, 1 outside of it.
double spline_of(double distance, double half) {
  if (distance <= -half) return 0;
  if (distance >= half) return 1;
  const double x = (distance + half) / half;
  return x * x * (0.75 - 0.25 * x);
}

void spline_links(const Medium& medium, const SolventSurface& surface, const grid::Grid& grid, Level& level,
                  int k) {
  const Extents& e = level.extents;
  const Spacing h(grid);
  for_axes(h, level, [&](FieldValues& g, float area, const Vector3d& half) {
    const Vector3d origin = grid.origin + half;
    std::vector<double> open(e.plane(), 1.0);
    const double height = origin.z() + k * h.z;
    for (const auto& ball : surface.balls_at(height, medium.spline_half)) {
      for_near(origin, h, e, height, ball, medium.spline_half, [&](int i, int j, double from) {
        open[e.row(j, 0) + static_cast<std::size_t>(i)] *= spline_of(from, medium.spline_half);
      });
    }
    put_plane(e, k, g, [&](std::size_t at) {
      return area * static_cast<float>(medium.solute + (medium.solvent - medium.solute) * open[at]);
    });
  });
}

void fill_uniform(const Medium& medium, const Spacing& h, Level& level, int k) {
  put_plane(level.extents, k, level.d, [](std::size_t) { return 0.0f; });
  for_axes(h, level, [&](FieldValues& g, float area, const Vector3d&) {
    put_plane(level.extents, k, g, [&](std::size_t) { return area * static_cast<float>(medium.solute); });
  });
}

bool is_uniform(const Medium& medium) {
  return medium.solute == medium.solvent && medium.kappa == 0;
}

bool is_harmonic(const Medium& medium) {
  return medium.surface != DielectricSurface::spline && medium.interface == DielectricInterface::harmonic;
}

/// Distance from the surface, in angstrom, up to which links need it: the ends of links that it cuts are no farther
/// than their length. Longer links are treated as if they ended there, because they carry little information.
double reach_of_links(const Medium& medium, const grid::Grid& grid) {
  constexpr double most = 4;
  return is_harmonic(medium) ? std::min(Spacing(grid).longest(), most) : 0;
}

/// Null where the surface is of another kind.
std::shared_ptr<const SurfaceDistances> rolled_surface(const Medium& medium,
                                                       const structures::Charges& charges,
                                                       SolventSurfaces& surfaces, const grid::Grid& grid,
                                                       const jobs::Progress& progress) {
  if (medium.surface != DielectricSurface::ses) return nullptr;
  return surfaces.distances(charges, medium.probe, reach_of_links(medium, grid), progress);
}

}  // namespace

void find_surfaces(const Medium& medium, const structures::Charges& charges, SolventSurfaces& surfaces,
                   const grid::Grid& grid, const jobs::Progress& progress) {
  if (!is_uniform(medium)) rolled_surface(medium, charges, surfaces, grid, progress);
}

double ion_strength_of(const Medium& medium, const grid::Grid& grid) {
  return medium.kappa * medium.kappa * medium.solvent * grid.cell_volume();
}

void fill_medium(const Medium& medium, const structures::Charges& charges, SolventSurfaces& surfaces,
                 const grid::Grid& grid, Level& level, const jobs::Progress& progress) {
  const Extents& e = level.extents;
  const Spacing h(grid);
  const auto each = [&](const auto& work) {
    for_planes(e, 0, e.nz, [&](int k) {
      progress.check();
      work(k);
    });
  };
  if (is_uniform(medium)) return each([&](int k) { fill_uniform(medium, h, level, k); });
  const bool spline = medium.surface == DielectricSurface::spline, harmonic = is_harmonic(medium);
  const double deepest = reach_of_links(medium, grid);
  const auto rolled = rolled_surface(medium, charges, surfaces, grid, progress);
  const auto balls = rolled ? rolled->shared_surface() : surfaces.balls(charges);
  const auto distances = rolled ? DistanceMap(*rolled, deepest, grid) : DistanceMap(*balls, grid);
  const auto ions = static_cast<float>(ion_strength_of(medium, grid));
  const double reach = std::max(deepest, ions > 0 ? medium.ion_radius : 0.0);
  each([&](int k) {
    const auto from = distances.at(k, Vector3d::Zero(), reach, progress);
    put_ions(medium, ions, from.balls, level, k);
    if (harmonic) {
      const auto farthest = static_cast<float>(deepest);
      put_plane(e, k, level.z, [&](std::size_t at) { return std::min(from.surface[at], farthest); });
    }
    if (spline) spline_links(medium, *balls, grid, level, k);
    if (!spline && !harmonic) sharp_links(medium, distances, level, k, progress);
  });
  if (!harmonic) return;
  each([&](int k) { harmonic_links(medium, h, level, k); });
  each([&](int k) {
    std::fill_n(level.z.begin() + static_cast<std::ptrdiff_t>(e.row(0, k)), e.plane(), 0.0f);
  });
}

}  // namespace isolume::electrostatics

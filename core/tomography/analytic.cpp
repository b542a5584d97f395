#include "core/tomography/analytic.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::tomography {
namespace {

/// Maps an ellipsoid to the unit sphere.
struct ToSphere {
  Eigen::Matrix3d matrix;
  Eigen::Vector3d centre;
  double attenuation;

  explicit ToSphere(const Ellipsoid& of)
      : matrix(of.radii_mm.cwiseInverse().asDiagonal() *
               Eigen::AngleAxisd(-of.turn_deg * std::numbers::pi / 180, Eigen::Vector3d::UnitZ())
                   .toRotationMatrix()),
        centre(of.centre_mm),
        attenuation(of.attenuation_per_mm) {}
};

/// (a + v da) . (b + v db)
struct Quadratic {
  double constant, linear, square;

  Quadratic(const Eigen::Vector3d& a, const Eigen::Vector3d& da, const Eigen::Vector3d& b,
            const Eigen::Vector3d& db)
      : constant(a.dot(b)), linear(a.dot(db) + da.dot(b)), square(da.dot(db)) {}
  double operator()(double v) const { return constant + v * (linear + v * square); }
};

}  // namespace

bool Ellipsoid::contains(const Eigen::Vector3d& position_mm) const {
  const ToSphere to(*this);
  return (to.matrix * (position_mm - to.centre)).squaredNorm() <= 1;
}

std::vector<Ellipsoid> shepp_logan(double radius_mm, double per_mm) {
  struct Row {
    double attenuation, a, b, c, x, y, z, turn;
  };
  static constexpr Row table[] = {
      {1, .69, .92, .81, 0, 0, 0, 0},        {-.8, .6624, .874, .78, 0, -.0184, 0, 0},
      {-.2, .11, .31, .22, .22, 0, 0, -18},  {-.2, .16, .41, .28, -.22, 0, 0, 18},
      {.1, .21, .25, .41, 0, .35, -.15, 0},  {.1, .046, .046, .05, 0, .1, .25, 0},
      {.1, .046, .046, .05, 0, -.1, .25, 0}, {.1, .046, .023, .05, -.08, -.605, 0, 0},
      {.1, .023, .023, .02, 0, -.606, 0, 0}, {.1, .023, .046, .02, .06, -.605, 0, 0}};
  std::vector<Ellipsoid> all;
  for (const Row& row : table) {
    all.push_back({.centre_mm = radius_mm * Eigen::Vector3d(row.x, -row.y, row.z),
                   .radii_mm = radius_mm * Eigen::Vector3d(row.a, row.b, row.c),
                   .turn_deg = -row.turn,
                   .attenuation_per_mm = per_mm * row.attenuation});
  }
  return all;
}

Projections project(std::span<const Ellipsoid> ellipsoids, const Geometry& geometry,
                    const jobs::Progress& progress) {
  require_valid(geometry);
  Projections result(geometry);
  std::vector<ToSphere> spheres(ellipsoids.begin(), ellipsoids.end());
  using Range = tbb::blocked_range<int>;
  const auto views = static_cast<int>(geometry.views.size());
  handover::parallel_for(Range(0, views), [&](const Range& part) {
    for (int i = part.begin(); i != part.end(); ++i) {
      if (progress.cancelled()) return;
      const View& view = geometry.views[static_cast<std::size_t>(i)];
      for (const ToSphere& sphere : spheres) {
        const bool is_cone = geometry.beam == Beam::cone;
        const Eigen::Vector3d step = sphere.matrix * view.up;
        for (int u = 0; u < geometry.columns; ++u) {
          const Eigen::Vector3d pixel = view.pixel(u, 0), from = sphere.matrix * (pixel - sphere.centre);
          const Eigen::Vector3d ray = is_cone ? Eigen::Vector3d(pixel - view.source) : view.source;
          // Points pixel + t * ray, of which the sphere has |from + t * along| <= 1. All products are of second order
          // in v.
          const Eigen::Vector3d along = sphere.matrix * ray;
          const Eigen::Vector3d moves = is_cone ? step : Eigen::Vector3d::Zero();
          const Quadratic a(along, moves, along, moves), b(along, moves, from, step),
              c(from, step, from, step);
          const Eigen::Vector3d turns = is_cone ? view.up : Eigen::Vector3d::Zero();
          const Quadratic squared_length(ray, turns, ray, turns);
          float* column = result.column(i, u);
          for (int v = 0; v < geometry.rows; ++v) {
            const double av = a(v), bv = b(v), inside = bv * bv - av * (c(v) - 1);
            if (inside <= 0) continue;
            const double half = std::sqrt(inside) / av, middle = -bv / av;
            double low = middle - half, high = middle + half;
            if (is_cone) {  // the source is at -1
              low = std::max(low, -1.0);
              high = std::min(high, 0.0);
            }
            if (high > low)
              column[v] +=
                  static_cast<float>(sphere.attenuation * std::sqrt(squared_length(v)) * (high - low));
          }
        }
      }
    }
  });
  progress.check();
  return result;
}

FieldValues voxelised(std::span<const Ellipsoid> ellipsoids, const grid::Grid& grid, int samples,
                      const jobs::Progress& progress) {
  FieldValues values(grid.point_count());
  std::vector<ToSphere> spheres(ellipsoids.begin(), ellipsoids.end());
  std::vector<Eigen::Matrix3d> steps;
  for (const ToSphere& sphere : spheres) steps.push_back(sphere.matrix * grid.step);
  const auto [nx, ny, nz] = grid.dimensions;
  using Range = tbb::blocked_range<int>;
  handover::parallel_for(Range(0, nz), [&, nx = nx, ny = ny](const Range& part) {
    for (int z = part.begin(); z != part.end(); ++z) {
      if (progress.cancelled()) return;
      float* to = values.data() +
                  static_cast<std::size_t>(z) * static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
      for (int y = 0; y < ny; ++y) {
        for (int x = 0; x < nx; ++x) {
          double sum = 0;
          for (std::size_t i = 0; i < spheres.size(); ++i) {
            const ToSphere& sphere = spheres[i];
            const Eigen::Matrix3d& step = steps[i];
            const Eigen::Vector3d centre = sphere.matrix * (grid.position(x, y, z) - sphere.centre);
            // Voxels that the surface cannot meet need one sample.
            const double distance = centre.norm(), reach = step.colwise().norm().sum() / 2;
            if (distance > 1 + reach) continue;
            if (distance < 1 - reach) {
              sum += sphere.attenuation;
              continue;
            }
            int inside = 0;
            for (int k = 0; k < samples * samples * samples; ++k) {
              const Eigen::Vector3d at(k % samples, k / samples % samples, k / (samples * samples));
              const Eigen::Vector3d in_voxel =
                  (at + Eigen::Vector3d::Constant(0.5)) / samples - Eigen::Vector3d::Constant(0.5);
              inside += (centre + step * in_voxel).squaredNorm() <= 1 ? 1 : 0;
            }
            sum += sphere.attenuation * inside / (samples * samples * samples);
          }
          *to++ = static_cast<float>(sum);
        }
      }
    }
  });
  progress.check();
  return values;
}

}  // namespace isolume::tomography

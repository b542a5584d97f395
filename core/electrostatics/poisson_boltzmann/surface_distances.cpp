#include "core/electrostatics/poisson_boltzmann/surface_distances.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"

namespace isolume::electrostatics {

using Eigen::Vector3d;

SurfaceDistances::SurfaceDistances(std::shared_ptr<const SolventSurface> surface, double deepest,
                                   const jobs::Progress& progress)
    : surface_(std::move(surface)), deepest_(deepest) {
  if (!surface_->arcs().empty()) sort_arcs(progress);
}

void SurfaceDistances::sort_arcs(const jobs::Progress& progress) {
  const auto& arcs = surface_->arcs();
  const double within = surface_->probe() + deepest_;
  Vector3d low = arcs.front().middle, high = low;
  for (const auto& arc : arcs) {
    low = low.cwiseMin(arc.middle - Vector3d::Constant(arc.reach + within)).eval();
    high = high.cwiseMax(arc.middle + Vector3d::Constant(arc.reach + within)).eval();
  }
  low_ = low;
  side_ = std::max(1.0, deepest_);  // comparable to the spacing of query points
  const auto cells = [&] { return ((high - low) / side_).array().floor() + 1; };
  while (cells().prod() > 64.0 * static_cast<double>(arcs.size()) + 64) side_ *= 1.26;
  for (int axis = 0; axis < 3; ++axis)
    cells_[static_cast<std::size_t>(axis)] = static_cast<int>(cells()[axis]);
  const auto range = [&](const auto& arc, int axis) {
    const double reach = arc.reach + within, last = cells_[static_cast<std::size_t>(axis)] - 1;
    const auto at = [&](double place) {
      return static_cast<int>(std::clamp(std::floor((place - low_[axis]) / side_), 0.0, last));
    };
    return std::pair(at(arc.middle[axis] - reach), at(arc.middle[axis] + reach));
  };
  // By layers of cells, which are divided among threads: a list of arcs for each.
  const auto layers = static_cast<std::size_t>(cells_[2]);
  std::vector<std::vector<std::uint32_t>> of_layer(layers);
  for (std::size_t n = 0; n < arcs.size(); ++n) {
    const auto [first, last] = range(arcs[n], 2);
    for (int k = first; k <= last; ++k)
      of_layer[static_cast<std::size_t>(k)].push_back(static_cast<std::uint32_t>(n));
  }
  const auto for_cells = [&](const auto& use) {
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, layers, 1), [&](const auto& part) {
      for (std::size_t k = part.begin(); k != part.end(); ++k) {
        progress.check();
        for (const std::uint32_t n : of_layer[k]) {
          const auto& arc = arcs[n];
          const auto [first_i, last_i] = range(arc, 0);
          const auto [first_j, last_j] = range(arc, 1);
          const double reach = arc.reach + within;
          for (int j = first_j; j <= last_j; ++j) {
            for (int i = first_i; i <= last_i; ++i) {
              const Vector3d from = low_ + side_ * Vector3d(i, j, static_cast<double>(k)),
                             to = from + Vector3d::Constant(side_);
              const Vector3d beyond = (from - arc.middle).cwiseMax(arc.middle - to).cwiseMax(0);
              if (beyond.squaredNorm() > reach * reach) continue;
              use(n, static_cast<std::size_t>(i) +
                         static_cast<std::size_t>(cells_[0]) *
                             (static_cast<std::size_t>(j) + static_cast<std::size_t>(cells_[1]) * k));
            }
          }
        }
      }
    });
  };
  first_in_cell_.assign(
      static_cast<std::size_t>(cells_[0]) * static_cast<std::size_t>(cells_[1]) * layers + 1, 0);
  for_cells([&](std::uint32_t, std::size_t cell) { ++first_in_cell_[cell + 1]; });
  std::partial_sum(first_in_cell_.begin(), first_in_cell_.end(), first_in_cell_.begin());
  dispatch::require_memory("The solvent-excluded surface", first_in_cell_.back() * sizeof(std::uint32_t),
                           "Take a smaller probe.");
  in_cell_.resize(first_in_cell_.back());
  auto next = first_in_cell_;
  for_cells([&](std::uint32_t arc, std::size_t cell) { in_cell_[next[cell]++] = arc; });
}

std::size_t SurfaceDistances::cell_of(const Vector3d& place) const {
  const Vector3d at = (place - low_) / side_;
  for (int axis = 0; axis < 3; ++axis) {
    if (!(at[axis] >= 0 && at[axis] < cells_[static_cast<std::size_t>(axis)])) return SIZE_MAX;
  }
  return static_cast<std::size_t>(at.x()) +
         static_cast<std::size_t>(cells_[0]) *
             (static_cast<std::size_t>(at.y()) +
              static_cast<std::size_t>(cells_[1]) * static_cast<std::size_t>(at.z()));
}

double SurfaceDistances::at(const Vector3d& place, std::size_t closest, double distance,
                            double down_to) const {
  if (distance <= -down_to) return -down_to;  // the surface is never closer than the ball's
  const auto& ball = surface_->balls()[closest];
  const double probe = surface_->probe();
  const Vector3d out = place - ball.centre;
  // At the centre of the ball all directions are equivalent.
  const Vector3d direction = out.norm() > 0 ? out.normalized() : Vector3d::UnitX();
  // No part of the probe's surface is closer than that of the nearest ball, if that point is exposed.
  if (!surface_->covered(ball.centre + (ball.radius + probe) * direction, closest)) return distance;
  double within = probe + down_to, best = within * within;
  const std::size_t cell = cell_of(place);
  if (cell == SIZE_MAX) return -down_to;
  for (std::size_t n = first_in_cell_[cell]; n < first_in_cell_[cell + 1]; ++n) {
    const auto& arc = surface_->arcs()[in_cell_[n]];
    const double far = arc.reach + within;
    if ((place - arc.middle).squaredNorm() >= far * far) continue;
    const Vector3d v = place - arc.centre;
    const double height = v.dot(arc.axis), a = v.dot(arc.along), b = std::abs(v.dot(arc.across));
    const double across = std::sqrt(a * a + b * b);
    double squared = height * height;
    if (a >= arc.cosine * across) {
      squared += (across - arc.radius) * (across - arc.radius);
    } else {
      const double da = a - arc.radius * arc.cosine, db = b - arc.radius * arc.sine;
      squared += da * da + db * db;
    }
    if (squared < best) {
      best = squared;
      within = std::sqrt(best);
    }
  }
  return std::max(probe - within, -down_to);
}

}  // namespace isolume::electrostatics

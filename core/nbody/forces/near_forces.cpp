#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numbers>
#include <vector>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/nbody/bodies/cosmology.h"
#include "core/nbody/forces/particle_mesh.h"
#include "core/nbody/forces/split_force.h"

namespace isolume::nbody {
namespace {

using Range = tbb::blocked_range<std::size_t>;

/// The smooth part of gravity within reach, as a function of the squared distance: cubic interpolation between exact
/// values, with errors below 1e-10 of the largest.
class SmoothTable {
 public:
  explicit SmoothTable(const MeshPlan& plan) : entries_(count + 1) {
    const double step = plan.reach * plan.reach / count;
    per_step_ = 1 / step;
    for (std::size_t i = 0; i <= count; ++i)
      entries_[i] = entry(static_cast<double>(i) * step, step, plan.split);
  }
  SmoothPull at(double r_squared) const {
    const double place = r_squared * per_step_;
    const auto number = std::min(static_cast<std::size_t>(place), count - 1);
    const double t = place - static_cast<double>(number);
    const Entry &low = entries_[number], &high = entries_[number + 1];
    return {between(low.pull, low.pull_slope, high.pull, high.pull_slope, t),
            between(low.potential, low.potential_slope, high.potential, high.potential_slope, t)};
  }

 private:
  static constexpr std::size_t count = 1 << 10;
  /// Slopes are per step.
  struct Entry {
    double pull, pull_slope, potential, potential_slope;
  };

  /// d potential / d(r^2) = -pull / 2, and 2 r^2 d pull / d(r^2) = gaussian - 3 pull, with the density of the
  /// Gaussian.
  static Entry entry(double r_squared, double step, double split) {
    const double r = std::sqrt(r_squared);
    const SmoothPull smooth = smooth_pull(r, split);
    const double s2 = r_squared / (4 * split * split);
    const double scale = 1 / (4 * std::sqrt(std::numbers::pi) * split * split * split);
    const double slope = s2 < 1e-3 ? -scale * (0.4 - s2 * 2 / 7) / (4 * split * split)
                                   : (2 * scale * std::exp(-s2) - 3 * smooth.pull) / (2 * r_squared);
    return {smooth.pull, slope * step, smooth.potential, -0.5 * smooth.pull * step};
  }
  static double between(double low, double low_slope, double high, double high_slope, double t) {
    const double rise = high - low;
    return low + t * (low_slope +
                      t * (3 * rise - 2 * low_slope - high_slope + t * (low_slope + high_slope - 2 * rise)));
  }

  std::vector<Entry> entries_;
  double per_step_;
};

/// Bodies in grid cells no narrower than half the reach.
class NearPairs {
 public:
  NearPairs(const Bodies& bodies, double period, double softening, const MeshPlan& plan)
      : period_(period),
        reach_squared_(plan.reach * plan.reach),
        softening_squared_(softening * softening),
        smooth_(plan),
        side_(std::max<std::size_t>(1, static_cast<std::size_t>(2 * period / plan.reach))) {
    while (side_ > 1 && side_ * side_ * side_ > 8 * bodies.size() + 8) --side_;
    sort(bodies);
  }

  std::uint64_t add(Forces& forces, double own, double background, const jobs::Progress& progress) const {
    std::atomic<std::uint64_t> pairs = 0;
    handover::parallel_for(Range(0, side_ * side_, 1), [&](const Range& part) {
      std::uint64_t found = 0;
      for (std::size_t column = part.begin(); column != part.end(); ++column) {
        progress.check();
        found += add_to_column(column, forces, own, background);
      }
      pairs += found;
    });
    return pairs;
  }

 private:
  struct Placed {
    double x, y, z, mass;
  };

  void sort(const Bodies& bodies) {
    std::vector<std::size_t> cell(bodies.size());
    const auto along = [this](double place) {
      const auto number =
          static_cast<std::size_t>(wrapped(place, period_) / period_ * static_cast<double>(side_));
      return std::min(number, side_ - 1);
    };
    for (std::size_t i = 0; i < cell.size(); ++i)
      cell[i] = (along(bodies.x[i]) * side_ + along(bodies.y[i])) * side_ + along(bodies.z[i]);
    begins_.assign(side_ * side_ * side_ + 1, 0);
    for (const std::size_t each : cell) ++begins_[each + 1];
    for (std::size_t i = 0; i + 1 < begins_.size(); ++i) begins_[i + 1] += begins_[i];
    auto next = begins_;
    order_.resize(cell.size());
    placed_.resize(cell.size());
    for (std::size_t i = 0; i < cell.size(); ++i) {
      const std::size_t to = next[cell[i]]++;
      order_[to] = static_cast<std::uint32_t>(i);
      placed_[to] = {wrapped(bodies.x[i], period_), wrapped(bodies.y[i], period_),
                     wrapped(bodies.z[i], period_), bodies.mass[i]};
    }
  }

  /// Neighbouring cells along one axis: two on each side, or all if there are fewer.
  std::vector<std::size_t> around(std::size_t cell) const {
    std::vector<std::size_t> cells;
    if (side_ < 5) {
      for (std::size_t i = 0; i < side_; ++i) cells.push_back(i);
    } else {
      for (std::size_t i = 0; i < 5; ++i) cells.push_back((cell + side_ + i - 2) % side_);
    }
    return cells;
  }
  std::uint64_t add_to_column(std::size_t column, Forces& forces, double own, double background) const {
    std::uint64_t pairs = 0;
    const auto x = around(column / side_), y = around(column % side_);
    for (std::size_t z = 0; z < side_; ++z) {
      const auto depth = around(z);
      const std::size_t cell = column * side_ + z;
      for (std::size_t i = begins_[cell]; i < begins_[cell + 1]; ++i) {
        Sums sums;
        for (const std::size_t cx : x) {
          for (const std::size_t cy : y) {
            for (const std::size_t cz : depth) add_cell((cx * side_ + cy) * side_ + cz, i, sums);
          }
        }
        const std::size_t body = order_[i];
        forces.ax[body] += sums.x;
        forces.ay[body] += sums.y;
        forces.az[body] += sums.z;
        forces.potential[body] += sums.potential + own * placed_[i].mass + background;
        pairs += sums.pairs;
      }
    }
    return pairs;
  }
  struct Sums {
    double x = 0, y = 0, z = 0, potential = 0;
    std::uint64_t pairs = 0;
  };
  double nearest(double difference) const {
    const double half = 0.5 * period_;
    return difference > half ? difference - period_ : difference < -half ? difference + period_ : difference;
  }
  void add_cell(std::size_t cell, std::size_t on, Sums& sums) const {
    const Placed& target = placed_[on];
    for (std::size_t j = begins_[cell]; j < begins_[cell + 1]; ++j) {
      const Placed& source = placed_[j];
      const double dx = nearest(source.x - target.x), dy = nearest(source.y - target.y),
                   dz = nearest(source.z - target.z);
      const double squared = dx * dx + dy * dy + dz * dz;
      if (squared >= reach_squared_ || j == on) continue;
      const SmoothPull smooth = smooth_.at(squared);
      const double softened = squared + softening_squared_;
      // Only coincident bodies exert no force: the square of another distance may underflow.
      const bool apart = softened > 0 || dx != 0 || dy != 0 || dz != 0;
      const double inverse = apart ? 1 / std::sqrt(softened) : 0;
      const double pull = source.mass * (inverse * inverse * inverse - smooth.pull);
      sums.x += pull * dx;
      sums.y += pull * dy;
      sums.z += pull * dz;
      sums.potential -= source.mass * (inverse - smooth.potential);
      ++sums.pairs;
    }
  }

  double period_, reach_squared_, softening_squared_;
  SmoothTable smooth_;
  std::size_t side_;
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> order_;
  std::vector<Placed> placed_;
};

}  // namespace

std::uint64_t add_near_forces(const Bodies& bodies, double period, double softening, const MeshPlan& plan,
                              Forces& forces, const jobs::Progress& progress) {
  progress.report(0, "forces");
  double mass = 0;
  for (const double each : bodies.mass) mass += each;
  // Subtracts the smooth part of a body's own force, and the mean of the near parts, which the uniform background
  // does not contain.
  const double own = 1 / (std::sqrt(std::numbers::pi) * plan.split);
  const double background =
      4 * std::numbers::pi * plan.split * plan.split * mass / (period * period * period);
  return NearPairs(bodies, period, softening, plan).add(forces, own, background, progress);
}

}  // namespace isolume::nbody

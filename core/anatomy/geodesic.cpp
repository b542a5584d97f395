#include "core/anatomy/geodesic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/dispatch/memory.h"
#include "core/volumes/resize.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

/// Parts of a fixed size, so that sums do not depend on threads.
constexpr std::size_t numbers_at_once = 1 << 14;

template <class Part>
void for_ranges(std::size_t count, const Part& part) {
  using Parts = tbb::blocked_range<std::size_t>;
  const std::size_t parts = (count + numbers_at_once - 1) / numbers_at_once;
  handover::parallel_for(Parts(0, parts), [&](const Parts& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i)
      part(i, i * numbers_at_once, std::min((i + 1) * numbers_at_once, count));
  });
}

/// to += factor * by
void add_to(VectorField& to, double factor, const VectorField& by) {
  const auto single = static_cast<float>(factor);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    float* const a = to.data(axis);
    const float* const b = by.data(axis);
    for_ranges(to.components[axis].size(), [=](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) a[i] += single * b[i];
    });
  }
}

double product_of(const VectorField& a, const VectorField& b) {
  const std::size_t count = a.components[0].size();
  std::vector<double> sums(3 * ((count + numbers_at_once - 1) / numbers_at_once));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for_ranges(count, [&, axis](std::size_t part, std::size_t begin, std::size_t end) {
      // Sums of their own, so that they can be added as a vector; few numbers each, for single precision.
      const float* const x = a.data(axis);
      const float* const y = b.data(axis);
      double sum = 0;
      std::size_t i = begin;
      for (; i + 256 <= end; i += 256) {
        float parts[16] = {};
        for (std::size_t k = 0; k < 256; k += 16) {
          for (std::size_t l = 0; l < 16; ++l) parts[l] += x[i + k + l] * y[i + k + l];
        }
        for (const float each : parts) sum += static_cast<double>(each);
      }
      for (; i < end; ++i) sum += static_cast<double>(x[i] * y[i]);
      sums[3 * part + axis] = sum;
    });
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// The displacement of x + u(x) after a step of x along a velocity times factors, in voxels.
void compose_along(const VectorField& u, const VectorField& v, const Spacing& factors, VectorField& result) {
  if (volumes::largest_length(v, factors) <= 1) return volumes::compose_step(u, v, factors, result);
  VectorField in_voxels(v.counts);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < in_voxels.components[axis].size(); ++i)
      in_voxels.data(axis)[i] = static_cast<float>(factors[axis]) * v.data(axis)[i];
  }
  result = volumes::composed(u, in_voxels);
}

/// A velocity in mm on another grid over the same box, in voxels of that.
VectorField in_voxels_of(const VectorField& in_mm, const Spacing& spacing, const Counts& counts) {
  VectorField field = in_mm;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (float& each : field.components[axis]) each /= static_cast<float>(spacing[axis]);
  return volumes::resized(field, counts);
}

void require_memory_of_flow(const Counts& counts, int steps) {
  // Momenta, velocities and their changes, the image, the displacement and the velocity in voxels of each step; images and memory for
  // steps.
  constexpr double all_levels = 8.0 / 7;
  const double numbers_per_point = 19.0 * steps + 22;
  dispatch::require_memory(
      "The registration",
      numbers_per_point * all_levels * sizeof(float) * static_cast<double>(volumes::point_count(counts)),
      "Choose fewer time steps, another model, or resample the fixed image to fewer voxels.");
}

}  // namespace

Flow::Flow(const Counts& counts, const Spacing& spacing_mm, const DeformationParameters& parameters,
           double intensity)
    : counts_(counts),
      spacing_(spacing_mm),
      steps_(static_cast<std::size_t>(parameters.time_steps)),
      weight_(parameters.regularity * intensity * intensity * parameters.time_steps),
      smoother_(counts, spacing_mm, parameters),
      mismatch_(counts, spacing_mm, parameters),
      momenta_(steps_, volumes::zero_field(counts)),
      velocities_(momenta_),
      forces_(momenta_),
      direction_(momenta_),
      moved_(steps_, FieldValues(volumes::point_count(counts))),
      back_(counts),
      next_(counts),
      warped_(volumes::point_count(counts)),
      weights_(warped_.size()) {}

void Flow::set_images(std::span<const float> fixed, std::span<const float> moving,
                      std::span<const float> weights) {
  mismatch_.set_fixed(fixed, weights);
  moving_ = moving;
}

void Flow::set_momenta(const std::vector<VectorField>& momenta) {
  for (std::size_t t = 0; t < steps_; ++t) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      momenta_[t].components[axis] = volumes::resized(
          {momenta[t].data(axis), momenta[t].components[axis].size()}, momenta[t].counts, counts_);
    }
    velocities_[t] = momenta_[t];
    smoother_.smooth(velocities_[t]);
  }
}

/// The displacement of x + u(x) after a step of x along a velocity in mm.
void Flow::compose(const VectorField& u, const VectorField& v, double sign, VectorField& result) const {
  compose_along(u, v, {sign / spacing_[0], sign / spacing_[1], sign / spacing_[2]}, result);
}

double Flow::measure(const jobs::Progress& progress) {
  back_ = volumes::zero_field(counts_);
  for (std::size_t t = 0; t < steps_; ++t) {
    progress.check();
    if (t == 0)
      std::ranges::copy(moving_, moved_[0].begin());
    else
      volumes::warp(moving_, back_, moved_[t]);
    compose(back_, velocities_[t], -1, next_);
    std::swap(back_, next_);
  }
  volumes::warp(moving_, back_, warped_);
  mismatch_sum_ = mismatch_.measure_weights(warped_, weights_);
  double energy = 0;
  for (std::size_t t = 0; t < steps_; ++t) energy += product_of(momenta_[t], velocities_[t]);
  const double of_surfaces = surfaces_ != nullptr ? surfaces_->measure_along(velocities_) : 0;
  return mismatch_sum_ + of_surfaces + weight_ * energy;
}

std::span<const float> Flow::follow() {
  back_ = volumes::zero_field(counts_);
  for (const VectorField& velocity : velocities_) {
    compose(back_, velocity, -1, next_);
    std::swap(back_, next_);
  }
  volumes::warp(moving_, back_, warped_);
  return warped_;
}

/// The step ahead is the inverse of the one back: y = x + w(x), w(x) = v(x + w(x)). v(x) is its first approximation, for short
/// steps, v(x + v(x)) the second one.
const VectorField& Flow::step_ahead(const VectorField& velocity) {
  constexpr double short_voxels = 0.3;
  const Spacing per_mm{1 / spacing_[0], 1 / spacing_[1], 1 / spacing_[2]};
  if (volumes::largest_length(velocity, per_mm) <= short_voxels) return velocity;
  compose(velocity, velocity, 1, next_);  // with the velocity itself, which is taken off again
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto factor = static_cast<float>(per_mm[axis]);
    const float* const v = velocity.data(axis);
    float* const w = next_.data(axis);
    for_ranges(next_.components[axis].size(), [=](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) w[i] -= factor * v[i];
    });
  }
  return next_;
}

/// The image at the end is M_k(R(y)): the moving image at the beginning of step k, looked up at where the steps from the end
/// to k lead back from y. A change d of the velocity at x = y led back to the end of step k changes it by
/// -(grad M_k)(x - v(x)) d. The sum over y is one over x times the determinant of x -> y.
double Flow::find_direction(const jobs::Progress& progress) {
  VectorField ahead = volumes::zero_field(counts_), slopes(counts_);
  FieldValues weights(weights_), ones(weights_.size(), 1.F);
  double longest = 0;
  for (std::size_t t = steps_; t-- > 0;) {
    progress.check();
    const VectorField& velocity = velocities_[t];
    volumes::weighted_gradient(moved_[t], ones, spacing_, slopes);
    compose(slopes, velocity, -1, forces_[t]);  // with the displacement itself, which is taken off again
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto per_mm = static_cast<float>(1 / spacing_[axis]);
      const float* const v = velocity.data(axis);
      const float* const momentum = momenta_[t].data(axis);
      const float* const w = weights.data();
      float* const force = forces_[t].data(axis);
      float* const copy = direction_[t].data(axis);
      const auto regularity = static_cast<float>(weight_);
      for_ranges(weights.size(), [=](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          force[i] = -w[i] * (force[i] + per_mm * v[i]) - regularity * momentum[i];
          copy[i] = force[i];
        }
      });
    }
    if (surfaces_ != nullptr) {
      surfaces_->add_along(t, forces_[t]);
      direction_[t] = forces_[t];
    }
    smoother_.smooth(direction_[t]);
    longest += volumes::largest_length(direction_[t], {1 / spacing_[0], 1 / spacing_[1], 1 / spacing_[2]});
    if (t == 0) break;
    progress.check();
    compose(ahead, step_ahead(velocity), 1, slopes);
    std::swap(ahead, slopes);
    volumes::warp(weights_, ahead, weights);
    const FieldValues determinants = volumes::jacobian_determinants(ahead);
    for_ranges(weights.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) weights[i] *= determinants[i];
    });
  }
  return longest;
}

void Flow::move(double step_size) {
  for (std::size_t t = 0; t < steps_; ++t) {
    add_to(momenta_[t], step_size, forces_[t]);
    add_to(velocities_[t], step_size, direction_[t]);
  }
}

double Flow::slope_along(const std::vector<VectorField>& changes) const {
  double sum = 0;
  for (std::size_t t = 0; t < steps_; ++t) sum += product_of(forces_[t], changes[t]);
  return sum;
}

void Flow::add_to_velocities(double factor, const std::vector<VectorField>& changes) {
  for (std::size_t t = 0; t < steps_; ++t) {
    add_to(velocities_[t], factor, changes[t]);
    momenta_[t] = volumes::zero_field(counts_);
  }
}

std::vector<double> Flow::kinetic_energies() const {
  std::vector<double> energies;
  const auto per_time = static_cast<double>(steps_ * steps_);
  for (std::size_t t = 0; t < steps_; ++t) {
    energies.push_back(per_time * product_of(momenta_[t], velocities_[t]) /
                       static_cast<double>(volumes::point_count(counts_)));
  }
  return energies;
}

std::vector<VectorField> Flow::path() {
  std::vector<VectorField> all;
  VectorField so_far = volumes::zero_field(counts_);
  for (const VectorField& each : velocities_) {
    compose(so_far, each, -1, next_);
    std::swap(so_far, next_);
    all.push_back(so_far);
  }
  return all;
}

Registration register_by_flow(std::span<const float> fixed, std::span<const float> moving,
                              const Counts& counts, const Spacing& spacing_mm,
                              const DeformationParameters& parameters, const std::vector<Level>& levels,
                              const OnIteration& on_iteration, const jobs::Progress& progress,
                              const Masks& masks, const SurfaceTerm& surfaces) {
  require_grid(counts);
  require_memory_of_flow(counts, parameters.time_steps);
  const LevelImages images(fixed, moving, counts, parameters, masks);
  double work = 0, done = 0;
  for (const Level& each : levels)
    work += each.iterations * static_cast<double>(volumes::point_count(each.counts));
  Registration result;
  result.metric = parameters.metric;
  result.displacement = volumes::zero_field(counts);
  std::vector<VectorField> momenta;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    progress.check();
    const auto [level_fixed, level_moving] = images.at(level.counts);
    Flow flow(level.counts, level_spacing(counts, spacing_mm, level.counts), parameters, images.intensity());
    if (!momenta.empty()) flow.set_momenta(momenta);
    const FieldValues weights = masks.empty() ? FieldValues() : images.weights(flow.path().back());
    flow.set_images(level_fixed, level_moving, weights);
    SurfaceForces of_surfaces(surfaces, counts, level.counts, level_spacing(counts, spacing_mm, level.counts),
                              images.intensity());
    flow.set_surfaces(of_surfaces);
    double energy = flow.measure(progress);
    LevelResult told{.counts = level.counts, .mismatch_before = flow.mean(), .mismatch_after = flow.mean()};
    told.surfaces_before = told.surfaces_after = of_surfaces.relative_distance();
    double longest = level.iterations > 0 ? flow.find_direction(progress) : 0;
    double step_size = longest > 0 ? parameters.largest_step / longest : 0;
    const double first_step_size = step_size;
    bool is_measured = true;  // the present flow, not one that was taken back
    for (int iteration = 0; iteration < level.iterations && longest > 0; ++iteration) {
      progress.check();
      flow.move(step_size);
      const double present = flow.measure(progress), before = told.mismatch_after;
      const double apart = told.surfaces_after;
      ++told.iterations;
      done += static_cast<double>(volumes::point_count(level.counts));
      progress.report(done / work, fmt::format("level {} of {}", i + 1, levels.size()));
      is_measured = present <= energy;
      if (!is_measured) {
        flow.move(-step_size);
        step_size /= 2;
        if (step_size < 0.01 * first_step_size) break;
        continue;
      }
      energy = present;
      told.mismatch_after = flow.mean();
      told.surfaces_after = of_surfaces.relative_distance();
      if (on_iteration) {
        on_iteration({.level = i,
                      .levels = levels.size(),
                      .iteration = iteration,
                      .iterations = level.iterations,
                      .mismatch = before,
                      .longest_step_voxels = step_size * longest,
                      .displacement = flow.displacement(),
                      .surfaces = apart});
      }
      longest = flow.find_direction(progress);
      constexpr double growth = 1.2;
      if (longest > 0) step_size = std::min(growth * step_size, parameters.largest_step / longest);
    }
    if (!is_measured) flow.measure();
    told.least_jacobian = volumes::jacobian_range(flow.displacement()).least;
    result.levels.push_back(told);
    momenta = flow.momenta();
    if (i + 1 < levels.size()) continue;
    for (VectorField& each : flow.path()) result.path.push_back(volumes::resized(each, counts));
    result.displacement = result.path.back();
    for (const VectorField& each : flow.velocities())
      result.velocities.push_back(
          in_voxels_of(each, level_spacing(counts, spacing_mm, level.counts), counts));
    result.kinetic_energies = flow.kinetic_energies();
  }
  progress.check();
  images.finish(moving, spacing_mm, parameters, result);
  result.surfaces = surface_results(surfaces, result.displacement, spacing_mm, progress);
  return result;
}

VectorField displacement_at(std::span<const VectorField> velocities, double time) {
  VectorField so_far = volumes::zero_field(velocities.front().counts), next(so_far.counts);
  double steps = std::clamp(time, 0.0, 1.0) * static_cast<double>(velocities.size());
  for (const VectorField& velocity : velocities) {
    const double part = std::min(steps, 1.0);
    if (part <= 0) break;
    compose_along(so_far, velocity, {-part, -part, -part}, next);
    std::swap(so_far, next);
    steps -= part;
  }
  return so_far;
}

double geodesic_distance(std::span<const double> kinetic_energies) {
  if (kinetic_energies.empty()) return 0;
  return std::sqrt(std::accumulate(kinetic_energies.begin(), kinetic_energies.end(), 0.0) /
                   static_cast<double>(kinetic_energies.size()));
}

}  // namespace isolume::anatomy

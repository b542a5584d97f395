#include "core/anatomy/demons.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/anatomy/smoother.h"
#include "core/base/handover.h"
#include "core/dispatch/memory.h"
#include "core/volumes/gaussian.h"
#include "core/volumes/resize.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

template <class Work>
void for_each_voxel(std::size_t count, const Work& work) {
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, count, 1 << 14), [&](const auto& range) {
    for (std::size_t at = range.begin(); at != range.end(); ++at) work(at);
  });
}

/// v u, where Dv is the matrix of central differences; one-sided at the border.
class Derivatives {
 public:
  explicit Derivatives(const VectorField& field) : field_(field) {}

  /// The sum over axes b of (d v_a / d x_b) u_b at a voxel, for each a.
  std::array<float, 3> along(std::size_t at, const std::array<int, 3>& index,
                             const std::array<float, 3>& direction) const {
    std::array<float, 3> sum{};
    std::size_t stride = 1;
    for (std::size_t b = 0; b < 3; ++b) {
      const int count = field_.counts[b];
      const bool has_before = index[b] > 0, has_after = index[b] + 1 < count;
      if (has_before || has_after) {
        const std::size_t before = has_before ? at - stride : at, after = has_after ? at + stride : at;
        const float scale = direction[b] / (has_before && has_after ? 2.F : 1.F);
        for (std::size_t a = 0; a < 3; ++a)
          sum[a] += scale * (field_.components[a][after] - field_.components[a][before]);
      }
      stride *= static_cast<std::size_t>(count);
    }
    return sum;
  }

 private:
  const VectorField& field_;
};

void require_memory_of_demons(const Counts& counts) {
  // Images and their warped ones, weights; velocities, displacements, forces, and what a step needs of them.
  constexpr double all_levels = 8.0 / 7, numbers_per_point = 45;
  dispatch::require_memory(
      "The registration",
      numbers_per_point * all_levels * sizeof(float) * static_cast<double>(volumes::point_count(counts)),
      "Choose another model, or resample the fixed image to fewer voxels.");
}

/// The images of a level, compared in both directions.
class SymmetricMatch {
 public:
  SymmetricMatch(const Counts& counts, const Spacing& spacing, const DeformationParameters& parameters)
      : fixed_grid_(counts, spacing, parameters),
        moving_grid_(counts, spacing, parameters),
        warped_(volumes::point_count(counts)),
        warped_back_(warped_.size()),
        force_back_(counts) {}

  /// The values and weights have to live as long as they are used.
  void set_images(std::span<const float> fixed, std::span<const float> moving, std::span<const float> weights,
                  std::span<const float> weights_back) {
    fixed_ = fixed;
    moving_ = moving;
    fixed_grid_.set_fixed(fixed, weights);
    moving_grid_.set_fixed(moving, weights_back);
  }
  /// The sum of both mismatches; `force` gets half of the difference of both forces.
  double measure(const VectorField& velocity, VectorField& force) {
    displacement_ = exponential(velocity);
    volumes::warp(moving_, displacement_, warped_);
    sum_ = fixed_grid_.measure(warped_, &force);
    volumes::warp(fixed_, exponential(velocity, -1), warped_back_);
    const double back = moving_grid_.measure(warped_back_, &force_back_);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      float* const to = force.data(axis);
      const float* const other = force_back_.data(axis);
      for_each_voxel(warped_.size(), [=](std::size_t i) { to[i] = 0.5F * (to[i] - other[i]); });
    }
    return sum_ + back;
  }

  /// Of what was measured last, on the fixed image's grid.
  double mean() const { return fixed_grid_.mean(sum_); }
  const VectorField& displacement() const { return displacement_; }
  std::span<const float> warped() const { return warped_; }

 private:
  Mismatch fixed_grid_, moving_grid_;
  std::span<const float> fixed_, moving_;
  FieldValues warped_, warped_back_;
  VectorField displacement_, force_back_;
  double sum_ = 0;
};

}  // namespace

VectorField exponential(const VectorField& velocity, double factor) {
  constexpr double longest_voxels = 0.25;
  const double longest = std::abs(factor) * volumes::largest_length(velocity);
  const int squarings =
      longest > longest_voxels ? static_cast<int>(std::ceil(std::log2(longest / longest_voxels))) : 0;
  VectorField flow = velocity;
  const auto scale = static_cast<float>(std::ldexp(factor, -squarings));
  for (auto& component : flow.components) {
    float* const values = component.data();
    for_each_voxel(component.size(), [=](std::size_t i) { values[i] *= scale; });
  }
  VectorField twice(flow.counts);
  for (int i = 0; i < squarings; ++i) {
    if (volumes::largest_length(flow) <= 1)
      volumes::compose_step(flow, flow, {1, 1, 1}, twice);
    else
      twice = volumes::composed(flow, flow);
    std::swap(flow, twice);
  }
  return flow;
}

VectorField composed_velocity(const VectorField& v, const VectorField& u) {
  const Counts& counts = v.counts;
  VectorField result(counts);
  const Derivatives of_v(v), of_u(u);
  handover::parallel_for(tbb::blocked_range<int>(0, counts[2]), [&](const auto& planes) {
    for (int z = planes.begin(); z != planes.end(); ++z) {
      auto at = static_cast<std::size_t>(z) * static_cast<std::size_t>(counts[0]) *
                static_cast<std::size_t>(counts[1]);
      for (int y = 0; y < counts[1]; ++y) {
        for (int x = 0; x < counts[0]; ++x, ++at) {
          const std::array<float, 3> of{v.components[0][at], v.components[1][at], v.components[2][at]},
              by{u.components[0][at], u.components[1][at], u.components[2][at]};
          const auto dv_u = of_v.along(at, {x, y, z}, by), du_v = of_u.along(at, {x, y, z}, of);
          for (std::size_t a = 0; a < 3; ++a)
            result.components[a][at] = of[a] + by[a] + 0.5F * (dv_u[a] - du_v[a]);
        }
      }
    }
  });
  return result;
}

Registration register_by_demons(std::span<const float> fixed, std::span<const float> moving,
                                const Counts& counts, const Spacing& spacing_mm,
                                const DeformationParameters& parameters, const std::vector<Level>& levels,
                                const OnIteration& on_iteration, const jobs::Progress& progress,
                                const LandmarkTerm& landmarks, const Masks& masks) {
  require_grid(counts);
  require_memory_of_demons(counts);
  const LevelImages images(fixed, moving, counts, parameters, masks);
  double work = 0, done = 0;
  for (const Level& each : levels)
    work += each.iterations * static_cast<double>(volumes::point_count(each.counts));
  Registration result;
  result.metric = parameters.metric;
  VectorField velocity = volumes::zero_field(levels.empty() ? counts : levels[0].counts);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    progress.check();
    const auto [level_fixed, level_moving] = images.at(level.counts);
    velocity = volumes::resized(velocity, level.counts);
    const Spacing spacing = level_spacing(counts, spacing_mm, level.counts);
    const FieldValues weights = masks.empty() ? FieldValues() : images.weights(exponential(velocity));
    const FieldValues weights_back =
        masks.empty() ? FieldValues() : images.weights_of_moving(exponential(velocity, -1));
    SymmetricMatch match(level.counts, spacing, parameters);
    match.set_images(level_fixed, level_moving, weights, weights_back);
    Smoother smoother(level.counts, spacing, parameters);
    std::array<double, 3> sigma{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      sigma[axis] = parameters.velocity_smoothness_mm / spacing[axis];
    VectorField force(level.counts), step(level.counts), best = velocity;
    LandmarkForces pairs(landmarks, counts, level.counts, spacing, images.intensity());
    if (!pairs.empty()) {
      step = volumes::zero_field(level.counts);
      pairs.add_unit(step);
      smoother.smooth(step);
      pairs.set_response(step);
    }
    const auto longest_voxels = [&](const VectorField& in_mm) {
      return volumes::largest_length(in_mm, {1 / spacing[0], 1 / spacing[1], 1 / spacing[2]});
    };
    // The mismatch is that of both directions, and the force half of their difference.
    const auto measure = [&] {
      const double sum = match.measure(velocity, force);
      return sum + (pairs.empty() ? 0 : 2 * pairs.measure(match.displacement()));
    };
    double least = measure(), step_size = 0, first_step_size = 0;
    LevelResult told{.counts = level.counts, .mismatch_before = match.mean(), .mismatch_after = match.mean()};
    bool is_best = true;  // the velocity that was measured last
    for (int iteration = 0; iteration < level.iterations; ++iteration) {
      progress.check();
      if (is_best) {
        step = force;
        if (!pairs.empty()) {
          if (step_size == 0) {
            // That of the images: the far stronger forces of pairs are those of a step of this size.
            smoother.smooth(step);
            const double of_images = longest_voxels(step);
            step_size = of_images > 0 ? parameters.largest_step / of_images : 1;
            step = force;
          }
          pairs.add(match.displacement(), step_size, parameters.largest_step, step);
        }
        smoother.smooth(step);
        // From mm to voxels.
        for (std::size_t axis = 0; axis < 3; ++axis) {
          float* const values = step.data(axis);
          const auto per_mm = static_cast<float>(1 / spacing[axis]);
          for_each_voxel(step.components[axis].size(), [=](std::size_t k) { values[k] *= per_mm; });
        }
      }
      const double longest = volumes::largest_length(step);
      if (longest == 0) break;
      if (step_size == 0) step_size = parameters.largest_step / longest;
      if (first_step_size == 0) first_step_size = step_size;
      const double size = std::min(step_size, parameters.largest_step / longest);
      VectorField part = step;
      for (auto& component : part.components) {
        float* const values = component.data();
        for_each_voxel(component.size(),
                       [=, by = static_cast<float>(size)](std::size_t k) { values[k] *= by; });
      }
      velocity = composed_velocity(best, part);
      for (auto& component : velocity.components) volumes::smooth_gaussian(component, level.counts, sigma);
      progress.check();
      const double before = told.mismatch_after, present = measure();
      ++told.iterations;
      done += static_cast<double>(volumes::point_count(level.counts));
      progress.report(done / work, fmt::format("level {} of {}", i + 1, levels.size()));
      is_best = present <= least;
      if (!is_best) {
        step_size /= 2;
        if (step_size < 0.01 * first_step_size) break;
        continue;
      }
      least = present;
      std::swap(best, velocity);
      told.mismatch_after = match.mean();
      if (on_iteration) {
        on_iteration({.level = i,
                      .levels = levels.size(),
                      .iteration = iteration,
                      .iterations = level.iterations,
                      .mismatch = before,
                      .longest_step_voxels = size * longest,
                      .displacement = match.displacement()});
      }
    }
    velocity = std::move(best);
    told.least_jacobian = volumes::jacobian_range(exponential(velocity)).least;
    result.levels.push_back(told);
  }
  progress.check();
  // Where the last level is not the full resolution.
  result.velocity = volumes::resized(velocity, counts);
  result.displacement = exponential(result.velocity);
  images.finish(moving, spacing_mm, parameters, result);
  return result;
}

}  // namespace isolume::anatomy

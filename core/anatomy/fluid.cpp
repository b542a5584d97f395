#include "core/anatomy/fluid.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "core/anatomy/parts.h"
#include "core/base/error.h"
#include "core/dispatch/memory.h"
#include "core/volumes/resize.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

/// Images, displacements, velocity, modes and means in windows in float32, at the full resolution and the levels below.
void require_memory(const Counts& counts, Metric metric, std::size_t classes) {
  constexpr double all_levels = 8.0 / 7;
  const double numbers_per_point = (metric == Metric::squares ? 20 : 25) + 5 * static_cast<double>(classes);
  dispatch::require_memory(
      "The registration",
      numbers_per_point * all_levels * sizeof(float) * static_cast<double>(volumes::point_count(counts)),
      "Resample the fixed image to fewer voxels.");
}

[[noreturn]] void throw_apart() {
  throw Error(
      "No voxel of the fixed image lies inside the masks, where the linear map places them. Check that each "
      "mask belongs to its image, or leave one out.");
}

void require_common(const Masks& masks) {
  const std::size_t count = std::max(masks.fixed.size(), masks.moving.size());
  bool is_apart = count > 0;
  for (std::size_t i = 0; i < count && is_apart; ++i)
    is_apart =
        (!masks.fixed.empty() && masks.fixed[i] == 0) || (!masks.moving.empty() && masks.moving[i] == 0);
  if (is_apart) throw_apart();
}

/// The iterations of a level.
LevelResult iterate(FluidLevel& steps, const Level& level, const LandmarkForces& pairs,
                    SurfaceForces& surfaces, const OnIteration& on_iteration,
                    const std::function<void(int)>& report, const jobs::Progress& progress) {
  const auto of_pairs = [&] {
    return (pairs.empty() ? 0 : pairs.measure(steps.displacement())) +
           (surfaces.empty() ? 0 : surfaces.measure(steps.displacement()));
  };
  LevelResult told{.counts = level.counts};
  told.mismatch_before = steps.mean(steps.mismatch());
  of_pairs();
  told.surfaces_before = surfaces.relative_distance();
  double step_size = 0, first_step_size = 0;
  double sum = 0, with_pairs = std::numeric_limits<double>::max();  // of the present displacement
  bool has_moved = false;  // by the last iteration, which the next one would judge
  for (int iteration = 0; iteration < level.iterations; ++iteration) {
    progress.check();
    const double present = steps.measure_force();
    double longest = 0;
    const double present_with_pairs = present + of_pairs();
    const double apart = surfaces.relative_distance();
    if (present_with_pairs > with_pairs) {
      steps.take_back();
      has_moved = false;
      step_size /= 2;
      if (step_size < 0.01 * first_step_size) break;
    } else {
      sum = present;
      with_pairs = present_with_pairs;
      longest = steps.move(step_size);
      has_moved = longest > 0;
      if (first_step_size == 0) first_step_size = step_size;
    }
    ++told.iterations;
    on_iteration({.iteration = iteration,
                  .iterations = level.iterations,
                  .mismatch = steps.mean(sum),
                  .longest_step_voxels = longest,
                  .displacement = IterationDisplacement(steps),
                  .surfaces = apart});
    progress.check();
    steps.warp();
    report(told.iterations);
  }
  if (has_moved && steps.mismatch() + of_pairs() > with_pairs) steps.take_back();
  return told;
}

/// Smooths the displacement where it folds, measures it, and returns it.
VectorField end_level(FluidLevel& steps, SurfaceForces& surfaces, LevelResult& told) {
  auto jacobian = steps.jacobian();
  if (jacobian.folded > 0) {
    VectorField mended = steps.displacement();
    told.mended = volumes::unfold(mended);
    steps.set_displacement(mended);
    jacobian = steps.jacobian();
  } else {
    steps.warp();
  }
  told.least_jacobian = jacobian.least;
  told.mismatch_after = steps.mean(steps.mismatch());
  if (!surfaces.empty()) surfaces.measure(steps.displacement());
  told.surfaces_after = surfaces.relative_distance();
  return steps.take_displacement();
}

}  // namespace

FluidSteps::FluidSteps(const Counts& counts, const Spacing& spacing_mm, const FluidParameters& parameters)
    : spacing_(spacing_mm),
      largest_step_(parameters.largest_step),
      mismatch_(counts, spacing_mm, parameters),
      smoother_(counts, spacing_mm, parameters),
      velocity_(counts),
      next_(counts) {}

double FluidSteps::measure_more(std::span<const float> warped) {
  if (more_.counts != velocity_.counts) more_ = VectorField(velocity_.counts);
  const double sum = mismatch_.measure(warped, &more_);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    float* const to = velocity_.data(axis);
    const float* const from = more_.data(axis);
    for_parts(more_.components[axis].size(), [=](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) to[i] += from[i];
    });
  }
  return sum;
}

double FluidSteps::smooth() {
  smoother_.smooth(velocity_);
  return volumes::largest_length(velocity_, {1 / spacing_[0], 1 / spacing_[1], 1 / spacing_[2]});
}

void FluidSteps::prepare(LandmarkForces& landmarks) {
  if (landmarks.empty()) return;
  velocity_ = volumes::zero_field(velocity_.counts);
  landmarks.add_unit(velocity_);
  smooth();
  landmarks.set_response(velocity_);
}

double FluidSteps::move(VectorField& displacement, double& step_size, const LandmarkForces* landmarks,
                        const SurfaceForces* surfaces) {
  if (surfaces != nullptr && !surfaces->empty()) surfaces->add(velocity_);
  if (landmarks != nullptr && !landmarks->empty()) {
    if (step_size == 0) {
      // That of the images: the far stronger forces of pairs are those of a step of this size.
      const VectorField force = velocity_;
      const double longest_of_images = smooth();
      step_size = longest_of_images > 0 ? largest_step_ / longest_of_images : 1;
      velocity_ = force;
    }
    landmarks->add(displacement, step_size, largest_step_, velocity_);
  }
  const double longest = smooth();
  if (longest == 0) return 0;
  if (step_size == 0) step_size = largest_step_ / longest;
  const double size = std::min(step_size, largest_step_ / longest);
  volumes::compose_step(displacement, velocity_, {size / spacing_[0], size / spacing_[1], size / spacing_[2]},
                        next_);
  std::swap(displacement, next_);
  return size * longest;
}

void require_grid(const Counts& counts) {
  if (counts[0] < 2 || counts[1] < 2) {
    throw Error(fmt::format(
        "The grid has {} x {} x {} voxels: a registration needs at least two along the first and the "
        "second axis. Reorder the axes of a single slice.",
        counts[0], counts[1], counts[2]));
  }
  if (volumes::point_count(counts) > std::numeric_limits<std::int32_t>::max()) {
    throw Error(
        fmt::format("The grid has {} x {} x {} voxels, more than the 2,147,483,647 that can be registered. "
                    "Resample the fixed image to fewer voxels.",
                    counts[0], counts[1], counts[2]));
  }
}

FieldValues comparable(std::span<const float> values, Intensities intensities, std::string_view name,
                       std::span<const float> inside) {
  FieldValues result(values.begin(), values.end());
  float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!inside.empty() && inside[i] == 0) continue;
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
  }
  if (!std::ranges::all_of(values, [](float each) { return std::isfinite(each); }))
    throw Error(fmt::format(
        "The {} image has values that are not finite (NaN or infinite). Replace them first.", name));
  if (low == high) {
    throw Error(fmt::format(
        "The {} image has the value {} everywhere on the grid of the fixed image{}: there is nothing "
        "to align.",
        name, low, inside.empty() ? "" : " inside its mask"));
  }
  if (intensities == Intensities::range) {
    for (float& each : result) each = (each - low) / (high - low);
  }
  return result;
}

Spacing level_spacing(const Counts& finest, const Spacing& spacing_mm, const Counts& level) {
  Spacing spacing{};
  for (std::size_t axis = 0; axis < 3; ++axis) spacing[axis] = spacing_mm[axis] * finest[axis] / level[axis];
  return spacing;
}

LevelImages::LevelImages(std::span<const float> fixed, std::span<const float> moving, const Counts& counts,
                         const FluidParameters& parameters, const Masks& masks, const ClassPair* classes)
    : counts_(counts), masks_(masks), classes_(classes) {
  require_grid(counts);
  require_memory(counts, parameters.metric, classes == nullptr ? 0 : classes->fixed.size());
  require_common(masks);
  // A single mask is that of both ranges: the same values are then mapped to the same numbers.
  const auto inside_fixed = masks.fixed.empty() ? masks.moving : masks.fixed;
  const auto inside_moving = masks.moving.empty() ? masks.fixed : masks.moving;
  fixed_ = continued(comparable(fixed, parameters.intensities, "fixed", inside_fixed), masks.fixed, counts);
  moving_ =
      continued(comparable(moving, parameters.intensities, "moving", inside_moving), masks.moving, counts);
  if (parameters.metric != Metric::squares) return;
  const auto [low, high] = std::ranges::minmax(fixed_);
  intensity_ = static_cast<double>(high - low);
}

LevelImages::Images LevelImages::at(const Counts& counts) const {
  return {volumes::resized(fixed_, counts_, counts), volumes::resized(moving_, counts_, counts)};
}

std::vector<LevelImages::Images> LevelImages::compared_at(const Counts& counts) const {
  std::vector<Images> all;
  if (classes_ == nullptr) {
    all.push_back(at(counts));
    return all;
  }
  for (std::size_t i = 0; i < classes_->fixed.size(); ++i) {
    all.push_back({volumes::resized(classes_->fixed[i], counts_, counts),
                   volumes::resized(classes_->moving[i], counts_, counts)});
  }
  return all;
}

FieldValues LevelImages::weights(const VectorField& displacement) const {
  return weights(displacement, masks_);
}

FieldValues LevelImages::weights_of_moving(const VectorField& displacement) const {
  return weights(displacement, {.fixed = masks_.moving, .moving = masks_.fixed});
}

FieldValues LevelImages::weights(const VectorField& displacement, const Masks& masks) const {
  if (masks.empty()) return {};
  const Counts& counts = displacement.counts;
  const auto of = [&](std::span<const float> mask) {
    return mask.empty() ? FieldValues(volumes::point_count(counts), 1.F)
                        : volumes::resized(mask, counts_, counts);
  };
  FieldValues weights = of(masks.fixed);
  const FieldValues placed = of(masks.moving);
  FieldValues moved(placed.size());
  volumes::warp(placed, displacement, moved);
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = std::max(weights[i] * moved[i], 0.F);
    sum += static_cast<double>(weights[i]);
  }
  if (!(sum > 0)) throw_apart();
  return weights;
}

void LevelImages::finish(std::span<const float> moving, const Spacing& spacing_mm,
                         const FluidParameters& parameters, Registration& result) const {
  auto jacobian = volumes::jacobian_range(result.displacement);
  if (jacobian.folded > 0) {
    result.mended += volumes::unfold(result.displacement);
    jacobian = volumes::jacobian_range(result.displacement);
  }
  FieldValues warped(moving.size());
  Mismatch whole(counts_, spacing_mm, parameters);
  const FieldValues before = weights(volumes::zero_field(counts_)), after = weights(result.displacement);
  double sum_before = 0, sum_after = 0, mean_before = 0, mean_after = 0;
  const auto add = [&](const FieldValues& of_fixed, const FieldValues& of_moving) {
    volumes::warp(of_moving, result.displacement, warped);
    whole.set_fixed(of_fixed, before);
    mean_before = whole.mean(sum_before += whole.measure(of_moving, nullptr));
    if (!masks_.empty()) whole.set_fixed(of_fixed, after);
    mean_after = whole.mean(sum_after += whole.measure(warped, nullptr));
  };
  if (classes_ == nullptr) add(fixed_, moving_);
  for (std::size_t i = 0; classes_ != nullptr && i < classes_->fixed.size(); ++i)
    add(classes_->fixed[i], classes_->moving[i]);
  result.mismatch_before = mean_before;
  result.mismatch_after = mean_after;
  result.least_jacobian = jacobian.least;
  result.folded = jacobian.folded;
  result.warped.resize(moving.size());
  volumes::warp(moving, result.displacement, result.warped);
}

Registration register_images(std::span<const float> fixed, std::span<const float> moving,
                             const Counts& counts, const Spacing& spacing_mm, const FluidParameters& given,
                             const std::vector<Level>& levels, const Start& start,
                             const OnIteration& on_iteration, const jobs::Progress& progress,
                             const LandmarkTerm& landmarks, const Masks& masks, const FluidCompute& compute,
                             const SurfaceTerm& surfaces, const ClassPair& classes) {
  FluidParameters parameters = given;
  if (!classes.empty()) parameters.metric = Metric::squares;
  const LevelImages images(fixed, moving, counts, parameters, masks, classes.empty() ? nullptr : &classes);
  const double intensity = classes.empty() ? images.intensity() : 1;
  // A voxel of a level costs an eighth of one of the next finer level.
  double work = 0, done = 0;
  for (std::size_t i = start.first_level; i < levels.size(); ++i) {
    work += levels[i].iterations * static_cast<double>(volumes::point_count(levels[i].counts));
  }
  Registration result;
  result.metric = parameters.metric;
  if (start.displacement != nullptr) result.displacement = *start.displacement;
  for (std::size_t i = start.first_level; i < levels.size(); ++i) {
    const Level& level = levels[i];
    progress.check();
    const std::vector<LevelImages::Images> compared = images.compared_at(level.counts);
    std::vector<Channel> channels;
    for (const LevelImages::Images& each : compared) channels.push_back({each.fixed, each.moving});
    result.displacement = result.displacement.counts == Counts{}
                              ? volumes::zero_field(level.counts)
                              : volumes::resized(result.displacement, level.counts);
    const Spacing spacing = level_spacing(counts, spacing_mm, level.counts);
    LandmarkForces pairs(landmarks, counts, level.counts, spacing, intensity);
    SurfaceForces of_surfaces(surfaces, counts, level.counts, spacing, intensity);
    const FieldValues weights = images.weights(result.displacement);
    const FluidProblem problem{.counts = level.counts,
                               .spacing_mm = spacing,
                               .parameters = parameters,
                               .fixed = channels[0].fixed,
                               .moving = channels[0].moving,
                               .weights = weights,
                               .displacement = result.displacement,
                               .landmarks = pairs,
                               .surfaces = of_surfaces,
                               .iterations = level.iterations,
                               .more = std::span(channels).subspan(1)};
    const double voxels = static_cast<double>(volumes::point_count(level.counts));
    LevelResult told;
    VectorField found;
    add_level(result.report, run_level(
                                 compute, problem,
                                 [&](FluidLevel& steps) {
                                   told = iterate(
                                       steps, level, pairs, of_surfaces,
                                       [&](Iteration iteration) {
                                         iteration.level = i;
                                         iteration.levels = levels.size();
                                         if (on_iteration) on_iteration(iteration);
                                       },
                                       [&](int iterations) {
                                         progress.report((done + iterations * voxels) / work,
                                                         fmt::format("level {} of {}", i + 1, levels.size()));
                                       },
                                       progress);
                                   found = end_level(steps, of_surfaces, told);
                                 },
                                 progress));
    result.displacement = std::move(found);
    result.mended += told.mended;
    done += level.iterations * voxels;
    result.levels.push_back(told);
  }
  progress.check();
  // Where the last level is not the full resolution.
  result.displacement = volumes::resized(result.displacement, counts);
  images.finish(moving, spacing_mm, parameters, result);
  result.surfaces = surface_results(surfaces, result.displacement, spacing_mm, progress);
  return result;
}

}  // namespace isolume::anatomy

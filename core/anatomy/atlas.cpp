#include "core/anatomy/atlas.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dispatch/memory.h"
#include "core/volumes/resize.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

using Range = tbb::blocked_range<std::size_t>;

/// Image, displacement and warped image of one subject on the grid of a level.
struct Warped {
  FieldValues image, warped;
  VectorField displacement;
  double weight = 1;

  void warp() { volumes::warp(image, displacement, warped); }
};

/// The weighted mean and, unless null, the weighted mean of squares about it; weights sum to 1.
void take_mean(const std::vector<Warped>& subjects, FieldValues& mean, FieldValues* variance) {
  handover::parallel_for(Range(0, mean.size(), 1 << 14), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      double sum = 0, squares = 0;
      for (const Warped& each : subjects) sum += each.weight * static_cast<double>(each.warped[i]);
      mean[i] = static_cast<float>(sum);
      if (variance == nullptr) continue;
      for (const Warped& each : subjects)
        squares += each.weight * std::pow(static_cast<double>(each.warped[i]) - sum, 2);
      (*variance)[i] = static_cast<float>(squares);
    }
  });
}

double root_mean(const FieldValues& variance) {
  double sum = 0;
  for (const float each : variance) sum += static_cast<double>(each);
  return std::sqrt(sum / static_cast<double>(variance.size()));
}

void require_memory(const Counts& counts, std::size_t images) {
  // Of each image: values, those compared, the level's, warped, and three of a displacement; and memory for steps.
  const double numbers_per_point = 7.0 * static_cast<double>(images) + 14;
  dispatch::require_memory(
      "The atlas", numbers_per_point * sizeof(float) * static_cast<double>(volumes::point_count(counts)),
      "Resample the first image to fewer voxels, or take fewer images.");
}

}  // namespace

Atlas build_atlas(std::span<const FieldValues> images, std::span<const double> weights, const Counts& counts,
                  const Spacing& spacing_mm, const FluidParameters& parameters,
                  const std::vector<Level>& levels, const OnAtlasIteration& on_iteration,
                  const jobs::Progress& progress) {
  if (images.size() < 2) throw Error("An atlas needs at least two images.");
  require_grid(counts);
  require_memory(counts, images.size());
  const double all_weights = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<FieldValues> compared;
  std::vector<Warped> subjects(images.size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    compared.push_back(comparable(images[i], parameters.intensities, fmt::format("image number {}", i + 1)));
    subjects[i].weight = weights[i] / all_weights;
    subjects[i].warped = compared[i];
  }
  Atlas atlas{
      .mean = FieldValues(images[0].size()), .variance = FieldValues(images[0].size()), .displacements = {}};
  take_mean(subjects, atlas.mean, &atlas.variance);
  atlas.spread_before = root_mean(atlas.variance);

  double work = 0, done = 0;
  for (const Level& level : levels)
    work += level.iterations * static_cast<double>(volumes::point_count(level.counts));
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const Level& level = levels[l];
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      Warped& subject = subjects[i];
      subject.image = volumes::resized(compared[i], counts, level.counts);
      subject.displacement =
          l == 0 ? volumes::zero_field(level.counts) : volumes::resized(subject.displacement, level.counts);
      subject.warped.resize(subject.image.size());
      subject.warp();
    }
    FluidSteps steps(level.counts, level_spacing(counts, spacing_mm, level.counts), parameters);
    FieldValues mean(subjects[0].image.size());
    // One step size for all: velocities of their own lengths, whose weighted mean vanishes about the mean image.
    take_mean(subjects, mean, nullptr);
    steps.set_fixed(mean);
    double longest = 0;
    for (const Warped& subject : subjects) {
      progress.check();
      steps.measure(subject.warped);
      longest = std::max(longest, steps.smooth());
    }
    double step_size = longest > 0 ? parameters.largest_step / longest : 0;
    for (int iteration = 0; iteration < level.iterations; ++iteration) {
      take_mean(subjects, mean, nullptr);
      steps.set_fixed(mean);
      double sum = 0;
      for (Warped& subject : subjects) {
        progress.check();
        sum += subject.weight * steps.measure(subject.warped);
        steps.move(subject.displacement, step_size);
        subject.warp();
      }
      if (on_iteration) {
        std::vector<std::span<const float>> warped;
        for (const Warped& subject : subjects) warped.emplace_back(subject.warped);
        on_iteration({.level = l,
                      .levels = levels.size(),
                      .iteration = iteration,
                      .iterations = level.iterations,
                      .spread = steps.mismatch().mean(sum),
                      .mean = mean,
                      .warped = warped});
      }
      done += static_cast<double>(mean.size());
      progress.report(done / work, fmt::format("level {} of {}", l + 1, levels.size()));
    }
  }
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    progress.check();
    Warped& subject = subjects[i];
    if (levels.empty()) subject.displacement = volumes::zero_field(counts);
    subject.displacement = volumes::resized(subject.displacement, counts);
    atlas.mended += volumes::unfold(subject.displacement);
    subject.image = std::move(compared[i]);
    subject.warped.resize(subject.image.size());
    subject.warp();
    const auto jacobian = volumes::jacobian_range(subject.displacement);
    atlas.least_jacobian = std::min(atlas.least_jacobian, jacobian.least);
    atlas.folded += jacobian.folded;
  }
  take_mean(subjects, atlas.mean, &atlas.variance);
  atlas.spread_after = root_mean(atlas.variance);
  for (Warped& each : subjects) atlas.displacements.push_back(std::move(each.displacement));
  return atlas;
}

}  // namespace isolume::anatomy

#include "core/anatomy/atlas.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

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

/// Rounds terms to multiples of a power of two so coarse that their sums are exact: the same in any order and grouping (J. Demmel,
/// H. D. Nguyen, Fast reproducible floating-point summation, ARITH 2013). The sum of their magnitudes is at most `greatest`.
class Rounded {
 public:
  explicit Rounded(double greatest) : shift_(std::ldexp(1.5, std::ilogb(greatest) + 2)) {}
  double operator()(double term) const { return (term + shift_) - shift_; }

 private:
  double shift_;  ///< the last digits of its sum with a term are lost
};

struct Weighted {
  double weight;
  std::span<const float> values;
};

std::vector<Weighted> weighted(const std::vector<Warped>& subjects) {
  std::vector<Weighted> all;
  for (const Warped& each : subjects) all.push_back({each.weight, each.warped});
  return all;
}

/// The weighted mean of the images of all processes and, unless null, the weighted mean of squares about it; weights sum to 1.
/// `greatest`: magnitude of values.
void take_mean(const std::vector<Weighted>& images, double greatest, const AtlasProcesses& processes,
               FieldValues& mean, FieldValues* variance) {
  if (!(greatest > 0)) greatest = 1;
  const Rounded term(greatest), square(4 * greatest * greatest);
  constexpr std::size_t most = 1 << 20;  // values that are summed at once, for little memory
  std::vector<double> sums(std::min(most, mean.size())), squares(variance != nullptr ? sums.size() : 0);
  for (std::size_t first = 0; first < mean.size(); first += most) {
    const std::size_t count = std::min(most, mean.size() - first);
    const auto each_point = [&](const auto& act) {
      handover::parallel_for(Range(0, count, 1 << 14), [&](const Range& part) {
        for (std::size_t i = part.begin(); i != part.end(); ++i) act(i, first + i);
      });
    };
    each_point([&](std::size_t i, std::size_t at) {
      double sum = 0;
      for (const Weighted& each : images) sum += term(each.weight * static_cast<double>(each.values[at]));
      sums[i] = sum;
    });
    processes.sum(std::span(sums).first(count));
    each_point([&](std::size_t i, std::size_t at) { mean[at] = static_cast<float>(sums[i]); });
    if (variance == nullptr) continue;
    each_point([&](std::size_t i, std::size_t at) {
      double sum = 0;
      for (const Weighted& each : images)
        sum += square(each.weight * std::pow(static_cast<double>(each.values[at]) - sums[i], 2));
      squares[i] = sum;
    });
    processes.sum(std::span(squares).first(count));
    each_point([&](std::size_t i, std::size_t at) { (*variance)[at] = static_cast<float>(squares[i]); });
  }
}

double greatest_magnitude(std::span<const FieldValues> images) {
  float greatest = 0;
  for (const FieldValues& image : images) {
    for (const float each : image) greatest = std::max(greatest, std::abs(each));
  }
  return static_cast<double>(greatest);
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
                  const jobs::Progress& progress, const AtlasProcesses& processes) {
  const std::vector<double> weights_of_all = processes.all(weights);
  if (weights_of_all.size() < 2) throw Error("An atlas needs at least two images.");
  require_grid(counts);
  const double all_weights = std::accumulate(weights_of_all.begin(), weights_of_all.end(), 0.0);
  std::vector<FieldValues> compared;
  std::vector<Warped> subjects(images.size());
  Atlas atlas;
  processes.together([&] {
    require_memory(counts, images.size());
    for (std::size_t i = 0; i < images.size(); ++i) {
      compared.push_back(comparable(images[i], parameters.intensities, "averaged"));
      subjects[i].weight = weights[i] / all_weights;
      subjects[i].warped = compared[i];
    }
    atlas.mean.resize(volumes::point_count(counts));
    atlas.variance.resize(atlas.mean.size());
  });
  const double greatest = processes.greatest(greatest_magnitude(compared));
  take_mean(weighted(subjects), greatest, processes, atlas.mean, &atlas.variance);
  atlas.spread_before = root_mean(atlas.variance);

  double work = 0, done = 0;
  for (const Level& level : levels)
    work += level.iterations * static_cast<double>(volumes::point_count(level.counts));
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const Level& level = levels[l];
    std::optional<FluidSteps> steps;
    FieldValues mean;
    processes.together([&] {
      for (std::size_t i = 0; i < subjects.size(); ++i) {
        Warped& subject = subjects[i];
        subject.image = volumes::resized(compared[i], counts, level.counts);
        subject.displacement =
            l == 0 ? volumes::zero_field(level.counts) : volumes::resized(subject.displacement, level.counts);
        subject.warped.resize(subject.image.size());
        subject.warp();
      }
      steps.emplace(level.counts, level_spacing(counts, spacing_mm, level.counts), parameters);
      mean.resize(volumes::point_count(level.counts));
    });
    // One step size for all: velocities of their own lengths, whose weighted mean vanishes about the mean image.
    take_mean(weighted(subjects), greatest, processes, mean, nullptr);
    double longest = 0;
    processes.together([&] {
      steps->set_fixed(mean);
      for (const Warped& subject : subjects) {
        progress.check();
        steps->measure(subject.warped);
        longest = std::max(longest, steps->smooth());
      }
    });
    longest = processes.greatest(longest);
    double step_size = longest > 0 ? parameters.largest_step / longest : 0;
    double last = std::numeric_limits<double>::max();
    for (int iteration = 0; iteration < level.iterations; ++iteration) {
      if (iteration > 0) take_mean(weighted(subjects), greatest, processes, mean, nullptr);
      std::vector<double> mismatches;
      processes.together([&] {
        steps->set_fixed(mean);
        for (Warped& subject : subjects) {
          progress.check();
          mismatches.push_back(subject.weight * steps->measure(subject.warped));
          if (step_size == 0) continue;  // images that are the same
          steps->move(subject.displacement, step_size);
          subject.warp();
        }
      });
      const auto of_all = processes.all(mismatches);
      const double sum = std::accumulate(of_all.begin(), of_all.end(), 0.0);
      if (sum > last) step_size /= 2;  // the last step was too long
      last = sum;
      if (on_iteration) {
        std::vector<std::span<const float>> warped;
        for (const Warped& subject : subjects) warped.emplace_back(subject.warped);
        on_iteration({.level = l,
                      .levels = levels.size(),
                      .iteration = iteration,
                      .iterations = level.iterations,
                      .spread = steps->mismatch().mean(sum),
                      .mean = mean,
                      .warped = warped});
      }
      done += static_cast<double>(mean.size());
      progress.report(done / work, fmt::format("level {} of {}", l + 1, levels.size()));
    }
  }
  std::vector<double> largest, least, folded, mended;
  processes.together([&] {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      progress.check();
      Warped& subject = subjects[i];
      if (levels.empty()) subject.displacement = volumes::zero_field(counts);
      subject.displacement = volumes::resized(subject.displacement, counts);
      mended.push_back(static_cast<double>(volumes::unfold(subject.displacement)));
      subject.image = std::move(compared[i]);
      subject.warped.resize(subject.image.size());
      subject.warp();
      const auto jacobian = volumes::jacobian_range(subject.displacement);
      least.push_back(static_cast<double>(jacobian.least));
      folded.push_back(static_cast<double>(jacobian.folded));
      largest.push_back(volumes::largest_length(subject.displacement, spacing_mm));
    }
  });
  const auto total = [&](const std::vector<double>& own) {
    const auto all = processes.all(own);
    return static_cast<std::size_t>(std::accumulate(all.begin(), all.end(), 0.0));
  };
  atlas.mended = total(mended);
  atlas.folded = total(folded);
  atlas.largest_mm = processes.all(largest);
  const auto least_of_all = processes.all(least);
  atlas.least_jacobian = std::min(1.F, static_cast<float>(std::ranges::min(least_of_all)));
  take_mean(weighted(subjects), greatest, processes, atlas.mean, &atlas.variance);
  atlas.spread_after = root_mean(atlas.variance);
  for (Warped& each : subjects) atlas.displacements.push_back(std::move(each.displacement));
  return atlas;
}

void take_average(Atlas& atlas, std::span<const FieldValues> warped, std::span<const double> weights,
                  const AtlasProcesses& processes) {
  const std::vector<double> weights_of_all = processes.all(weights);
  const double all_weights = std::accumulate(weights_of_all.begin(), weights_of_all.end(), 0.0);
  std::vector<Weighted> images;
  for (std::size_t i = 0; i < warped.size(); ++i) images.push_back({weights[i] / all_weights, warped[i]});
  take_mean(images, processes.greatest(greatest_magnitude(warped)), processes, atlas.mean, &atlas.variance);
  atlas.spread_after = root_mean(atlas.variance);
}

}  // namespace isolume::anatomy

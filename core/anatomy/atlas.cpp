#include "core/anatomy/atlas.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "core/anatomy/atlas_devices.h"
#include "core/anatomy/atlas_steps.h"
#include "core/anatomy/atlas_store.h"
#include "core/anatomy/fluid.h"
#include "core/anatomy/parts.h"
#include "core/anatomy/rounded.h"
#include "core/base/error.h"
#include "core/volumes/resize.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

/// The weighted mean of images of all processes and, if wanted, their variance; the weights of all sum to 1.
class Sums {
 public:
  /// `greatest`: magnitude of values.
  Sums(std::size_t count, double greatest, bool has_squares)
      : term_(greatest > 0 ? greatest : 1),
        square_(greatest > 0 ? greatest * greatest : 1),
        sums_(count),
        squares_(has_squares ? count : 0) {}

  void add(double weight, std::span<const float> values) {
    for_parts(sums_.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) sums_[i] += term_(weight * static_cast<double>(values[i]));
      for (std::size_t i = begin; i < end && !squares_.empty(); ++i) {
        const auto value = static_cast<double>(values[i]);
        squares_[i] += square_(weight * value * value);
      }
    });
  }

  void add(AtlasLevel& images) { images.add_sums(sums_, squares_); }

  /// Sets the mean and, unless null, the variance, and begins with the next ones.
  void finish(const AtlasProcesses& processes, FieldValues& mean, FieldValues* variance) {
    const auto add_all = [&](std::span<double> values) {
      constexpr std::size_t most = 1 << 20;  // that are exchanged at once, for little memory
      for (std::size_t first = 0; first < values.size(); first += most)
        processes.sum(values.subspan(first, std::min(most, values.size() - first)));
    };
    add_all(sums_);
    add_all(squares_);
    for_parts(sums_.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) mean[i] = static_cast<float>(sums_[i]);
      for (std::size_t i = begin; i < end && variance != nullptr; ++i)
        (*variance)[i] = static_cast<float>(std::max(squares_[i] - sums_[i] * sums_[i], 0.0));
    });
    std::ranges::fill(sums_, 0);
    std::ranges::fill(squares_, 0);
  }

 private:
  Rounded term_, square_;
  std::vector<double> sums_, squares_;
};

double greatest_magnitude(std::span<const float> image) {
  float greatest = 0;
  for (const float each : image) greatest = std::max(greatest, std::abs(each));
  return static_cast<double>(greatest);
}

double root_mean(const FieldValues& variance) {
  double sum = 0;
  for (const float each : variance) sum += static_cast<double>(each);
  return std::sqrt(sum / static_cast<double>(variance.size()));
}

/// The change of a value that counts as 1 in a flow's energy: the range of values, or 1 for the correlation.
double intensity_of(const AtlasParameters& parameters, double greatest) {
  const bool is_range = parameters.intensities == Intensities::range || parameters.metric != Metric::squares;
  return is_range || !(greatest > 0) ? 1 : greatest;
}

/// The iterations of a level. `devices`: which hold the images and take the steps; null: the subjects and `steps` do.
class LevelIterations {
 public:
  LevelIterations(const AtlasParameters& parameters, AtlasSteps& steps, AtlasStore& subjects,
                  const std::vector<double>& weights, AtlasLevel* devices, const AtlasProcesses& processes)
      : parameters_(parameters),
        steps_(steps),
        subjects_(subjects),
        weights_(weights),
        devices_(devices),
        processes_(processes) {}

  /// One step size for all: velocities of their own lengths, whose weighted mean vanishes about the mean image.
  void find_step_size(std::span<const float> mean, const jobs::Progress& progress) {
    double longest = 0;
    processes_.together([&] {
      if (devices_ != nullptr) {
        devices_->set_mean(mean);
        longest = devices_->longest();
        return;
      }
      steps_.set_mean(mean);
      subjects_.visit(
          {.reads = {.image = true, .warped = true, .fields = true}},
          [&](std::size_t, AtlasSubject& subject) {
            steps_.measure(subject, progress);
            longest = std::max(longest, steps_.longest());
          },
          progress);
    });
    longest = processes_.greatest(longest);
    step_size_ = longest > 0 ? parameters_.largest_step / longest : 0;
  }

  /// A step of each image towards the mean; returns the spread before it. `sums` gets the images after it.
  double step(std::span<const float> mean, Sums& sums, const jobs::Progress& progress) {
    std::vector<double> mismatches;
    double longest = 0, taken_back = 0;
    processes_.together([&] {
      if (devices_ != nullptr) {
        devices_->set_mean(mean);
        mismatches = devices_->step(step_size_);
        sums.add(*devices_);
        return;
      }
      steps_.set_mean(mean);
      const auto take_step = [&](std::size_t i, AtlasSubject& subject) {
        mismatches.push_back(weights_[i] * steps_.measure(subject, progress));
        if (step_size_ > 0) {  // else all images are the same
          const AtlasSteps::Step step = steps_.move(subject, step_size_, progress);
          longest = std::max(longest, step.longest);
          taken_back += step.is_taken_back ? 1 : 0;
        }
        sums.add(weights_[i], subject.warped);
      };
      subjects_.visit({.reads = {.image = true, .warped = true, .fields = true},
                       .writes = {.warped = true, .fields = true}},
                      take_step, progress);
    });
    const auto of_all = processes_.all(mismatches);
    const double mismatch = std::accumulate(of_all.begin(), of_all.end(), 0.0);
    adapt_step_size(mismatch, longest, taken_back);
    return steps_.mean(mismatch);
  }

 private:
  /// Flows make no step that is too long; of fluid steps the last one was, where the spread has grown.
  void adapt_step_size(double mismatch, double longest, double taken_back) {
    const bool is_flow = parameters_.model == AtlasModel::lddmm;
    const bool was_too_long = is_flow ? processes_.greatest(taken_back) > 0 : mismatch > last_mismatch_;
    last_mismatch_ = mismatch;
    if (was_too_long) {
      step_size_ /= 2;
    } else if (is_flow && step_size_ > 0) {
      constexpr double growth = 1.2;
      step_size_ = std::min(growth * step_size_, parameters_.largest_step / processes_.greatest(longest));
    }
  }

  const AtlasParameters& parameters_;
  AtlasSteps& steps_;
  AtlasStore& subjects_;
  const std::vector<double>& weights_;
  AtlasLevel* devices_;
  const AtlasProcesses& processes_;
  double step_size_ = 0, last_mismatch_ = std::numeric_limits<double>::max();
};

}  // namespace

Atlas build_atlas(const AtlasImages& images, std::span<const double> weights, const Counts& counts,
                  const Spacing& spacing_mm, const AtlasParameters& parameters,
                  const std::vector<Level>& levels, const OnAtlasIteration& on_iteration,
                  const jobs::Progress& progress, const AtlasProcesses& processes,
                  const FluidCompute& compute) {
  const std::vector<double> weights_of_all = processes.all(weights);
  if (weights_of_all.size() < 2) throw Error("An atlas needs at least two images.");
  require_grid(counts);
  const double all_weights = std::accumulate(weights_of_all.begin(), weights_of_all.end(), 0.0);
  std::vector<double> parts;
  for (const double each : weights) parts.push_back(each / all_weights);
  Atlas atlas;
  double greatest = 0, streams = 0;
  processes.together([&] { streams = is_streamed(counts, images.size(), parameters) ? 1 : 0; });
  streams = processes.greatest(streams);  // all or none, since work on devices is shared otherwise
  processes.together([&] {
    if (streams > 0 && parameters.model == AtlasModel::fluid) of_streamed(compute);
    atlas.images = std::make_shared<AtlasStore>(images.size(), streams > 0);
    atlas.images->visit(
        {.reads = {},
         .writes = {.compared = true},
         .read_more = [&](std::size_t i, AtlasSubject& subject) { subject.compared = images.values(i); }},
        [&](std::size_t, AtlasSubject& subject) {
          subject.compared = comparable(subject.compared, parameters.intensities, "averaged");
          greatest = std::max(greatest, greatest_magnitude(subject.compared));
        },
        progress);
    atlas.mean.resize(volumes::point_count(counts));
    atlas.variance.resize(atlas.mean.size());
  });
  greatest = processes.greatest(greatest);
  AtlasStore& subjects = *atlas.images;
  std::optional<Sums> whole;
  processes.together([&] {
    whole.emplace(atlas.mean.size(), greatest, true);
    subjects.visit(
        {.reads = {.compared = true}},
        [&](std::size_t i, AtlasSubject& subject) { whole->add(parts[i], subject.compared); }, progress);
  });
  whole->finish(processes, atlas.mean, &atlas.variance);
  atlas.spread_before = root_mean(atlas.variance);

  double work = 0, done = 0;
  for (const Level& level : levels)
    work += level.iterations * static_cast<double>(volumes::point_count(level.counts));
  std::unique_ptr<AtlasSteps> steps;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const Level& level = levels[l];
    const Spacing spacing = level_spacing(counts, spacing_mm, level.counts);
    FieldValues mean, variance;
    processes.together([&] {
      steps.reset();
      steps = atlas_steps(level.counts, spacing, parameters, intensity_of(parameters, greatest));
      mean.resize(volumes::point_count(level.counts));
      if (on_iteration) variance.resize(mean.size());
      subjects.visit(
          {.reads = {.compared = true, .fields = true},
           .writes = {.image = true, .warped = true, .fields = true}},
          [&](std::size_t, AtlasSubject& subject) {
            subject.image = volumes::resized(subject.compared, counts, level.counts);
            steps->begin(subject);
          },
          progress);
    });
    const auto iterate = [&](AtlasLevel* devices) {
      std::optional<Sums> sums;
      processes.together([&] {
        sums.emplace(mean.size(), greatest, static_cast<bool>(on_iteration));
        if (devices != nullptr) return sums->add(*devices);
        subjects.visit(
            {.reads = {.warped = true}},
            [&](std::size_t i, AtlasSubject& subject) { sums->add(parts[i], subject.warped); }, progress);
      });
      FieldValues* const wanted_variance = on_iteration ? &variance : nullptr;
      sums->finish(processes, mean, wanted_variance);
      LevelIterations iterations(parameters, *steps, subjects, parts, devices, processes);
      iterations.find_step_size(mean, progress);
      for (int iteration = 0; iteration < level.iterations; ++iteration) {
        const double spread = iterations.step(mean, *sums, progress);
        sums->finish(processes, mean, wanted_variance);
        if (on_iteration) {
          on_iteration({.level = l,
                        .levels = levels.size(),
                        .iteration = iteration,
                        .iterations = level.iterations,
                        .spread = spread,
                        .mean = mean,
                        .variance = variance});
        }
        progress.report((done + (iteration + 1.0) * static_cast<double>(mean.size())) / work,
                        fmt::format("level {} of {}", l + 1, levels.size()));
      }
    };
    if (parameters.model == AtlasModel::fluid && !subjects.is_streamed()) {
      // Processes could choose differently, each by times of its own.
      const bool is_left_to_cpu = processes.are_several() && compute.options.engine == "auto";
      AtlasProblem problem{{level.counts, spacing, parameters, subjects.size()}};
      problem.weights = parts;
      problem.greatest = greatest;
      problem.has_others = processes.are_several();
      problem.on_host = [&] { iterate(nullptr); };
      for (AtlasSubject& each : subjects.subjects()) {
        problem.values.push_back(each.image);
        problem.displacements.push_back(&each.fields[0]);
      }
      add_level(atlas.report, run_level(
                                  is_left_to_cpu ? FluidCompute() : compute, problem,
                                  [&](AtlasLevel& devices) {
                                    iterate(&devices);
                                    processes.together([&] { devices.finish(); });
                                  },
                                  progress));
    } else {
      iterate(nullptr);
    }
    done += level.iterations * static_cast<double>(mean.size());
  }
  std::vector<double> largest, least, folded, mended, distances;
  processes.together([&] {
    const auto finish = [&](std::size_t i, AtlasSubject& subject) {
      if (parameters.model == AtlasModel::lddmm && steps != nullptr)
        distances.push_back(steps->distance(subject));
      VectorField displacement = steps == nullptr ? volumes::zero_field(counts)
                                                  : volumes::resized(steps->displacement(subject), counts);
      mended.push_back(static_cast<double>(volumes::unfold(displacement)));
      subject.warped.resize(subject.compared.size());
      volumes::warp(subject.compared, displacement, subject.warped);
      whole->add(parts[i], subject.warped);
      const auto jacobian = volumes::jacobian_range(displacement);
      least.push_back(static_cast<double>(jacobian.least));
      folded.push_back(static_cast<double>(jacobian.folded));
      largest.push_back(volumes::largest_length(displacement, spacing_mm));
      subject = {};
      subject.fields.push_back(std::move(displacement));
    };
    subjects.visit({.reads = {.compared = true, .image = true, .fields = true}, .writes = {.fields = true}},
                   finish, progress);
  });
  const auto total = [&](const std::vector<double>& own) {
    const auto all = processes.all(own);
    return static_cast<std::size_t>(std::accumulate(all.begin(), all.end(), 0.0));
  };
  atlas.mended = total(mended);
  atlas.folded = total(folded);
  atlas.largest_mm = processes.all(largest);
  atlas.distances_mm = processes.all(distances);
  const auto least_of_all = processes.all(least);
  atlas.least_jacobian = std::min(1.F, static_cast<float>(std::ranges::min(least_of_all)));
  whole->finish(processes, atlas.mean, &atlas.variance);
  atlas.spread_after = root_mean(atlas.variance);
  if (subjects.is_streamed()) atlas.report = subjects.timeline();
  return atlas;
}

void take_average(
    Atlas& atlas,
    const std::function<FieldValues(std::size_t index, const VectorField& displacement)>& deformed,
    std::span<const double> weights, const jobs::Progress& progress, const AtlasProcesses& processes) {
  const std::vector<double> weights_of_all = processes.all(weights);
  const double all_weights = std::accumulate(weights_of_all.begin(), weights_of_all.end(), 0.0);
  double greatest = 0;
  processes.together([&] {
    atlas.images->visit(
        {.reads = {.fields = true}, .writes = {.warped = true}},
        [&](std::size_t i, AtlasSubject& subject) {
          subject.warped = deformed(i, subject.fields[0]);
          greatest = std::max(greatest, greatest_magnitude(subject.warped));
        },
        progress);
  });
  std::optional<Sums> sums;
  greatest = processes.greatest(greatest);
  processes.together([&] {
    sums.emplace(atlas.mean.size(), greatest, true);
    atlas.images->visit(
        {.reads = {.warped = true}},
        [&](std::size_t i, AtlasSubject& subject) {
          sums->add(weights[i] / all_weights, subject.warped);
          subject.warped = {};
        },
        progress);
  });
  sums->finish(processes, atlas.mean, &atlas.variance);
  atlas.spread_after = root_mean(atlas.variance);
}

}  // namespace isolume::anatomy

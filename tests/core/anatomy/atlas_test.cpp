#include "core/anatomy/atlas.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/anatomy/image.h"
#include "core/base/error.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

const Counts grid_counts{32, 30, 28};

FieldValues ball(double radius, double shift = 0) {
  FieldValues values;
  for (int z = 0; z < grid_counts[2]; ++z) {
    for (int y = 0; y < grid_counts[1]; ++y) {
      for (int x = 0; x < grid_counts[0]; ++x) {
        const double r = std::hypot(x - 15.5 - shift, y - 14.5, z - 13.5);
        values.push_back(static_cast<float>(1 / (1 + std::exp((r - radius) / 0.7))));
      }
    }
  }
  return values;
}

double radius_of(const FieldValues& image) {
  double volume = 0;
  for (const float each : image) volume += static_cast<double>(each);
  return std::cbrt(3 * volume / (4 * M_PI));
}

Atlas atlas_of(const std::vector<FieldValues>& images, std::vector<double> weights = {}) {
  const FluidParameters parameters{.smoothness_mm = 4, .largest_step = 0.25, .levels = 2, .iterations = 60};
  weights.resize(images.size(), 1);
  return build_atlas(images, weights, grid_counts, {1, 1, 1}, parameters, levels_of(grid_counts, parameters));
}

TEST(Atlas, OfTheSameImagesIsThatImage) {
  const FieldValues image = ball(8);
  const auto [low, high] = std::ranges::minmax(image);
  const Atlas atlas = atlas_of({image, image, image});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(volumes::largest_length(atlas.images->field(i)), 0);
  for (std::size_t i = 0; i < image.size(); ++i)
    ASSERT_NEAR(atlas.mean[i], (image[i] - low) / (high - low), 1e-6);
  EXPECT_NEAR(atlas.spread_after, 0, 1e-6);
}

/// Sharp, between the images, and as near to one as to the other.
TEST(Atlas, OfTwoBallsIsABallBetweenThem) {
  const Atlas atlas = atlas_of({ball(7), ball(10)});
  EXPECT_LT(atlas.spread_after, 0.1 * atlas.spread_before);
  EXPECT_GT(atlas.least_jacobian, 0);
  EXPECT_GT(radius_of(atlas.mean), 8);
  EXPECT_LT(radius_of(atlas.mean), 9.3);
  const auto half = std::ranges::count_if(atlas.mean, [](float each) { return each > 0.2F && each < 0.8F; });
  const auto blurred =
      std::ranges::count_if(ball(8.5), [](float each) { return each > 0.2F && each < 0.8F; });
  EXPECT_LT(static_cast<double>(half), 1.5 * static_cast<double>(blurred)) << "voxels of the boundary";
}

TEST(Atlas, MovesTowardsTheHeavierImage) {
  const double equal = radius_of(atlas_of({ball(7), ball(10)}).mean);
  EXPECT_GT(radius_of(atlas_of({ball(7), ball(10)}, {1, 4}).mean), equal + 0.3);
  EXPECT_LT(radius_of(atlas_of({ball(7), ball(10)}, {4, 1}).mean), equal - 0.3);
}

TEST(Atlas, DoesNotDependOnTheOrderOfImages) {
  const Atlas one = atlas_of({ball(7), ball(9, 2), ball(8, -1)}),
              other = atlas_of({ball(8, -1), ball(7), ball(9, 2)});
  for (std::size_t i = 0; i < one.mean.size(); ++i) ASSERT_NEAR(one.mean[i], other.mean[i], 2e-3);
}

AtlasParameters flow_parameters(int levels, int iterations) {
  AtlasParameters parameters(
      FluidParameters{.smoothness_mm = 4, .largest_step = 0.5, .levels = levels, .iterations = iterations});
  parameters.model = AtlasModel::lddmm;
  parameters.time_steps = 4;
  parameters.regularity = 1e-3;
  return parameters;
}

/// The sum of w d^2 is least where the momenta of all images cancel: w1 d1 = w2 d2 on the way between two images, but for what the
/// slopes of both differ where they do not match.
TEST(Atlas, OfFlowsLiesAtDistancesThatWeighUp) {
  const AtlasParameters parameters = flow_parameters(1, 12);
  const auto flow_atlas = [&](double second_radius, std::vector<double> weights) {
    const std::vector<FieldValues> images{ball(7), ball(second_radius)};
    return build_atlas(images, weights, grid_counts, {1, 1, 1}, parameters,
                       levels_of(grid_counts, parameters));
  };
  const Atlas equal = flow_atlas(9.5, {1, 1}), weighted = flow_atlas(9.5, {1, 3});
  EXPECT_LT(equal.spread_after, 0.15 * equal.spread_before);
  EXPECT_GT(equal.least_jacobian, 0);
  ASSERT_EQ(equal.distances_mm.size(), 2U);
  const double ratio = equal.distances_mm[0] / equal.distances_mm[1];
  EXPECT_NEAR(ratio, 1, 0.15);
  EXPECT_NEAR(weighted.distances_mm[0] / weighted.distances_mm[1], 3 * ratio, 0.3);
  EXPECT_GT(radius_of(weighted.mean), radius_of(equal.mean) + 0.3);
  // The way to the mean and on is that between the images.
  EXPECT_NEAR(weighted.distances_mm[0] + weighted.distances_mm[1],
              equal.distances_mm[0] + equal.distances_mm[1], 0.1 * equal.distances_mm[0]);
  EXPECT_EQ(flow_atlas(7, {1, 1}).distances_mm, (std::vector<double>{0, 0}));
}

TEST(Atlas, GivesTheSameBitsOnAnyNumberOfThreads) {
  FieldValues first;
  for (const int threads : {1, 2, 4}) {
    Atlas atlas;
    tbb::task_arena(threads).execute([&] { atlas = atlas_of({ball(7), ball(9, 2)}); });
    if (threads == 1) first = atlas.mean;
    EXPECT_EQ(atlas.mean, first);
  }
}

TEST(Atlas, OfFlowsGivesTheSameBitsOnAnyNumberOfThreads) {
  const AtlasParameters parameters = flow_parameters(2, 4);
  const std::vector<FieldValues> images{ball(7), ball(9, 2)};
  FieldValues first;
  for (const int threads : {1, 2}) {
    Atlas atlas;
    tbb::task_arena(threads).execute([&] {
      atlas = build_atlas(images, std::vector<double>(2, 1.0), grid_counts, {1, 1, 1}, parameters,
                          levels_of(grid_counts, parameters));
    });
    if (threads == 1) first = atlas.mean;
    EXPECT_EQ(atlas.mean, first);
  }
}

/// Steps that overshoot let the spread grow and fall in turn, unless they are halved.
TEST(Atlas, HalvesStepsThatOvershoot) {
  const FluidParameters parameters{.smoothness_mm = 4, .largest_step = 0.5, .levels = 2, .iterations = 60};
  const std::vector<FieldValues> images{ball(7), ball(9, 2), ball(8, -1)};
  int rises = 0;
  double last = 0;
  const Atlas atlas = build_atlas(images, std::vector<double>(3, 1.0), grid_counts, {1, 1, 1}, parameters,
                                  levels_of(grid_counts, parameters), [&](const AtlasIteration& iteration) {
                                    rises += iteration.iteration > 0 && iteration.spread > last ? 1 : 0;
                                    last = iteration.spread;
                                  });
  EXPECT_LE(rises, 6);
  EXPECT_LT(atlas.spread_after, 0.02 * atlas.spread_before);
}

/// Several threads as the processes that share an atlas.
class SharedAmongThreads {
 public:
  explicit SharedAmongThreads(std::size_t count)
      : sync_(static_cast<std::ptrdiff_t>(count)), values_(count) {}

  class Process final : public AtlasProcesses {
   public:
    Process(SharedAmongThreads& all, std::size_t number) : all_(all), number_(number) {}
    void sum(std::span<double> values) const override {
      const auto each = exchange({values.begin(), values.end()});
      std::ranges::fill(values, 0);
      for (const auto& other : each)
        for (std::size_t i = 0; i < values.size(); ++i) values[i] += other[i];
    }
    double greatest(double value) const override { return std::ranges::max(all(std::array{value})); }
    std::vector<double> all(std::span<const double> own) const override {
      std::vector<double> joined;
      for (const auto& each : exchange({own.begin(), own.end()}))
        joined.insert(joined.end(), each.begin(), each.end());
      return joined;
    }

   private:
    std::vector<std::vector<double>> exchange(std::vector<double> own) const {
      all_.values_[number_] = std::move(own);
      all_.sync_.arrive_and_wait();
      auto copy = all_.values_;
      all_.sync_.arrive_and_wait();
      return copy;
    }
    SharedAmongThreads& all_;
    std::size_t number_;
  };

 private:
  std::barrier<> sync_;
  std::vector<std::vector<double>> values_;
};

void expect_the_same_bits_of_processes(const AtlasParameters& parameters) {
  const std::vector<FieldValues> images{ball(7), ball(9, 2), ball(8, -1), ball(10, 1)};
  const std::vector<double> weights{1, 0.3, 2, 0.7};
  const auto levels = levels_of(grid_counts, parameters);
  const Atlas alone = build_atlas(images, weights, grid_counts, {1, 1, 2}, parameters, levels);
  for (const std::vector<std::size_t>& begins : {std::vector<std::size_t>{0, 1, 4}, {0, 0, 2, 3, 4}}) {
    SharedAmongThreads shared(begins.size() - 1);
    std::vector<Atlas> parts(begins.size() - 1);
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        threads.emplace_back([&, i] {
          const std::size_t first = begins[i], count = begins[i + 1] - begins[i];
          parts[i] = build_atlas(std::span(images).subspan(first, count),
                                 std::span(weights).subspan(first, count), grid_counts, {1, 1, 2}, parameters,
                                 levels, {}, {}, SharedAmongThreads::Process(shared, i));
        });
      }
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(parts[i].mean, alone.mean);
      EXPECT_EQ(parts[i].variance, alone.variance);
      EXPECT_EQ(parts[i].spread_after, alone.spread_after);
      EXPECT_EQ(parts[i].largest_mm, alone.largest_mm);
      EXPECT_EQ(parts[i].distances_mm, alone.distances_mm);
      EXPECT_EQ(parts[i].least_jacobian, alone.least_jacobian);
      for (std::size_t k = begins[i]; k < begins[i + 1]; ++k)
        EXPECT_EQ(parts[i].images->field(k - begins[i]).components, alone.images->field(k).components);
    }
  }
}

TEST(Atlas, GivesTheSameBitsOnAnyNumberOfProcesses) {
  expect_the_same_bits_of_processes(
      FluidParameters{.smoothness_mm = 4, .largest_step = 0.5, .levels = 2, .iterations = 10});
  expect_the_same_bits_of_processes(flow_parameters(2, 3));
}

/// Images in files, three of which fit the memory, against images in memory.
TEST(Atlas, GivesTheSameBitsOfImagesThatAreStreamed) {
  const std::vector<FieldValues> images{ball(7), ball(9, 2), ball(8, -1), ball(10, 1)};
  const std::vector<double> weights{1, 0.3, 2, 0.7};
  AtlasParameters of_fluid(
      FluidParameters{.smoothness_mm = 4, .largest_step = 0.5, .levels = 2, .iterations = 6});
  of_fluid.memory_gb = 0.0048;
  AtlasParameters of_flow = flow_parameters(2, 3);
  of_flow.memory_gb = 0.017;
  for (AtlasParameters parameters : {of_fluid, of_flow}) {
    const auto levels = levels_of(grid_counts, parameters);
    const auto deform = [&](std::size_t i, const VectorField& displacement) {
      FieldValues warped(images[i].size());
      volumes::warp(images[i], displacement, warped);
      return warped;
    };
    Atlas streamed = build_atlas(images, weights, grid_counts, {1, 1, 2}, parameters, levels);
    ASSERT_TRUE(streamed.images->is_streamed());
    take_average(streamed, deform, weights);
    parameters.memory_gb = 0;
    Atlas kept = build_atlas(images, weights, grid_counts, {1, 1, 2}, parameters, levels);
    ASSERT_FALSE(kept.images->is_streamed());
    take_average(kept, deform, weights);
    EXPECT_EQ(streamed.mean, kept.mean);
    EXPECT_EQ(streamed.variance, kept.variance);
    EXPECT_EQ(streamed.distances_mm, kept.distances_mm);
    for (std::size_t i = 0; i < images.size(); ++i)
      EXPECT_EQ(streamed.images->field(i).components, kept.images->field(i).components);
    const AtlasStore::Times& times = streamed.images->times();
    EXPECT_GE(times.elapsed, times.bound);
    EXPECT_GE(times.bound, times.work);
    EXPECT_GT(times.bytes_written, 4 * 4 * images[0].size()) << "the values of each image, and more";
    const dispatch::Report& longest = streamed.images->timeline();
    ASSERT_EQ(longest.shares.size(), 3U);
    double busiest = 0;
    for (const auto& each : longest.shares) busiest = std::max(busiest, each.busy_seconds);
    EXPECT_NEAR(longest.efficiency(), busiest / longest.seconds, 1e-9);
    parameters.memory_gb = 1e-4;
    EXPECT_THROW(build_atlas(images, weights, grid_counts, {1, 1, 2}, parameters, levels), ResourceError);
  }
}

TEST(Atlas, FromFilesIsNotAveragedByAnEngineThatCannot) {
  const std::vector<FieldValues> images{ball(7), ball(9, 2), ball(8, -1), ball(10, 1)};
  const std::vector<double> weights{1, 1, 1, 1};
  AtlasParameters parameters(
      FluidParameters{.smoothness_mm = 4, .largest_step = 0.5, .levels = 1, .iterations = 1});
  const auto average = [&] {
    build_atlas(images, weights, grid_counts, {1, 1, 2}, parameters, levels_of(grid_counts, parameters), {},
                {}, AtlasProcesses(), {.options = {.engine = "cuda"}});
  };
  parameters.memory_gb = 0.0048;
  EXPECT_THROW(average(), Error);
  parameters.model = AtlasModel::lddmm;  // which has no engines
  parameters.memory_gb = 0.02;
  EXPECT_NO_THROW(average());
}

/// What a pass writes is what the next one reads, each image is read before the one before it is done, and errors of any stage
/// reach the caller.
TEST(AtlasStore, ReadsTheNextImageWhileOneIsWorkedOn) {
  constexpr std::size_t count = 5;
  AtlasStore store(count, true);
  const auto nothing = [](std::size_t, AtlasSubject&) {};
  store.visit({.reads = {}, .writes = {.compared = true, .fields = true}},
              [](std::size_t i, AtlasSubject& subject) {
                subject.compared.assign(100 + i, static_cast<float>(i));
                subject.fields.assign(2, volumes::zero_field({3, 4, 5}));
                subject.fields[1].data(2)[7] = static_cast<float>(10 * i);
              });
  std::vector<std::size_t> order;
  store.visit({.reads = {.compared = true}, .writes = {.compared = true}},
              [&](std::size_t i, AtlasSubject& subject) {
                order.push_back(i);
                EXPECT_TRUE(subject.fields.empty()) << "not asked for";
                ASSERT_EQ(subject.compared.size(), 100 + i);
                for (float& each : subject.compared) each += 1;
              });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  std::atomic<int> most_read{-1};
  store.visit({.reads = {.compared = true, .fields = true},
               .read_more = [&](std::size_t i, AtlasSubject&) { most_read = static_cast<int>(i); }},
              [&](std::size_t i, AtlasSubject& subject) {
                EXPECT_EQ(subject.compared, FieldValues(100 + i, static_cast<float>(i + 1)));
                EXPECT_EQ(subject.fields.at(1).data(2)[7], static_cast<float>(10 * i));
                const auto next = static_cast<int>(std::min(i + 1, count - 1));
                for (int wait = 0; wait < 2000 && most_read < next; ++wait)
                  std::this_thread::sleep_for(std::chrono::milliseconds(1));
                EXPECT_EQ(most_read, next) << "the next is read meanwhile, and no other";
              });
  EXPECT_EQ(volumes::largest_length(store.field(3)), 0) << "the first field";
  const auto fail_at = [](std::size_t index) {
    return [index](std::size_t i, AtlasSubject&) {
      if (i == index) throw Error("failed");
    };
  };
  EXPECT_THROW(store.visit({.reads = {.compared = true}}, fail_at(2)), Error);
  EXPECT_THROW(store.visit({.reads = {.compared = true}, .read_more = fail_at(3)}, nothing), Error);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(store.visit({.reads = {.compared = true}}, nothing, jobs::Progress(stop.get_token(), {})),
               Cancelled);
}

TEST(Atlas, RefusesASingleImageAndCanBeCancelled) {
  EXPECT_THROW(atlas_of({ball(7)}), Error);
  std::stop_source stop;
  stop.request_stop();
  const FluidParameters parameters;
  const std::vector<FieldValues> images{ball(7), ball(9)};
  const std::vector<double> weights{1, 1};
  EXPECT_THROW(build_atlas(images, weights, grid_counts, {1, 1, 1}, parameters,
                           levels_of(grid_counts, parameters), {}, jobs::Progress(stop.get_token(), {})),
               Cancelled);
}

/// The four bullseyes of AtlasWerks, and one of its means.
struct Bullseyes {
  std::vector<FieldValues> images;
  Image theirs;

  explicit Bullseyes(const std::string& mean) {
    const std::string folder = std::string(ISOLUME_TEST_REFERENCES) + "/anatomy/";
    for (const char* name : {"bullseye-00.mha", "bullseye-01.mha", "bullseye-02.mha", "bullseye-03.mha"}) {
      const Image image = read_image(folder + name);
      images.emplace_back(image.values().begin(), image.values().end());
    }
    theirs = read_image(folder + mean);
  }
  const Counts& counts() const { return theirs.grid().dimensions; }
  Spacing spacing() const {
    return {theirs.grid().spacing(0), theirs.grid().spacing(1), theirs.grid().spacing(2)};
  }

  struct Limits {
    double difference;  ///< root mean square, of the range
    double moments;     ///< mean and standard deviation over the voxels
    double boundary;    ///< of the outermost ball along the axes, in voxels
  };
  void expect_agreement(const Atlas& atlas, const Limits& limits) const {
    double square = 0, of_plain_mean = 0;
    std::array<double, 2> mean{}, squares{};
    const auto points = static_cast<double>(atlas.mean.size());
    for (std::size_t i = 0; i < atlas.mean.size(); ++i) {
      const double a = static_cast<double>(atlas.mean[i]), b = static_cast<double>(theirs.values()[i]);
      square += (a - b) * (a - b) / points;
      mean[0] += a / points;
      mean[1] += b / points;
      squares[0] += a * a / points;
      squares[1] += b * b / points;
      double plain = 0;
      for (const FieldValues& image : images) plain += static_cast<double>(image[i]) / 4;
      of_plain_mean += (plain - b) * (plain - b) / points;
    }
    EXPECT_LT(std::sqrt(square), limits.difference) << "of the range";
    EXPECT_NEAR(mean[0], mean[1], limits.moments);
    EXPECT_NEAR(std::sqrt(squares[0] - mean[0] * mean[0]), std::sqrt(squares[1] - mean[1] * mean[1]),
                limits.moments);
    EXPECT_GT(std::sqrt(of_plain_mean), 0.1) << "the plain mean is farther from theirs, and blurred";
    const std::array<std::ptrdiff_t, 3> strides{1, counts()[0], counts()[0] * counts()[1]};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const int side : {-1, 1}) {
        const std::ptrdiff_t stride = side * strides[axis];
        EXPECT_NEAR(boundary(atlas.mean, stride), boundary(theirs.values(), stride), limits.boundary)
            << axis << " " << side;
      }
    }
  }

 private:
  double boundary(std::span<const float> values, std::ptrdiff_t stride) const {
    const auto centre = static_cast<std::size_t>((18 * counts()[1] + 15) * counts()[0] + 16);
    for (std::ptrdiff_t i = 14; i-- > 0;) {
      const float in = values[centre + static_cast<std::size_t>(stride * i)];
      const float out = values[centre + static_cast<std::size_t>(stride * (i + 1))];
      if (in >= 0.2F && out < 0.2F)
        return static_cast<double>(i) + static_cast<double>((in - 0.2F) / (in - out));
    }
    return 0.0;
  }
};

/// The greedy mean of AtlasWerks, whose images each have a step size of their own. Values agree to a few hundredths of the
/// range, the outermost boundary, at the border of the grid, to a third of a voxel.
TEST(Atlas, AgreesWithAtlasWerks) {
  const Bullseyes all("greedy-mean.mha");
  const FluidParameters parameters{.smoothness_mm = std::sqrt(20), .compressibility = 1, .largest_step = 0.2};
  const Atlas atlas = build_atlas(all.images, std::vector<double>(4, 1.0), all.counts(), all.spacing(),
                                  parameters, {{all.counts(), 50}});
  all.expect_agreement(atlas, {.difference = 0.03, .moments = 0.01, .boundary = 0.34});
  EXPECT_LT(atlas.spread_after, 0.2 * atlas.spread_before);
}

/// The mean of AtlasWerks by geodesic flows: alpha and beta 0.01, gamma 0.001, sigma 3, ten steps; regularity as in Flow. Images
/// that match hardly tell where their mean is best, so that their boundary depends on the way there, as above.
TEST(Atlas, OfFlowsAgreesWithAtlasWerks) {
  const Bullseyes all("lddmm-mean.mha");
  AtlasParameters parameters(
      FluidParameters{.smoothness_mm = std::sqrt(10), .compressibility = 1, .largest_step = 0.5});
  parameters.model = AtlasModel::lddmm;
  parameters.time_steps = 10;
  parameters.regularity = 9 * 0.001 / 10;
  const Counts half{16, 15, 18};
  const Atlas atlas = build_atlas(all.images, std::vector<double>(4, 1.0), all.counts(), all.spacing(),
                                  parameters, {{half, 12}, {all.counts(), 5}});
  all.expect_agreement(atlas, {.difference = 0.03, .moments = 0.01, .boundary = 0.3});
  EXPECT_LT(atlas.spread_after, 0.2 * atlas.spread_before);
}

}  // namespace
}  // namespace isolume::anatomy

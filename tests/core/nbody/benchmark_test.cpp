#include "core/nbody/engines/benchmark.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nbody/engines/crossover.h"

namespace isolume::nbody {
namespace {

TEST(NBodyBenchmark, BodiesAreAPlummerSphere) {
  constexpr std::size_t count = 20000;
  const Bodies bodies = benchmark_bodies(count);
  check(bodies);
  std::vector<double> radii;
  double x = 0;
  for (std::size_t i = 0; i < count; ++i) {
    radii.push_back(std::hypot(bodies.x[i], bodies.y[i], bodies.z[i]));
    x += bodies.x[i] / radii.back() / count;
  }
  std::ranges::sort(radii);
  // Half of the mass is within (2^(2/3) - 1)^(-1/2) of an infinite sphere.
  EXPECT_NEAR(radii[count / 2], 1.3048, 0.03);
  EXPECT_LT(radii.back(), 22.4);
  EXPECT_NEAR(x, 0, 0.02) << "directions are not even";
  EXPECT_EQ(benchmark_bodies(10).x[9], bodies.x[9]);
}

TEST(NBodyBenchmark, SaysHowFastAndHowExactASolverIs) {
  for (const SolverKind kind : {SolverKind::direct, SolverKind::barnes_hut, SolverKind::fmm}) {
    ForceOptions options;
    options.solver = kind;
    options.error = 1e-3;
    options.threads = 1;
    const BenchmarkResult result = benchmark_forces(3000, options, *cpu_engines(), {0, 1});
    EXPECT_GT(result.seconds, 0);
    EXPECT_GT(result.p99_error, result.median_error);
    EXPECT_LT(result.p99_error, kind == SolverKind::direct ? 1e-5 : 1e-3);
    const auto json = to_json(result);
    EXPECT_EQ(json["bodies"], 3000);
    EXPECT_EQ(json["threads"], 1);
    if (kind != SolverKind::direct) {
      EXPECT_EQ(json["solver"], kind == SolverKind::fmm ? "fmm" : "barnes-hut");
      EXPECT_TRUE(json["fraction_of_bound"].is_null());
      continue;
    }
    EXPECT_NEAR(result.interactions_per_second * result.seconds, 3000.0 * 3000, 1);
    EXPECT_NEAR(json["fraction_of_bound"].get<double>(), result.interactions_per_second / result.pair_peak,
                1e-12);
  }
}

/// Times that grow by powers of the number of bodies.
SolverTimes growing(const char* name, double factor, double power, const std::vector<std::size_t>& bodies) {
  SolverTimes times{.solver = name};
  for (const std::size_t count : bodies)
    times.seconds.emplace_back(factor * std::pow(static_cast<double>(count), power));
  return times;
}

TEST(Crossover, LinesCrossWhereTheirPowersAreEqual) {
  const std::vector<std::size_t> bodies{512, 1024, 2048, 4096, 8192};
  const auto direct = growing("direct", 2e-9, 2, bodies), tree = growing("barnes-hut", 6e-6, 1, bodies);
  const Crossing found = crossing_of(bodies, direct, tree);
  // 2e-9 N^2 = 6e-6 N
  EXPECT_NEAR(found.bodies.value(), 3000, 1e-6);
  EXPECT_FALSE(found.always);
  EXPECT_EQ(found.faster, "barnes-hut");
  EXPECT_EQ(found.slower, "direct");
  EXPECT_FALSE(crossing_of(bodies, tree, direct).bodies) << "with many bodies it is not";
  const auto quick = growing("fmm", 1e-9, 1, bodies);
  EXPECT_TRUE(crossing_of(bodies, direct, quick).always);
}

TEST(Crossover, NoiseBeforeTheLastCrossingDoesNotCount) {
  const std::vector<std::size_t> bodies{512, 1024, 2048, 4096};
  SolverTimes first{.solver = "direct", .seconds = {1.0, 2.0, 4.0, std::nullopt}};
  SolverTimes second{.solver = "fmm", .seconds = {0.5, 4.0, 2.0, 1.0}};
  // Twice as slow at 1024, twice as fast at 2048: in the middle of their logarithms.
  EXPECT_NEAR(crossing_of(bodies, first, second).bodies.value(), 1024 * std::sqrt(2), 1e-6);
  second.seconds = {0.5, 0.5, 8.0, 8.0};
  EXPECT_FALSE(crossing_of(bodies, first, second).bodies) << "it is slower in the end";
}

TEST(Crossover, MeasuresEachSolverUntilItIsTooSlow) {
  CrossoverOptions options{.error = 1e-2, .fewest_bodies = 256, .most_bodies = 1024, .threads = 1};
  const Crossover found = measure_crossover(options, *cpu_engines());
  EXPECT_EQ(found.bodies, (std::vector<std::size_t>{256, 512, 1024}));
  ASSERT_EQ(found.solvers.size(), 3u);
  for (const auto& solver : found.solvers) {
    ASSERT_EQ(solver.seconds.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_GT(solver.seconds[i].value(), 0);
      EXPECT_LT(solver.p99_error[i].value(), solver.solver == "direct" ? 1e-5 : 1e-2);
    }
  }
  EXPECT_EQ(found.crossings.size(), 3u);
  options.longest_seconds = 0;
  for (const auto& solver : measure_crossover(options, *cpu_engines()).solvers) {
    EXPECT_TRUE(solver.seconds[0].has_value());
    EXPECT_FALSE(solver.seconds[1].has_value() || solver.seconds[2].has_value());
  }
  options.fewest_bodies = 2048;
  EXPECT_THROW(measure_crossover(options, *cpu_engines()), Error);
}

TEST(Crossover, IsToldInWords) {
  const Crossover of{.error = 1e-3, .bodies = {512, 1024}, .solvers = {}};
  EXPECT_EQ(in_words({.faster = "fmm", .slower = "barnes-hut", .bodies = 21347.0}, of),
            "From about 21000 bodies on, the fast multipole method is faster than Barnes-Hut.");
  EXPECT_EQ(in_words({.faster = "barnes-hut", .slower = "direct", .bodies = std::nullopt}, of),
            "Up to 1024 bodies, Barnes-Hut is not faster than the direct sum.");
}

}  // namespace
}  // namespace isolume::nbody

#include "core/nbody/benchmark.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace isolume::nbody

#include <cmath>

#include <gtest/gtest.h>

#include "tests/core/filters/images.h"

namespace isolume::filters {
namespace {

/// The exact minimiser of sum |u[i + 1] - u[i]| + lambda / 2 sum (u - f)^2: the dual is a string from 0 to 0 of the least
/// length within a tube, found by projecting onto its constraints until nothing changes (coordinate descent).
std::vector<double> taut_string(const std::vector<double>& f, double lambda) {
  std::vector<double> p(f.size() + 1, 0);  // p[i] between f[i - 1] and f[i]; 0 at both ends
  for (int sweep = 0; sweep < 20000; ++sweep) {
    double change = 0;
    for (std::size_t i = 1; i < f.size(); ++i) {
      // u[i] = f[i] + (p[i + 1] - p[i]) / lambda; the difference u[i] - u[i - 1] vanishes, or |p| is 1.
      const double next = std::clamp(0.5 * (p[i - 1] + p[i + 1] + lambda * (f[i] - f[i - 1])), -1.0, 1.0);
      change = std::max(change, std::abs(next - p[i]));
      p[i] = next;
    }
    if (change < 1e-13) break;
  }
  std::vector<double> u(f.size());
  for (std::size_t i = 0; i < f.size(); ++i) u[i] = f[i] + (p[i + 1] - p[i]) / lambda;
  return u;
}

TEST(TotalVariation, OfALineIsTheTautString) {
  Noise number;
  std::vector<double> f;
  for (int i = 0; i < 60; ++i) f.push_back((i > 20 && i < 45 ? 10 : 0) + 4 * number());
  const double lambda = 0.3;
  const std::vector<double> expected = taut_string(f, lambda);
  for (int axis = 0; axis < 3; ++axis) {
    std::array<int, 3> counts{1, 1, 1};
    counts[static_cast<std::size_t>(axis)] = 60;
    const auto image = field_of(mm_grid(counts),
                                [&](int x, int y, int z) { return f[static_cast<std::size_t>(x + y + z)]; });
    const auto result = run_filter("total-variation lambda=0.3 iterations=5000 gap=1e-7", image);
    for (std::size_t i = 0; i < f.size(); ++i)
      EXPECT_NEAR(result.image.values[i], expected[i], 5e-3) << axis << ' ' << i;
  }
}

/// A disc loses 2 / (lambda r) of its height, with lengths in mm (D. Strong, T. Chan, Inverse Problems 19, S165, 2003).
TEST(TotalVariation, DiscLosesContrastByItsRadius) {
  const double radius = 12, lambda = 0.02, spacing = 0.5;
  const auto disc = [&](int x, int y, int) {
    return std::hypot(x - 60, y - 60) * spacing < radius ? 100 : 0;
  };
  const auto result = run_filter("total-variation lambda=0.02 iterations=2000 gap=1e-5",
                                 field_of(mm_grid({121, 121, 1}, {spacing, spacing, 1}), disc));
  const double centre = static_cast<double>(result.image.at(60, 60, 0));
  EXPECT_NEAR(100 - centre, 2 / (lambda * radius), 0.5);
  // What the disc loses, its surroundings gain: all of them as a whole, since no flux leaves the image.
  const double area = M_PI * radius * radius, whole = 121 * 121 * spacing * spacing;
  EXPECT_NEAR(static_cast<double>(result.image.at(2, 60, 0)), 2 * M_PI * radius / lambda / (whole - area),
              0.3);
}

TEST(TotalVariation, GapVanishesAndTheMeanStays) {
  const auto image = noise(mm_grid({20, 18, 16}, {1, 1, 2}), 100);
  double mean = 0;
  for (const float each : image.values)
    mean += static_cast<double>(each) / static_cast<double>(image.values.size());
  double previous = 1;
  for (const char* iterations : {"10", "50", "300", "2000"}) {
    const auto result = run_filter(std::string("total-variation gap=0 iterations=") + iterations, image);
    const auto gap = result.report.at("duality_gap").get<double>();
    EXPECT_LT(gap, 0.5 * previous) << iterations;
    EXPECT_LE(result.report.at("dual_energy").get<double>(),
              result.report.at("energy").get<double>() * (1 + 1e-6));
    previous = std::max(gap, 1e-6);
    double after = 0;
    for (const float each : result.image.values)
      after += static_cast<double>(each) / static_cast<double>(image.values.size());
    EXPECT_NEAR(after, mean, 1e-3);
    EXPECT_EQ(result.remarks.size(), gap > 0 ? 1U : 0U) << "the gap is above the requested one";
  }
  EXPECT_LT(previous, 1e-4);
  const auto enough = run_filter("total-variation gap=0.01 iterations=2000", image);
  EXPECT_LT(enough.report.at("iterations").get<int>(), 500);
  EXPECT_TRUE(enough.remarks.empty());
}

}  // namespace
}  // namespace isolume::filters

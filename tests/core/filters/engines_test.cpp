// Filters against formulas and against plain sums over neighbours in double precision.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/base/error.h"
#include "tests/core/filters/images.h"

namespace isolume::filters {
namespace {

double at(const grid::ScalarField& field, int x, int y, int z) {
  const auto& n = field.grid.dimensions;
  return static_cast<double>(
      field.at(std::clamp(x, 0, n[0] - 1), std::clamp(y, 0, n[1] - 1), std::clamp(z, 0, n[2] - 1)));
}

double mean_of(const grid::ScalarField& field) {
  double sum = 0;
  for (const float each : field.values) sum += static_cast<double>(each);
  return sum / static_cast<double>(field.values.size());
}

/// Calls check(expected, found, x, y, z) for each voxel.
template <class Function, class Check>
void compare(const grid::ScalarField& found, const Function& expected, const Check& check) {
  const auto& n = found.grid.dimensions;
  for (int z = 0; z < n[2]; ++z) {
    for (int y = 0; y < n[1]; ++y) {
      for (int x = 0; x < n[0]; ++x) check(expected(x, y, z), at(found, x, y, z), x, y, z);
    }
  }
}

template <class Function>
void expect_near(const grid::ScalarField& found, double tolerance, const Function& expected) {
  double largest = 0;
  std::string where;
  compare(found, expected, [&](double wanted, double value, int x, int y, int z) {
    if (std::abs(value - wanted) <= largest) return;
    largest = std::abs(value - wanted);
    where = fmt::format("{} in place of {} at {} {} {}", value, wanted, x, y, z);
  });
  EXPECT_LE(largest, tolerance) << where;
}

/// The standard deviation is a length: along axes of large voxels it is below a voxel.
TEST(GaussianFilter, PointBecomesTheSampledGaussian) {
  const Eigen::Vector3d spacing(0.5, 1, 3);
  const auto grid = mm_grid({41, 31, 15}, spacing);
  const auto image = field_of(grid, [](int x, int y, int z) { return x == 20 && y == 15 && z == 7 ? 1 : 0; });
  const double sigma = 1.5;
  const auto result = run_filter("gaussian sigma=1.5", image);
  double total = 0, peak = 0;
  const auto weight = [&](int x, int y, int z) {
    const Eigen::Vector3d d = spacing.cwiseProduct(Eigen::Vector3d(x - 20, y - 15, z - 7));
    return std::exp(-0.5 * d.squaredNorm() / (sigma * sigma));
  };
  compare(result.image, weight, [&](double wanted, double, int, int, int) {
    total += wanted;
    peak = std::max(peak, wanted);
  });
  expect_near(result.image, 1e-3 * peak / total,
              [&](int x, int y, int z) { return weight(x, y, z) / total; });
  EXPECT_NEAR(mean_of(result.image), mean_of(image), 1e-3 * mean_of(image));
}

TEST(GaussianFilter, KeepsConstantsAndSlices) {
  const auto constant = field_of(mm_grid({7, 9, 1}), [](int, int, int) { return 5; });
  for (const char* text : {"gaussian sigma=0", "gaussian sigma=0.4", "gaussian sigma=20"})
    expect_near(run_filter(text, constant).image, 1e-5, [](int, int, int) { return 5; });
}

double median_by_sorting(const grid::ScalarField& image, const std::array<int, 3>& r, int x, int y, int z) {
  std::vector<double> values;
  for (int k = -r[2]; k <= r[2]; ++k) {
    for (int j = -r[1]; j <= r[1]; ++j) {
      for (int i = -r[0]; i <= r[0]; ++i) values.push_back(at(image, x + i, y + j, z + k));
    }
  }
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

void expect_median(const grid::ScalarField& image, const std::string& text,
                   const std::array<int, 3>& radius) {
  const auto result = run_filter(text, image);
  EXPECT_EQ(result.report.at("radius_voxels"), nlohmann::json(radius));
  expect_near(result.image, 0,
              [&](int x, int y, int z) { return median_by_sorting(image, radius, x, y, z); });
}

TEST(MedianFilter, EqualsSortingInEachBox) {
  expect_median(noise(mm_grid({75, 21, 6})), "median radius=1", {1, 1, 1});
  expect_median(noise(mm_grid({66, 13, 5}, {1, 1, 4})), "median radius=1", {1, 1, 0});
  expect_median(noise(mm_grid({13, 9, 7}, {3, 1, 1})), "median radius=1", {0, 1, 1});
  expect_median(noise(mm_grid({13, 9, 7}, {1, 3, 3})), "median radius=1", {1, 0, 0});
  expect_median(noise(mm_grid({70, 19, 9})), "median radius=2", {2, 2, 2});
  expect_median(noise(mm_grid({70, 19, 9}, {1, 0.7, 2})), "median radius=3", {3, 4, 2});
  expect_median(noise(mm_grid({1, 1, 1 + 4})), "median radius=1", {0, 0, 1});
  const auto line = noise(mm_grid({5, 1, 1}));
  expect_median(line, "median radius=9", {5, 0, 0});
  EXPECT_EQ(run_filter("median radius=9", line).remarks.size(), 1U) << "it was limited";
  EXPECT_TRUE(run_filter("median radius=5", line).remarks.empty());
}

/// Whole numbers, many of them equal, and values of both signs and of all sizes.
TEST(MedianFilter, EqualsSortingForAnyValues) {
  Noise number;
  const auto whole =
      field_of(mm_grid({40, 18, 7}), [&](int, int, int) { return std::floor(9 * number()) - 4; });
  expect_median(whole, "median radius=1", {1, 1, 1});
  expect_median(whole, "median radius=2", {2, 2, 2});
  const auto wide = field_of(mm_grid({40, 18, 7}), [&](int, int, int) {
    return (number() < 0.5 ? -1 : 1) * std::exp(60 * (number() - 0.5));
  });
  expect_median(wide, "median radius=2", {2, 2, 2});
  const auto large =
      field_of(mm_grid({20, 18, 7}), [&](int, int, int) { return std::floor(1e6 * number()); });
  expect_median(large, "median radius=2", {2, 2, 2});
}

/// A box of more voxels than numbers of 16 bits count.
TEST(MedianFilter, LargeBoxesAreExact) {
  const auto image = noise(mm_grid({16, 16, 16}));
  const auto result = run_filter("median radius=16", image);
  for (const auto& [x, y, z] : {std::array{0, 0, 0}, {8, 8, 8}, {15, 1, 7}})
    EXPECT_EQ(at(result.image, x, y, z), median_by_sorting(image, {16, 16, 16}, x, y, z));
}

TEST(BilateralFilter, EqualsTheSumOverNeighbours) {
  const Eigen::Vector3d spacing(1, 0.8, 2);
  for (const int depth : {1, 5}) {
    const auto image = noise(mm_grid({37, 11, depth}, spacing), 100);
    const auto result = run_filter("bilateral sigma=1.5 range=20", image);
    expect_near(result.image, 1e-3, [&](int x, int y, int z) {
      double sum = 0, weights = 0;
      for (int k = depth == 1 ? 0 : -3; k <= (depth == 1 ? 0 : 3); ++k) {
        for (int j = -6; j <= 6; ++j) {
          for (int i = -6; i <= 6; ++i) {
            const double distance = spacing.cwiseProduct(Eigen::Vector3d(i, j, k)).norm();
            if (distance > 2.5 * 1.5) continue;
            const double value = at(image, x + i, y + j, z + k), difference = value - at(image, x, y, z);
            const double weight =
                std::exp(-0.5 * std::pow(distance / 1.5, 2) - 0.5 * std::pow(difference / 20, 2));
            sum += weight * value;
            weights += weight;
          }
        }
      }
      return sum / weights;
    });
  }
}

/// One explicit step in double precision, flux by flux.
TEST(DiffusionFilter, StepIsThatOfPeronaAndMalik) {
  const Eigen::Vector3d spacing(1, 0.5, 2);
  const auto image = noise(mm_grid({21, 19, 18}, spacing), 10);
  for (const bool is_rational : {false, true}) {
    const double dt = 0.05, edge = 4;
    const auto result = run_filter(std::string("diffusion iterations=1 time-step=0.05 edge=4 conductance=") +
                                       (is_rational ? "rational" : "exponential"),
                                   image);
    expect_near(result.image, 1e-5, [&](int x, int y, int z) {
      const double value = at(image, x, y, z);
      double change = 0;
      for (int axis = 0; axis < 3; ++axis) {
        for (const int side : {-1, 1}) {
          std::array<int, 3> to{x, y, z};
          to[static_cast<std::size_t>(axis)] += side;
          const double slope = (at(image, to[0], to[1], to[2]) - value) / spacing[axis];
          const double s = std::pow(slope / edge, 2);
          change += (is_rational ? 1 / (1 + s) : std::exp(-s)) * slope / spacing[axis];
        }
      }
      return value + dt * change;
    });
  }
}

TEST(DiffusionFilter, KeepsTheMeanAndTheRange) {
  for (const int depth : {1, 33}) {
    const auto image = noise(mm_grid({50, 37, depth}, {1, 1.5, 0.7}), 100);
    const auto result = run_filter("diffusion iterations=40 edge=30", image);
    EXPECT_NEAR(mean_of(result.image), mean_of(image), 1e-5 * mean_of(image));
    const auto [low, high] = std::ranges::minmax(image.values.host());
    const auto [least, greatest] = std::ranges::minmax(result.image.values.host());
    EXPECT_GE(least, low);
    EXPECT_LE(greatest, high);
    EXPECT_LT(greatest - least, high - low);
  }
}

/// Without edges it is the heat equation: a Gaussian of the variance s becomes one of the variance s + 2 t.
TEST(DiffusionFilter, WithoutEdgesIsAGaussian) {
  const auto gaussian = [](double variance) {
    return [variance](int x, int y, int z) {
      const double d2 = std::pow(x - 30, 2) + std::pow(y - 27, 2) + 4 * std::pow(z - 15, 2);
      return 1000 * std::pow(16 / variance, 1.5) * std::exp(-0.5 * d2 / variance);
    };
  };
  const auto image = field_of(mm_grid({61, 55, 31}, {1, 1, 2}), gaussian(16));
  const auto result = run_filter("diffusion iterations=60 edge=1e9 time-step=0.1", image);
  EXPECT_NEAR(result.report.at("gaussian_sigma_mm").get<double>(), std::sqrt(12), 1e-12);
  expect_near(result.image, 3, gaussian(16 + 12));
  double moment = 0, mass = 0;  // explicit steps add 2 t to the variance, whatever the spacing
  compare(
      result.image, [](int x, int, int) { return std::pow(x - 30, 2); },
      [&](double square, double value, int, int, int) {
        moment += square * value;
        mass += value;
      });
  EXPECT_NEAR(moment / mass, 28, 0.01 * 28);
}

TEST(DiffusionFilter, UnstableStepsAreRefused) {
  const auto image = noise(mm_grid({8, 8, 8}));
  EXPECT_NO_THROW(run_filter("diffusion time-step=0.1666", image));
  try {
    run_filter("diffusion time-step=0.17", image);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Give at most 0.166667"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(run_filter("diffusion time-step=0.2499", noise(mm_grid({8, 8, 1}))));
}

TEST(GradientFilter, OfARampIsItsSlope) {
  const Eigen::Vector3d spacing(0.5, 2, 3), slope(1, -2, 0.5);
  const auto ramp = [&](int x, int y, int z) {
    return slope.dot(spacing.cwiseProduct(Eigen::Vector3d(x, y, z)));
  };
  expect_near(run_filter("gradient", field_of(mm_grid({19, 7, 5}, spacing), ramp)).image, 1e-4,
              [&](int, int, int) { return slope.norm(); });
  expect_near(run_filter("gradient", field_of(mm_grid({19, 7, 1}, spacing), ramp)).image, 1e-4,
              [&](int, int, int) { return std::hypot(1, 2); });
  auto image = field_of(mm_grid({1, 7, 1}, spacing), ramp);
  image.unit = "HU";
  const auto line = run_filter("gradient", image);
  expect_near(line.image, 1e-4, [&](int, int, int) { return 2; });
  EXPECT_EQ(line.image.unit, "HU/mm");
}

TEST(ThresholdFilter, SelectsByValue) {
  const auto image = field_of(mm_grid({5, 2, 1}), [](int x, int y, int) { return x + 10 * y; });
  const auto mask = run_filter("threshold low=3 high=11", image);
  EXPECT_EQ(mask.report.at("voxels_inside"), 4);
  expect_near(mask.image, 0,
              [](int x, int y, int) { return (y == 0 && x >= 3) || (y == 1 && x <= 1) ? 1 : 0; });
  expect_near(run_filter("threshold low=3 high=11 output=values outside=-7", image).image, 0,
              [](int x, int y, int) { return (y == 0 && x >= 3) || (y == 1 && x <= 1) ? x + 10 * y : -7; });
  EXPECT_THROW(run_filter("threshold low=3 high=2", image), Error);
}

/// A linear function keeps its values at all places, and labels theirs.
TEST(ResampleFilter, KeepsPlacesAndValues) {
  auto grid = mm_grid({40, 24, 18}, {1, 1.5, 2});
  grid.origin = {-3, 5, 100};
  const auto ramp = [&grid](int x, int y, int z) {
    return grid.position(x, y, z).dot(Eigen::Vector3d(1, -2, 0.5));
  };
  for (const char* text : {"resample spacing=0.8", "resample spacing=3"}) {
    const auto result = run_filter(text, field_of(grid, ramp));
    const grid::Grid& to = result.image.grid;
    for (int axis = 0; axis < 3; ++axis) {
      const auto n = static_cast<std::size_t>(axis);
      EXPECT_NEAR(to.dimensions[n] * to.spacing(axis), grid.dimensions[n] * grid.spacing(axis),
                  0.5 * to.spacing(axis));
    }
    double largest = 0;
    compare(
        result.image,
        [&](int x, int y, int z) { return to.position(x, y, z).dot(Eigen::Vector3d(1, -2, 0.5)); },
        [&](double wanted, double value, int x, int y, int z) {
          const bool is_inside = x > 4 && y > 4 && z > 4 && x + 5 < to.dimensions[0] &&
                                 y + 5 < to.dimensions[1] && z + 5 < to.dimensions[2];
          if (is_inside) largest = std::max(largest, std::abs(value - wanted));
        });
    EXPECT_LT(largest, 1e-3) << text;
  }
  const auto labels = field_of(mm_grid({10, 10, 1}), [](int x, int y, int) { return x < 5 ? 3 : y; });
  const auto twice = run_filter("resample spacing=0.5 interpolation=nearest", labels);
  EXPECT_EQ(twice.image.grid.dimensions, (std::array<int, 3>{20, 20, 1}));
  expect_near(twice.image, 0, [](int x, int y, int) { return x < 10 ? 3 : y / 2; });
}

TEST(Filters, ThreadsDoNotChangeBits) {
  const auto image = noise(mm_grid({45, 37, 33}, {1, 1, 1.5}), 100);
  for (const char* text :
       {"gaussian sigma=0.7", "gaussian sigma=2", "median radius=1", "median radius=2", "bilateral range=30",
        "diffusion", "total-variation iterations=30", "gradient", "resample spacing=1.7", "bias iterations=5",
        "open radius=2", "components", "watershed level=20"}) {
    tbb::task_arena one(1), all;
    FieldValues serial, parallel;
    one.execute([&] { serial = run_filter(text, image).image.values; });
    all.execute([&] { parallel = run_filter(text, image).image.values; });
    EXPECT_TRUE(serial == parallel) << text;
  }
}

}  // namespace
}  // namespace isolume::filters

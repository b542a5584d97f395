// The chaos game against what is known of affine systems, and against the serial chaos game in double precision.
#include "core/flames/game.h"

#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/flames/evolve.h"
#include "tests/core/flames/histograms.h"

namespace isolume::flames {
namespace {

using test::chi_square;
using test::played;

constexpr int side = 256;

View unit_square() {
  return {.width = side, .height = side, .x = 0.5, .y = 0.5, .scale = side};
}
std::uint64_t count_at(const Tally& tally, int x, int y) {
  return tally.bins[static_cast<std::size_t>(y * tally.width + x)].count;
}

/// Of the gasket p/2, p/2 + (1/2, 0), p/2 + (0, 1/2), no binary digit is 1 in both coordinates; the 3^k squares of side
/// 2^-k have the same probability.
TEST(ChaosGame, GasketHasItsPointsEvenlyInItsSquaresAndNowhereElse) {
  const auto tally = played(*make_cpu_engine(), gasket(), unit_square(), {0, 40});
  double inside = 0, outside = 0, squares = 0;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x)
      ((x & y) == 0 ? inside : outside) += static_cast<double>(count_at(tally, x, y));
  }
  // Points start up to 2 from the gasket, and 2^-16 times that is left after the warm-up.
  EXPECT_NEAR((inside + outside) / static_cast<double>(tally.points), 1, 1e-4) << "all points are in view";
  EXPECT_LT(outside / inside, 1e-3);
  const double expected = inside / std::pow(3, 8);
  double chi = 0;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      if ((x & y) != 0) continue;
      ++squares;
      chi += std::pow(static_cast<double>(count_at(tally, x, y)) - expected, 2) / expected;
    }
  }
  EXPECT_EQ(squares, std::pow(3, 8));
  EXPECT_NEAR(chi / squares, 1, 0.15);
}

TEST(ChaosGame, GasketHasTheDimensionOfSierpinski) {
  const auto tally = played(*make_cpu_engine(), gasket(), unit_square(), {0, 40});
  // Boxes that hold more than a few stray points, from 2 to 128 a side.
  std::vector<double> logarithms;
  for (int boxes = 2; boxes <= 128; boxes *= 2) {
    const int block = side / boxes;
    int count = 0;
    for (int row = 0; row < boxes; ++row) {
      for (int column = 0; column < boxes; ++column) {
        std::uint64_t points = 0;
        for (int y = 0; y < block; ++y) {
          for (int x = 0; x < block; ++x) points += count_at(tally, column * block + x, row * block + y);
        }
        count += points > 50 ? 1 : 0;
      }
    }
    logarithms.push_back(std::log2(count));
  }
  const double dimension =
      (logarithms.back() - logarithms.front()) / static_cast<double>(logarithms.size() - 1);
  EXPECT_NEAR(dimension, std::log(3) / std::log(2), 0.005);
}

Flame three_maps() {
  Flame flame = gasket();
  flame.functions[0].affine = {0.6, -0.2, 0.1, 0.3, 0.5, -0.2};
  flame.functions[1].affine = {-0.3, 0.4, 0.5, 0.2, 0.7, 0.3};
  flame.functions[2].affine = {0.2, 0.1, -0.4, -0.5, 0.4, 0.2};
  flame.functions[0].weight = 2;
  flame.functions[1].weight = 0.7;
  flame.functions[2].weight = 0.3;
  return flame;
}

/// Mean and second moments of an affine system are solutions of linear equations: m = sum w (A m + t), and
/// M = sum w (A M A' + A m t' + t m' A' + t t').
TEST(ChaosGame, AffineSystemHasTheMomentsOfItsLinearEquations) {
  const Flame flame = three_maps();
  Eigen::Matrix2d a = Eigen::Matrix2d::Zero();
  Eigen::Vector2d t = Eigen::Vector2d::Zero();
  const auto linear = [](const Function& f) {
    return (Eigen::Matrix2d() << f.affine.a, f.affine.b, f.affine.d, f.affine.e).finished();
  };
  const auto translation = [](const Function& f) { return Eigen::Vector2d(f.affine.c, f.affine.f); };
  for (const auto& f : flame.functions) {
    a += f.weight / 3 * linear(f);
    t += f.weight / 3 * translation(f);
  }
  const Eigen::Vector2d mean = (Eigen::Matrix2d::Identity() - a).inverse() * t;
  Eigen::Matrix2d second = mean * mean.transpose();
  for (int i = 0; i < 1000; ++i) {
    Eigen::Matrix2d next = Eigen::Matrix2d::Zero();
    for (const auto& f : flame.functions) {
      const Eigen::Matrix2d m = linear(f);
      const Eigen::Vector2d v = translation(f);
      next += f.weight / 3 *
              (m * second * m.transpose() + m * mean * v.transpose() + v * mean.transpose() * m.transpose() +
               v * v.transpose());
    }
    second = next;
  }

  const View view{.width = 1600, .height = 1600, .x = 0, .y = 0, .scale = 400};
  const auto tally = played(*make_cpu_engine(), flame, view, {0, 60});
  ASSERT_EQ(tally.in_view(), static_cast<std::uint64_t>(tally.points)) << "no point is left out";
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  Eigen::Matrix2d products = Eigen::Matrix2d::Zero();
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x < view.width; ++x) {
      const Eigen::Vector2d at((x + 0.5 - 800) / 400, (y + 0.5 - 800) / 400);
      const auto count = static_cast<double>(count_at(tally, x, y));
      sum += count * at;
      products += count * at * at.transpose();
    }
  }
  const auto points = static_cast<double>(tally.points);
  EXPECT_NEAR((sum / points - mean).norm(), 0, 1e-3);
  EXPECT_NEAR((products / points - second).norm(), 0, 2e-3);
}

TEST(ChaosGame, RandomFlamesMatchTheSerialGameAndChangedOnesDoNot) {
  const auto engine = make_cpu_engine();
  for (const std::uint64_t seed : {3, 5, 11}) {
    Flame flame = random_flame(seed, 320, 200);
    flame.functions[0].opacity = 0.4;
    flame.final_transform =
        Function{.colour_speed = 0, .affine = {0.9, 0.1, 0, -0.1, 0.9, 0.1}, .terms = {Term{}}};
    const auto tally = played(*engine, flame, flame.view, {0, 16});
    const auto serial = play_serially(flame, flame.view, 16 * points_per_cloud, 7);
    EXPECT_LT(chi_square(tally, serial, 20), 3) << "seed " << seed;
    EXPECT_NEAR(static_cast<double>(tally.in_view()), static_cast<double>(serial.in_view()),
                3e-3 * static_cast<double>(tally.points));
    Flame other = flame;
    other.functions[1].weight *= 1.15;
    EXPECT_GT(chi_square(tally, play_serially(other, flame.view, 16 * points_per_cloud, 7), 20), 10)
        << "a weight of 15 % more, seed " << seed;
    // Colours, too: sums over the picture.
    double red = 0, serial_red = 0;
    for (const auto& bin : tally.bins) red += static_cast<double>(bin.red);
    for (const auto& bin : serial.bins) serial_red += static_cast<double>(bin.red);
    EXPECT_NEAR(red / serial_red, 1, 5e-3) << "seed " << seed;
  }
}

TEST(ChaosGame, TallyIsTheSameOnAnyNumberOfThreads) {
  const auto engine = make_cpu_engine();
  const Flame flame = random_flame(4, 300, 200);
  const auto one = played(*engine, flame, flame.view, {0, 9}, 1);
  EXPECT_EQ(one, played(*engine, flame, flame.view, {0, 9}, 2));
  EXPECT_EQ(one, played(*engine, flame, flame.view, {0, 9}, 4));
  Tally parts = played(*engine, flame, flame.view, {0, 4}, 1);
  EXPECT_NE(one, parts);
  parts.add(played(*engine, flame, flame.view, {4, 5}, 2));
  EXPECT_EQ(one, parts);
  EXPECT_EQ(played(*engine, flame, flame.view, {0, 40}, 8), played(*engine, flame, flame.view, {0, 40}, 1))
      << "with several copies of the histogram";
  EXPECT_NE(one, played(*engine, flame, flame.view, {0, 9}, 1, 2)) << "another seed";
  EXPECT_NE(one, played(*engine, flame, flame.view, {1, 9}, 1)) << "other clouds";
}

TEST(ChaosGame, AWeightOfZeroIsNeverChosenAndOpacityHidesPoints) {
  Flame flame = gasket();
  flame.functions[2].weight = 0;
  const auto flat = played(*make_cpu_engine(), flame, unit_square(), {0, 2});
  std::uint64_t above = 0;
  for (int y = 2; y < side; ++y) {
    for (int x = 0; x < side; ++x) above += count_at(flat, x, y);
  }
  EXPECT_EQ(above, 0U) << "p/2 and p/2 + (1/2, 0) have the attractor y = 0";
  Flame faint = gasket();
  faint.functions[0].opacity = 0;
  const auto two_thirds = played(*make_cpu_engine(), faint, unit_square(), {0, 20});
  EXPECT_NEAR(static_cast<double>(two_thirds.in_view()) / static_cast<double>(two_thirds.points), 2.0 / 3,
              1e-3);
}

TEST(ChaosGame, ViewTurnsZoomsAndFits) {
  const Affine pixels =
      to_pixels({.width = 200, .height = 100, .x = 1, .y = 2, .scale = 10, .zoom = 1, .rotation = 90});
  // The centre, and a unit along x, which becomes 20 pixels downwards.
  EXPECT_NEAR(pixels.a * 1 + pixels.b * 2 + pixels.c, 100, 1e-12);
  EXPECT_NEAR(pixels.d * 1 + pixels.e * 2 + pixels.f, 50, 1e-12);
  EXPECT_NEAR(pixels.a, 0, 1e-12);
  EXPECT_NEAR(pixels.d, 20, 1e-12);
  EXPECT_EQ(resized({.width = 200, .height = 100, .scale = 10}, 400, 150).scale, 15);
  EXPECT_EQ(clouds_for(1, {.width = 1024, .height = 480}), 2);
}

TEST(ChaosGame, RefusesWhatCannotBePlayed) {
  Flame flame = gasket();
  for (auto& function : flame.functions) function.weight = 0;
  EXPECT_THROW(compile(flame, unit_square()), Error);
  flame.functions.clear();
  EXPECT_THROW(compile(flame, unit_square()), Error);
  EXPECT_THROW(compile(gasket(), {.width = 0, .height = 10}), Error);
  EXPECT_THROW(compile(gasket(), {.width = 1 << 15, .height = 1 << 14}), Error);
  flame = gasket();
  flame.functions[1].affine.a = std::nan("");
  EXPECT_THROW(compile(flame, unit_square()), Error);
  jobs::Progress progress;
  std::stop_source stop;
  stop.request_stop();
  Tally tally(side, side);
  EXPECT_THROW(make_cpu_engine()->play(compile(gasket(), unit_square()), {0, 100}, tally, {},
                                       jobs::Progress(stop.get_token(), {})),
               Cancelled);
}

}  // namespace
}  // namespace isolume::flames

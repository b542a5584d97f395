// Splines: expansions, energies and gradients against sums and finite differences in double precision, and known maps.
#include "core/anatomy/bspline.h"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/anatomy/deformation.h"
#include "core/anatomy/lbfgs.h"
#include "core/anatomy/phantom.h"
#include "core/base/error.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

constexpr Counts small{17, 14, 11};
constexpr Spacing small_mm{1, 1.5, 2};

SplineGrid small_grid() {
  return spline_grid(small, small_mm, 6, 2, 1);
}

SplineCoefficients random_coefficients(const SplineGrid& grid, double size, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, size);
  SplineCoefficients all(3 * grid.count());
  for (double& each : all) each = normal(random);
  return all;
}

/// Coefficients of a function of the place of each control point, in mm from the corner of the box.
template <class Function>
SplineCoefficients coefficients_of(const SplineGrid& grid, const Function& function) {
  SplineCoefficients all(3 * grid.count());
  const Counts counts = grid.counts();
  std::size_t at = 0;
  for (int k = 0; k < counts[2]; ++k) {
    for (int j = 0; j < counts[1]; ++j) {
      for (int i = 0; i < counts[0]; ++i, ++at) {
        const Eigen::Vector3d place((i - 1) * grid.tile_mm[0], (j - 1) * grid.tile_mm[1],
                                    (k - 1) * grid.tile_mm[2]);
        const Eigen::Vector3d value = function(place);
        for (std::size_t axis = 0; axis < 3; ++axis)
          all[axis * grid.count() + at] = value[static_cast<int>(axis)];
      }
    }
  }
  return all;
}

std::size_t index_of(int x, int y, int z) {
  return static_cast<std::size_t>((z * small[1] + y) * small[0] + x);
}

TEST(Splines, TilesCoverTheBoxAndHalveFromLevelToLevel) {
  const SplineGrid fine = small_grid(), coarse = spline_grid(small, small_mm, 6, 2, 0);
  EXPECT_EQ(coarse.tiles, (Counts{2, 2, 2}));
  EXPECT_EQ(fine.tiles, (Counts{4, 4, 4}));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(fine.tile_mm[axis] * fine.tiles[axis], small[axis] * small_mm[axis], 1e-12);
    EXPECT_LE(fine.tile_mm[axis], 6);
  }
}

TEST(Splines, AffineMapsAreReproduced) {
  const Eigen::Matrix3d matrix{{0.1, -0.05, 0.02}, {0.03, 0.08, -0.04}, {0, 0.06, -0.1}};
  const Eigen::Vector3d offset(1, -2, 0.5);
  const SplineGrid grid = small_grid();
  const auto coefficients =
      coefficients_of(grid, [&](const Eigen::Vector3d& place) { return matrix * place + offset; });
  VectorField displacement(small);
  SplineExpansion(grid, small, small_mm).expand(coefficients, displacement);
  for (const auto& [x, y, z] : {Counts{0, 0, 0}, Counts{16, 13, 10}, Counts{5, 9, 3}}) {
    const Eigen::Vector3d place((x + 0.5) * small_mm[0], (y + 0.5) * small_mm[1], (z + 0.5) * small_mm[2]);
    const Eigen::Vector3d expected = matrix * place + offset;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(static_cast<double>(displacement.data(axis)[index_of(x, y, z)]) * small_mm[axis],
                  expected[static_cast<int>(axis)], 1e-5);
    }
  }
  std::vector<double> gradient(coefficients.size());
  EXPECT_NEAR(BendingEnergy(grid).add(coefficients, 1, gradient), 0, 1e-12) << "they do not bend";
  for (const double each : gradient) EXPECT_NEAR(each, 0, 1e-12);
}

TEST(Splines, SubdivisionKeepsTheMap) {
  const SplineGrid coarse = spline_grid(small, small_mm, 6, 2, 0), fine = small_grid();
  const auto coefficients = random_coefficients(coarse, 2, 1);
  VectorField before(small), after(small);
  SplineExpansion(coarse, small, small_mm).expand(coefficients, before);
  SplineExpansion(fine, small, small_mm).expand(subdivided(coefficients, coarse), after);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < before.components[axis].size(); ++i)
      ASSERT_NEAR(before.data(axis)[i], after.data(axis)[i], 1e-5);
  }
}

TEST(Splines, ReductionIsTheAdjointOfExpansion) {
  const SplineGrid grid = small_grid();
  const auto coefficients = random_coefficients(grid, 1, 2);
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  VectorField gradient(small), displacement(small);
  FieldValues weights(volumes::point_count(small));
  for (float& each : weights) each = normal(random);
  for (auto& component : gradient.components) {
    for (float& each : component) each = normal(random);
  }
  SplineExpansion expansion(grid, small, small_mm);
  expansion.expand(coefficients, displacement);
  double left = 0, right = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < weights.size(); ++i)
      left += static_cast<double>(weights[i]) * static_cast<double>(gradient.data(axis)[i]) *
              static_cast<double>(displacement.data(axis)[i]);
  }
  std::vector<double> sums(coefficients.size());
  expansion.reduce(weights, gradient, 1, sums);
  for (std::size_t i = 0; i < sums.size(); ++i) right += sums[i] * coefficients[i];
  EXPECT_NEAR(left, right, 1e-4 * std::abs(left));
  // At one point, in double precision.
  const Eigen::Vector3d place(7, 5, 4), by(0.3, -1, 2);
  const Eigen::Vector3d there = expansion.displacement_at(coefficients, place);
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(static_cast<double>(displacement.data(axis)[index_of(7, 5, 4)]),
                there[static_cast<int>(axis)], 1e-5);
  std::vector<double> of_point(coefficients.size());
  expansion.add_at(place, by, of_point);
  double product = 0;
  for (std::size_t i = 0; i < of_point.size(); ++i) product += of_point[i] * coefficients[i];
  EXPECT_NEAR(product, by.dot(there), 1e-12);
}

/// The spline whose coefficients are those of a quadratic polynomial is that polynomial plus a constant.
TEST(Splines, BendingEnergyOfAQuadraticMapIsExact) {
  const SplineGrid grid = small_grid();
  // u_x = a x^2 + b x y, u_y = c y z, u_z = d z^2: second derivatives 2a; b twice; c twice; 2d.
  const double a = 0.02, b = 0.03, c = -0.05, d = 0.01;
  const auto coefficients = coefficients_of(grid, [&](const Eigen::Vector3d& p) {
    return Eigen::Vector3d(a * p.x() * p.x() + b * p.x() * p.y(), c * p.y() * p.z(), d * p.z() * p.z());
  });
  const double volume = 17.0 * (14 * 1.5) * (11 * 2);
  std::vector<double> gradient(coefficients.size());
  const double energy = BendingEnergy(grid).add(coefficients, 3, gradient);
  EXPECT_NEAR(energy, 3 * volume * (4 * a * a + 2 * b * b + 2 * c * c + 4 * d * d), 1e-9 * energy);
  // It is quadratic: its derivative along the coefficients is twice the energy.
  double along = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) along += gradient[i] * coefficients[i];
  EXPECT_NEAR(along, 2 * energy, 1e-9 * energy);
}

TEST(Splines, GradientIsThatOfFiniteDifferences) {
  const SplineGrid grid = small_grid();
  const auto image = [](double shift) {
    FieldValues values;
    for (int z = 0; z < small[2]; ++z) {
      for (int y = 0; y < small[1]; ++y) {
        for (int x = 0; x < small[0]; ++x)
          values.push_back(static_cast<float>(0.5 + 0.3 * std::sin(0.6 * (x - shift)) * std::cos(0.5 * y) +
                                              0.2 * std::sin(0.7 * z)));
      }
    }
    return values;
  };
  const FieldValues fixed = image(0), moving = image(0.7);
  const LandmarkTerm landmarks{.pairs = {{{8, 6, 5}, {9, 5, 5.5}}}, .weight = 0.5};
  for (const Metric metric : {Metric::squares, Metric::correlation}) {
    DeformationParameters parameters;
    parameters.metric = metric;
    SplineFit fit(grid, small, small, small_mm, parameters, 1, landmarks);
    fit.set_images(fixed, moving);
    const auto coefficients = random_coefficients(grid, 0.2, 4), way = random_coefficients(grid, 1, 5);
    std::vector<double> gradient(coefficients.size()), unused(coefficients.size());
    fit(coefficients, gradient);
    double slope = 0;
    for (std::size_t i = 0; i < way.size(); ++i) slope += way[i] * gradient[i];
    const auto at = [&](double step) {
      SplineCoefficients moved = coefficients;
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += step * way[i];
      return fit(moved, unused);
    };
    // Trilinear values have edges; over a small step few of them are crossed. At the border, windows are continued by the
    // nearest voxel, which their adjoint leaves out.
    constexpr double step = 2e-3;
    const double tolerance = metric == Metric::squares ? 0.01 : 0.1;
    EXPECT_NEAR(slope, (at(step) - at(-step)) / (2 * step), tolerance * std::abs(slope)) << name_of(metric);
  }
}

TEST(Splines, MinimiserFindsTheLeastOfAValley) {
  // Rosenbrock's function, whose least value 0 is at (1, 1).
  Minimiser minimiser(
      [](std::span<const double> x, std::span<double> gradient) {
        const double a = 1 - x[0], b = x[1] - x[0] * x[0];
        gradient[0] = -2 * a - 400 * x[0] * b;
        gradient[1] = 200 * b;
        return a * a + 100 * b * b;
      },
      {-1.2, 1}, 0.1);
  int steps = 0;
  while (minimiser.value() > 1e-12 && steps < 100 && minimiser.step()) ++steps;
  EXPECT_NEAR(minimiser.x()[0], 1, 1e-5);
  EXPECT_NEAR(minimiser.x()[1], 1, 1e-5);
  EXPECT_LT(steps, 60);
}

/// Structure everywhere, moved by a smooth map.
constexpr Counts box{40, 36, 32};
FieldValues texture(double size) {
  FieldValues values;
  for (int z = 0; z < box[2]; ++z) {
    for (int y = 0; y < box[1]; ++y) {
      for (int x = 0; x < box[0]; ++x) {
        const double bump = size * std::sin(std::numbers::pi * x / 39) * std::sin(std::numbers::pi * y / 35) *
                            std::sin(std::numbers::pi * z / 31);
        const double p = x + 2.5 * bump, q = y - 2 * bump, r = z + 1.5 * bump;
        values.push_back(static_cast<float>(2 * std::sin(0.45 * p) * std::cos(0.4 * q) +
                                            1.5 * std::sin(0.38 * q + 0.3 * r) +
                                            std::cos(0.5 * r - 0.2 * p)));
      }
    }
  }
  return values;
}

Registration register_texture(DeformationParameters parameters, const OnIteration& on_iteration = {}) {
  parameters.model = DeformationModel::b_spline;
  return deform(texture(1), texture(0), box, {1, 1, 1}, parameters, levels_of(box, parameters), on_iteration,
                {}, {});
}

TEST(Splines, RecoverAKnownMap) {
  DeformationParameters parameters;
  parameters.iterations = 60;
  parameters.bending = 0.01;
  double last = 1e9;
  const Registration found = register_texture(parameters, [&](const Iteration& now) {
    if (now.iteration > 0) {
      EXPECT_LT(now.mismatch, 1.2 * last);
    }
    last = now.mismatch;
  });
  EXPECT_LT(found.mismatch_after, 0.06 * found.mismatch_before);
  EXPECT_EQ(found.folded, 0U);
  double error = 0, count = 0;
  for (int z = 4; z < box[2] - 4; ++z) {
    for (int y = 4; y < box[1] - 4; ++y) {
      for (int x = 4; x < box[0] - 4; ++x, ++count) {
        const auto i = static_cast<std::size_t>((z * box[1] + y) * box[0] + x);
        const double bump = std::sin(std::numbers::pi * x / 39) * std::sin(std::numbers::pi * y / 35) *
                            std::sin(std::numbers::pi * z / 31);
        error += std::hypot(static_cast<double>(found.displacement.data(0)[i]) - 2.5 * bump,
                            static_cast<double>(found.displacement.data(1)[i]) + 2 * bump,
                            static_cast<double>(found.displacement.data(2)[i]) - 1.5 * bump);
      }
    }
  }
  EXPECT_LT(error / count, 0.2) << "voxels of end-point error";
}

TEST(Splines, GiveTheSameBitsOnAnyNumberOfThreads) {
  DeformationParameters parameters;
  parameters.iterations = 6;
  for (const Metric metric : {Metric::squares, Metric::correlation}) {
    parameters.metric = metric;
    VectorField first;
    for (const int threads : {1, 3}) {
      Registration found;
      tbb::task_arena(threads).execute([&] { found = register_texture(parameters); });
      if (threads == 1) first = found.displacement;
      for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_EQ(found.displacement.components[axis], first.components[axis]);
    }
  }
}

TEST(Splines, FollowLandmarksAndAlignSlices) {
  DeformationParameters parameters;
  parameters.model = DeformationModel::b_spline;
  const FieldValues ball = phantom(24, 0);
  const Counts cube{24, 24, 24};
  const LandmarkTerm landmarks{.pairs = {{{10, 12, 11}, {12, 11, 11}}}, .weight = 10};
  const auto led =
      deform(ball, ball, cube, {2, 2, 2}, parameters, levels_of(cube, parameters), {}, {}, landmarks);
  EXPECT_LT((vector_at(led.displacement, {10, 12, 11}) - Eigen::Vector3d(2, -1, 0)).norm(), 0.3);
  EXPECT_GT(led.least_jacobian, 0);
  const Counts slice{48, 40, 1};
  const auto square = [](double half) {
    FieldValues values;
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 48; ++x)
        values.push_back(static_cast<float>(1 / (1 + std::exp(std::hypot(x - 24, y - 20) - half))));
    }
    return values;
  };
  const auto found =
      deform(square(13), square(10), slice, {1, 1, 5}, parameters, levels_of(slice, parameters), {}, {}, {});
  EXPECT_LT(found.mismatch_after, 0.15 * found.mismatch_before);
  EXPECT_EQ(volumes::largest_length(found.displacement, {0, 0, 1}), 0) << "within the slice";
}

}  // namespace
}  // namespace isolume::anatomy

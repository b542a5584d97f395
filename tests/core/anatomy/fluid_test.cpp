#include "core/anatomy/fluid.h"

#include <cmath>
#include <numbers>
#include <random>
#include <stop_token>

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/anatomy/image.h"
#include "core/base/error.h"
#include "core/volumes/resize.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

template <class Function>
FieldValues volume_of(const Counts& counts, const Function& function) {
  FieldValues values;
  for (int z = 0; z < counts[2]; ++z) {
    for (int y = 0; y < counts[1]; ++y) {
      for (int x = 0; x < counts[0]; ++x) values.push_back(static_cast<float>(function(x, y, z)));
    }
  }
  return values;
}

double dot(const VectorField& a, const VectorField& b) {
  double sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < a.components[axis].size(); ++i)
      sum += static_cast<double>(a.data(axis)[i]) * static_cast<double>(b.data(axis)[i]);
  }
  return sum;
}

VectorField noise(const Counts& counts, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  VectorField field(counts);
  for (auto& component : field.components) {
    for (float& each : component) each = normal(random);
  }
  return field;
}

/// A plane wave of vectors of one direction is scaled: by 1 / a across its direction, by 1 / (a + c l^2 |s|^2) along it.
TEST(Smoother, ScalesPlaneWavesByTheSymbol) {
  const Counts counts{24, 20, 18}, waves{3, 2, 1};
  const Spacing spacing{1.5, 1, 2};
  FluidParameters parameters{.smoothness_mm = 4, .compressibility = 0.7};
  double a = 1;
  Eigen::Vector3d s;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double w = 2 * std::numbers::pi * waves[axis] / counts[axis];
    a += 16 * std::pow(2 * std::sin(w / 2) / spacing[axis], 2);
    s[static_cast<int>(axis)] = std::sin(w) / spacing[axis];
  }
  const Eigen::Vector3d across = s.unitOrthogonal();
  for (const auto& [direction, factor] :
       {std::pair{Eigen::Vector3d(s.normalized()), 1 / (a + 0.7 * 16 * s.squaredNorm())},
        std::pair{across, 1 / a}}) {
    VectorField field(counts);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      field.components[axis] = volume_of(counts, [&](int x, int y, int z) {
        return direction[static_cast<int>(axis)] *
               std::cos(2 * std::numbers::pi *
                        (3.0 * x / counts[0] + 2.0 * y / counts[1] + 1.0 * z / counts[2]));
      });
    }
    VectorField smooth = field;
    Smoother(counts, spacing, parameters).smooth(smooth);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < field.components[axis].size(); ++i)
        ASSERT_NEAR(smooth.data(axis)[i], factor * static_cast<double>(field.data(axis)[i]), 2e-7);
    }
  }
}

/// On a grid that is padded, too.
TEST(Smoother, IsItsOwnAdjoint) {
  for (const Counts& counts : {Counts{16, 18, 20}, Counts{17, 31, 11}, Counts{22, 26, 1}}) {
    Smoother smoother(counts, {1, 1.2, 2}, {.smoothness_mm = 3, .compressibility = 0.5});
    const VectorField f = noise(counts, 1), g = noise(counts, 2);
    VectorField smooth_f = f, smooth_g = g;
    smoother.smooth(smooth_f);
    smoother.smooth(smooth_g);
    EXPECT_NEAR(dot(smooth_f, g), dot(f, smooth_g), 1e-6 * std::sqrt(dot(f, f) * dot(g, g)));
    EXPECT_GT(dot(smooth_f, f), 0);
  }
}

/// Differences of the solution give the force again.
TEST(Smoother, SolvesHelmholtzEquation) {
  const Counts counts{16, 12, 10};
  VectorField v = noise(counts, 3);
  const VectorField f = v;
  Smoother(counts, {2, 1, 1}, {.smoothness_mm = 3}).smooth(v);
  const auto at = [&](int x, int y, int z) {
    return static_cast<std::size_t>(((z + 10) % 10 * 12 + (y + 12) % 12) * 16 + (x + 16) % 16);
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto value = [&](int x, int y, int z) { return static_cast<double>(v.data(axis)[at(x, y, z)]); };
    for (int z = 0; z < 10; ++z) {
      for (int y = 0; y < 12; ++y) {
        for (int x = 0; x < 16; ++x) {
          const double laplacian = (value(x + 1, y, z) + value(x - 1, y, z) - 2 * value(x, y, z)) / 4 +
                                   value(x, y + 1, z) + value(x, y - 1, z) + value(x, y, z + 1) +
                                   value(x, y, z - 1) - 4 * value(x, y, z);
          ASSERT_NEAR(value(x, y, z) - 9 * laplacian, f.data(axis)[at(x, y, z)], 2e-5);
        }
      }
    }
  }
}

TEST(Smoother, GaussianHasTheSameEffectOnLongWaves) {
  const Counts counts{240, 4, 4};
  VectorField exact = volumes::zero_field(counts);
  exact.components[0] =
      volume_of(counts, [](int x, int, int) { return std::cos(2 * std::numbers::pi * x / 120); });
  VectorField recursive = exact;
  Smoother(counts, {1, 1, 1}, {.smoothness_mm = 6}).smooth(exact);
  Smoother(counts, {1, 1, 1}, {.smoothness_mm = 6, .smoothing = Smoothing::gaussian}).smooth(recursive);
  EXPECT_NEAR(recursive.data(0)[120], exact.data(0)[120], 0.01);
  EXPECT_NEAR(exact.data(0)[120], 1 / (1 + 36 * std::pow(2 * std::sin(std::numbers::pi / 120), 2)), 1e-5);
}

/// Structure everywhere, so that the map can be known everywhere.
double texture(double x, double y, double z) {
  return 10 + 2 * std::sin(0.45 * x) * std::cos(0.4 * y) + 1.5 * std::sin(0.38 * y + 0.3 * z) +
         std::cos(0.5 * z - 0.2 * x);
}

const Counts box{40, 36, 32};
const Spacing box_mm{1, 1.25, 1.5};

/// Displacement of a known map, zero at the border.
std::array<double, 3> known(double x, double y, double z) {
  const double bump = std::sin(std::numbers::pi * x / 39) * std::sin(std::numbers::pi * y / 35) *
                      std::sin(std::numbers::pi * z / 31);
  return {2.5 * bump, -2 * bump * std::cos(0.1 * x), 1.5 * bump * std::sin(0.12 * y)};
}

FieldValues textured_moving() {
  return volume_of(box, texture);
}
FieldValues textured_fixed() {
  return volume_of(box, [](int x, int y, int z) {
    const auto u = known(x, y, z);
    return texture(x + u[0], y + u[1], z + u[2]);
  });
}

Registration register_texture(const FluidParameters& parameters, const OnIteration& on_iteration = {}) {
  return register_images(textured_fixed(), textured_moving(), box, box_mm, parameters,
                         levels_of(box, parameters), {}, on_iteration);
}

TEST(Fluid, RecoversAKnownMap) {
  const FluidParameters parameters{.smoothness_mm = 6, .intensities = Intensities::kept};
  const Registration result = register_texture(parameters);
  EXPECT_LT(result.mismatch_after, 0.05 * result.mismatch_before);
  EXPECT_EQ(result.folded, 0U);
  double error = 0, size = 0;
  std::size_t count = 0;
  // The border is moved by what lies beyond it, which no image shows.
  for (int z = 4; z < box[2] - 4; ++z) {
    for (int y = 4; y < box[1] - 4; ++y) {
      for (int x = 4; x < box[0] - 4; ++x, ++count) {
        const auto i = static_cast<std::size_t>((z * box[1] + y) * box[0] + x);
        const auto expected = known(x, y, z);
        Eigen::Vector3d difference, whole;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const auto row = static_cast<int>(axis);
          whole[row] = box_mm[axis] * expected[axis];
          difference[row] =
              box_mm[axis] * static_cast<double>(result.displacement.data(axis)[i]) - whole[row];
        }
        error += difference.norm();
        size += whole.norm();
      }
    }
  }
  EXPECT_GT(size / static_cast<double>(count), 1.2) << "mm of the map";
  EXPECT_LT(error / static_cast<double>(count), 0.25) << "mm of end-point error";
}

/// The change of the energy along a velocity, by finite differences, against the force.
TEST(Fluid, ForceIsTheGradientOfTheEnergy) {
  const FieldValues fixed = textured_fixed(), moving = textured_moving();
  const VectorField identity = volumes::zero_field(box);
  VectorField force(box), v(box);
  volumes::mismatch_force(moving, fixed, {1, 1, 1}, force);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    v.components[axis] = volume_of(box, [&](int x, int y, int z) { return known(x, y, z)[axis] / 3; });
  }
  const auto energy = [&](double step) {
    VectorField u(box), unused(box);
    volumes::compose_step(identity, v, {step, step, step}, u);
    FieldValues warped(moving.size());
    volumes::warp(moving, u, warped);
    return volumes::mismatch_force(warped, fixed, {1, 1, 1}, unused) / 2;
  };
  // Steps of a whole voxel's interpolation to both sides: its slope is the central difference.
  const double numeric = (energy(0.5) - energy(-0.5));
  EXPECT_NEAR(numeric, -dot(force, v), 0.05 * std::abs(numeric));
  EXPECT_LT(numeric, 0) << "towards the fixed image";
}

TEST(Fluid, EnergyFallsWithSmallSteps) {
  FluidParameters parameters{.smoothness_mm = 4, .largest_step = 0.1, .levels = 1, .iterations = 40};
  double last = 1e9;
  register_texture(parameters, [&](const Iteration& now) {
    EXPECT_LT(now.mismatch, last) << now.iteration;
    EXPECT_GT(now.longest_step_voxels, 0) << "no step was taken back";
    EXPECT_LE(now.longest_step_voxels, 0.1 * 1.00001);
    last = now.mismatch;
  });
  EXPECT_LT(last, 1e9);
}

TEST(Fluid, SameImagesAreNotMoved) {
  const FieldValues image = textured_moving();
  const FluidParameters parameters;
  const auto result = register_images(image, image, box, box_mm, parameters, levels_of(box, parameters));
  EXPECT_EQ(volumes::largest_length(result.displacement), 0);
  EXPECT_EQ(result.warped, image);
  EXPECT_EQ(result.least_jacobian, 1);
}

/// A small ball that becomes a large one moves along its radii.
TEST(Fluid, BallsMoveRadially) {
  const Counts counts{48, 48, 48};
  const auto ball = [](double radius) {
    return [radius](int x, int y, int z) {
      const double r = std::hypot(x - 23.5, y - 23.5, z - 23.5);
      return 1 / (1 + std::exp((r - radius) / 0.8));
    };
  };
  const FluidParameters parameters{.smoothness_mm = 4};
  const auto result = register_images(volume_of(counts, ball(15)), volume_of(counts, ball(11)), counts,
                                      {1, 1, 1}, parameters, levels_of(counts, parameters));
  EXPECT_GT(result.least_jacobian, 0);
  // On the boundary of the fixed ball, in several directions.
  for (const Eigen::Vector3d& direction :
       {Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(0, -1, 0), Eigen::Vector3d(0, 0, 1),
        Eigen::Vector3d(Eigen::Vector3d(1, 1, 0).normalized()),
        Eigen::Vector3d(Eigen::Vector3d(-1, 1, 1).normalized())}) {
    const Eigen::Vector3d place = Eigen::Vector3d::Constant(23.5) + 15 * direction;
    const float x = static_cast<float>(place[0]), y = static_cast<float>(place[1]),
                z = static_cast<float>(place[2]);
    Eigen::Vector3d u;
    volumes::IndexMap map;
    map.matrix.setZero();
    map.offset = place;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      FieldValues value(1);
      volumes::resample(result.displacement.components[axis], counts, map, nullptr, {1, 1, 1}, 0, value);
      u[static_cast<int>(axis)] = static_cast<double>(value[0]);
    }
    EXPECT_NEAR(u.dot(direction), -4, 0.4) << x << " " << y << " " << z;
    EXPECT_LT((u - u.dot(direction) * direction).norm(), 0.1);
  }
  // Volumes shrink inside the ball to (11 / 15)^3, as far as the map is the same there in all directions.
  const auto jacobian = volumes::jacobian_determinants(result.displacement);
  double mean = 0;
  std::size_t inside = 0;
  for (std::size_t i = 0; i < jacobian.size(); ++i) {
    const auto x = static_cast<double>(i % 48), y = static_cast<double>(i / 48 % 48),
               z = static_cast<double>(i / 48 / 48);
    if (std::hypot(x - 23.5, y - 23.5, z - 23.5) > 15) continue;
    mean += static_cast<double>(jacobian[i]);
    ++inside;
  }
  EXPECT_NEAR(mean / static_cast<double>(inside), std::pow(11.0 / 15, 3), 0.05);
}

TEST(Fluid, MapsHaveInverses) {
  const FluidParameters parameters{.smoothness_mm = 4};
  const Registration result = register_texture(parameters);
  EXPECT_GT(result.least_jacobian, 0);
  const auto inverse = volumes::inverted(result.displacement);
  EXPECT_LT(inverse.largest_residual, 1e-3);
  EXPECT_LT(volumes::largest_length(volumes::composed(result.displacement, inverse.field)), 2e-3) << "voxels";
}

TEST(Fluid, StartsAgainFromAPresentField) {
  FluidParameters parameters{.smoothness_mm = 4, .iterations = 40};
  const auto levels = levels_of(box, parameters);
  const FieldValues fixed = textured_fixed(), moving = textured_moving();
  const auto first = register_images(fixed, moving, box, box_mm, parameters, levels);
  parameters.smoothness_mm = 5;
  const Start start{.displacement = &first.displacement, .first_level = levels.size() - 1};
  const auto again = register_images(fixed, moving, box, box_mm, parameters, levels, start);
  ASSERT_EQ(again.levels.size(), 1U);
  EXPECT_NEAR(again.levels[0].mismatch_before, first.mismatch_after, 1e-6);
  EXPECT_LT(again.mismatch_after, first.mismatch_after);
}

TEST(Fluid, AlignsSingleSlices) {
  const Counts slice{64, 50, 1};
  const auto square = [](double half) {
    return [half](int x, int y, int) {
      return std::max(std::abs(x - 32), std::abs(y - 25)) < half ? 100.0 : 0.0;
    };
  };
  const FluidParameters parameters{.smoothness_mm = 3};
  const auto result = register_images(volume_of(slice, square(14)), volume_of(slice, square(11)), slice,
                                      {1, 1, 5}, parameters, levels_of(slice, parameters));
  EXPECT_LT(result.mismatch_after, 0.35 * result.mismatch_before);
  EXPECT_EQ(volumes::largest_length(result.displacement, {0, 0, 1}), 0) << "within the slice";
}

TEST(Fluid, GivesTheSameBitsOnAnyNumberOfThreads) {
  FluidParameters parameters{.smoothness_mm = 4, .compressibility = 0.5, .iterations = 12};
  for (const Smoothing smoothing : {Smoothing::helmholtz, Smoothing::gaussian}) {
    parameters.smoothing = smoothing;
    VectorField first;
    for (const int threads : {1, 2, 4}) {
      Registration result;
      tbb::task_arena(threads).execute([&] { result = register_texture(parameters); });
      if (threads == 1) first = result.displacement;
      for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_EQ(result.displacement.components[axis], first.components[axis]);
    }
  }
}

TEST(Fluid, RefusesWhatCannotBeAligned) {
  FieldValues image = textured_moving();
  const FieldValues constant(image.size(), 3.F);
  const FluidParameters parameters;
  const auto levels = levels_of(box, parameters);
  EXPECT_THROW(register_images(image, constant, box, box_mm, parameters, levels), Error);
  FieldValues with_nan = image;
  with_nan[7] = NAN;
  EXPECT_THROW(register_images(with_nan, image, box, box_mm, parameters, levels), Error);
  EXPECT_THROW(register_images({image.data(), 40}, {image.data(), 40}, {1, 8, 5}, box_mm, parameters, levels),
               Error);
}

TEST(Fluid, CanBeCancelled) {
  std::stop_source stop;
  const jobs::Progress progress(stop.get_token(), {});
  int iterations = 0;
  const FluidParameters parameters;
  const auto cancel = [&](const Iteration&) {
    if (++iterations == 3) stop.request_stop();
  };
  EXPECT_THROW(register_images(textured_fixed(), textured_moving(), box, box_mm, parameters,
                               levels_of(box, parameters), {}, cancel, progress),
               Cancelled);
  EXPECT_EQ(iterations, 3);
}

/// Distance in voxels from the first point to where the values of a row fall below the level for the last time.
double last_crossing(std::span<const float> values, std::size_t from, std::ptrdiff_t stride, int count,
                     float level) {
  double found = 0;
  for (int i = 0; i + 1 < count; ++i) {
    const float a = values[from + static_cast<std::size_t>(stride * i)];
    const float b = values[from + static_cast<std::size_t>(stride * (i + 1))];
    if (a >= level && b < level) found = i + static_cast<double>((a - level) / (a - b));
  }
  return found;
}

/// The deformed bullseye of AtlasWerks. Its largest step of 0.3 is a length in mm, 0.15 voxels at the full resolution; the
/// same fraction of a voxel at the coarse one reproduces its result best.
TEST(Fluid, AgreesWithAtlasWerks) {
  const std::string folder = std::string(ISOLUME_TEST_REFERENCES) + "/anatomy/";
  const Image moving = read_image(folder + "bullseye-00.mha"), fixed = read_image(folder + "bullseye-01.mha");
  const Image theirs = read_image(folder + "greedy-00-to-01.mha");
  const Counts& counts = fixed.grid().dimensions;
  ASSERT_EQ(counts, (Counts{32, 31, 36}));
  const Eigen::Vector3d spacing = fixed.grid().spacing();
  const FluidParameters parameters{
      .smoothness_mm = std::sqrt(10), .compressibility = 1, .largest_step = 0.15};
  const auto result =
      register_images(fixed.values(), moving.values(), counts, {spacing[0], spacing[1], spacing[2]},
                      parameters, {{{16, 15, 18}, 50}, {counts, 50}});
  EXPECT_GT(result.least_jacobian, 0);
  const auto [low, high] = std::ranges::minmax(moving.values());
  FieldValues ours = result.warped;
  for (float& each : ours) each = (each - low) / (high - low);
  double square = 0, largest = 0;
  std::array<double, 2> mean{}, variance{};
  const auto points = static_cast<double>(ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double a = static_cast<double>(ours[i]), b = static_cast<double>(theirs.values()[i]);
    square += (a - b) * (a - b) / points;
    largest = std::max(largest, std::abs(a - b));
    mean[0] += a / points;
    mean[1] += b / points;
    variance[0] += a * a / points;
    variance[1] += b * b / points;
  }
  EXPECT_LT(std::sqrt(square), 0.01) << "of the range";
  EXPECT_LT(largest, 0.06);
  EXPECT_NEAR(mean[0], mean[1], 0.001);
  EXPECT_NEAR(std::sqrt(variance[0] - mean[0] * mean[0]), std::sqrt(variance[1] - mean[1] * mean[1]), 0.003);
  // Undeformed, the outermost boundary lies elsewhere.
  const std::size_t centre = static_cast<std::size_t>((18 * counts[1] + 15) * counts[0] + 16);
  const std::array<std::ptrdiff_t, 3> strides{1, counts[0], counts[0] * counts[1]};
  FieldValues before(moving.values().begin(), moving.values().end());
  for (float& each : before) each = (each - low) / (high - low);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const int side : {-1, 1}) {
      const std::ptrdiff_t stride = side * strides[axis];
      const double expected = last_crossing(theirs.values(), centre, stride, 15, 0.2F);
      EXPECT_NEAR(last_crossing(ours, centre, stride, 15, 0.2F), expected, 0.1) << axis << " " << side;
      EXPECT_GT(std::abs(last_crossing(before, centre, stride, 15, 0.2F) - expected), 0.5)
          << axis << " " << side;
    }
  }
}

}  // namespace
}  // namespace isolume::anatomy

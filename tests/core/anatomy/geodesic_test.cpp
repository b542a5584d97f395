// Geodesic flows: gradient, energies and maps, and the results of AtlasWerks.
#include "core/anatomy/geodesic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stop_token>
#include <string>

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/anatomy/deformation.h"
#include "core/anatomy/image.h"
#include "core/base/error.h"
#include "core/volumes/resize.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

constexpr Counts cube{28, 26, 24};
constexpr Spacing cube_mm{1, 1.25, 1.5};

/// Balls with soft borders, about (14 + shift, 13, 12).
FieldValues ball_of(double radius, double shift = 0) {
  FieldValues values;
  for (int z = 0; z < cube[2]; ++z) {
    for (int y = 0; y < cube[1]; ++y) {
      for (int x = 0; x < cube[0]; ++x) {
        const double r = std::hypot(x - 14 - shift, y - 13, z - 12);
        values.push_back(static_cast<float>(1 / (1 + std::exp((r - radius) / 1.2))));
      }
    }
  }
  return values;
}

DeformationParameters flow_parameters() {
  DeformationParameters parameters;
  parameters.model = DeformationModel::lddmm;
  parameters.smoothness_mm = 4;
  parameters.regularity = 1e-3;
  parameters.iterations = 40;
  parameters.levels = 1;
  return parameters;
}

Registration register_balls(const FieldValues& fixed, const FieldValues& moving,
                            const DeformationParameters& parameters) {
  return deform(fixed, moving, cube, cube_mm, parameters, levels_of(cube, parameters), {}, {}, {});
}

/// The mismatch along changes of all velocities, by finite differences, against the direction that was found.
TEST(Flows, DirectionIsTheGradientOfTheMismatch) {
  DeformationParameters parameters = flow_parameters();
  const FieldValues fixed = ball_of(9), moving = ball_of(7, 1);
  Flow flow(cube, cube_mm, parameters, 1);
  flow.set_images(fixed, moving);
  flow.measure();
  const double longest = flow.find_direction();
  flow.move(1.5 / longest);  // a flow that is not at rest
  flow.measure();
  flow.find_direction();
  std::vector<VectorField> changes(5, volumes::zero_field(cube));
  for (std::size_t t = 0; t < changes.size(); ++t) {
    std::size_t i = 0;
    for (int z = 0; z < cube[2]; ++z) {
      for (int y = 0; y < cube[1]; ++y) {
        for (int x = 0; x < cube[0]; ++x, ++i) {
          const double bump =
              std::exp(-(std::pow(x - 14, 2) + std::pow(y - 13, 2) + std::pow(z - 12, 2)) / 60);
          changes[t].data(0)[i] = static_cast<float>(bump * 0.1 * (x - 14));
          changes[t].data(1)[i] = static_cast<float>(bump * (0.1 * (y - 13) + 0.2 * static_cast<double>(t)));
          changes[t].data(2)[i] = static_cast<float>(bump * 0.3);
        }
      }
    }
  }
  // Momenta count as nothing from here on, so that the energy is the mismatch.
  flow.add_to_velocities(0, changes);
  flow.measure();
  flow.find_direction();
  const double slope = -2 * flow.slope_along(changes);
  constexpr double step = 0.05;
  flow.add_to_velocities(step, changes);
  const double above = flow.measure();
  flow.add_to_velocities(-2 * step, changes);
  const double numeric = (above - flow.measure()) / (2 * step);
  EXPECT_NEAR(slope, numeric, 0.02 * std::abs(numeric));
  EXPECT_GT(std::abs(numeric), 1);
}

TEST(Flows, BetweenBallsAreGeodesics) {
  const FieldValues first = ball_of(7), second = ball_of(9.5);
  DeformationParameters parameters = flow_parameters();
  parameters.iterations = 120;
  const Registration found = register_balls(second, first, parameters);
  EXPECT_LT(found.mismatch_after, 0.2 * found.mismatch_before);
  EXPECT_GT(found.least_jacobian, 0);
  EXPECT_EQ(found.mended, 0U);
  // The kinetic energy is the same at all times.
  ASSERT_EQ(found.kinetic_energies.size(), 5U);
  const auto [least, greatest] = std::ranges::minmax(found.kinetic_energies);
  EXPECT_GT(least, 0);
  EXPECT_LT(greatest, 1.1 * least);
  // The way back is about as long.
  const Registration back = register_balls(first, second, parameters);
  EXPECT_NEAR(geodesic_distance(back.kinetic_energies), geodesic_distance(found.kinetic_energies),
              0.1 * geodesic_distance(found.kinetic_energies));
  EXPECT_GT(geodesic_distance(found.kinetic_energies),
            1.3 * geodesic_distance(register_balls(ball_of(8), first, parameters).kinetic_energies));
  // Balls in between: the volume grows from time to time.
  ASSERT_EQ(found.path.size(), 5U);
  double volume = 0;
  for (const float each : first) volume += static_cast<double>(each);
  for (const VectorField& each : found.path) {
    FieldValues moved(first.size());
    volumes::warp(first, each, moved);
    double now = 0;
    for (const float value : moved) now += static_cast<double>(value);
    EXPECT_GT(now, 1.05 * volume);
    volume = now;
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_EQ(found.path.back().components[axis], found.displacement.components[axis]);
}

/// A component of a field at a point, trilinear in double precision.
double value_at(const VectorField& field, std::size_t axis, const std::array<double, 3>& point) {
  std::array<std::size_t, 3> corner{};
  std::array<double, 3> part{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double place = std::clamp(point[i], 0.0, field.counts[i] - 1.000001);
    corner[i] = static_cast<std::size_t>(place);
    part[i] = place - static_cast<double>(corner[i]);
  }
  const auto nx = static_cast<std::size_t>(field.counts[0]), ny = static_cast<std::size_t>(field.counts[1]);
  double sum = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    const std::size_t x = k & 1, y = (k >> 1) & 1, z = k >> 2;
    sum += (x == 1 ? part[0] : 1 - part[0]) * (y == 1 ? part[1] : 1 - part[1]) *
           (z == 1 ? part[2] : 1 - part[2]) *
           static_cast<double>(
               field.components[axis][((corner[2] + z) * ny + corner[1] + y) * nx + corner[0] + x]);
  }
  return sum;
}

/// At any time, against points that are led back along the velocities one by one.
TEST(Flows, LeadBackAlongTheirVelocities) {
  DeformationParameters parameters = flow_parameters();
  parameters.iterations = 60;
  const Registration found = register_balls(ball_of(9.5, 2), ball_of(7), parameters);
  ASSERT_EQ(found.velocities.size(), 5U);
  for (std::size_t k = 1; k <= 5; ++k) {
    const VectorField at_end = displacement_at(found.velocities, static_cast<double>(k) / 5);
    double largest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t i = 0; i < at_end.components[axis].size(); ++i)
        largest = std::max<double>(largest, std::abs(at_end.data(axis)[i] - found.path[k - 1].data(axis)[i]));
    EXPECT_LT(largest, 1e-4) << k;
  }
  EXPECT_EQ(volumes::largest_length(displacement_at(found.velocities, 0)), 0);
  const double time = 0.5;  // in the middle of the third step
  const VectorField half = displacement_at(found.velocities, time);
  double largest = 0, from_scaled = 0;
  for (const auto& [x, y, z] :
       {std::array{14, 13, 12}, {20, 13, 12}, {9, 16, 10}, {16, 7, 15}, {15, 19, 8}}) {
    const std::array<double, 3> start{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
    std::array<double, 3> point = start;
    const auto back = [&](const VectorField& velocity, double part) {
      const std::array<double, 3> from = point;
      for (std::size_t axis = 0; axis < 3; ++axis) point[axis] -= part * value_at(velocity, axis, from);
    };
    back(found.velocities[2], 0.5);
    back(found.velocities[1], 1);
    back(found.velocities[0], 1);
    const auto at = static_cast<std::size_t>((z * cube[1] + y) * cube[0] + x);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double expected = point[axis] - start[axis];
      largest = std::max(largest, std::abs(expected - static_cast<double>(half.data(axis)[at])));
      from_scaled = std::max(
          from_scaled, std::abs(expected - time * static_cast<double>(found.displacement.data(axis)[at])));
    }
  }
  EXPECT_LT(largest, 0.02) << "voxels, by the interpolation of displacements";
  EXPECT_GT(from_scaled, 5 * largest) << "a part of the displacement is not the flow";
}

TEST(Flows, OfTheSameImagesAreAtRest) {
  const FieldValues image = ball_of(8);
  const Registration found = register_balls(image, image, flow_parameters());
  EXPECT_EQ(volumes::largest_length(found.displacement), 0);
  EXPECT_EQ(geodesic_distance(found.kinetic_energies), 0);
}

TEST(Flows, FollowTheCorrelationAndSeveralLevels) {
  FieldValues inverted = ball_of(7, 1.5);
  for (float& each : inverted) each = 3 - 2 * each;
  DeformationParameters parameters = flow_parameters();
  parameters.metric = Metric::correlation;
  parameters.levels = 2;
  parameters.regularity = 1e-4;
  const Registration found = register_balls(ball_of(7), inverted, parameters);
  EXPECT_LT(found.mismatch_after, 0.72 * found.mismatch_before) << "flat surroundings have none";
  ASSERT_EQ(found.levels.size(), 2U);
  const auto at = static_cast<std::size_t>((12 * cube[1] + 13) * cube[0] + 14);
  EXPECT_NEAR(static_cast<double>(found.displacement.data(0)[at]), 1.5, 0.5);
}

TEST(Flows, GiveTheSameBitsOnAnyNumberOfThreads) {
  DeformationParameters parameters = flow_parameters();
  parameters.iterations = 5;
  VectorField first;
  for (const int threads : {1, 2}) {
    Registration found;
    tbb::task_arena(threads).execute([&] { found = register_balls(ball_of(9), ball_of(7), parameters); });
    if (threads == 1) first = found.displacement;
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_EQ(found.displacement.components[axis], first.components[axis]);
  }
}

TEST(Flows, CanBeCancelled) {
  std::stop_source stop;
  const jobs::Progress progress(stop.get_token(), {});
  const DeformationParameters parameters = flow_parameters();
  int iterations = 0;
  const auto cancel = [&](const Iteration&) {
    if (++iterations == 2) stop.request_stop();
  };
  EXPECT_THROW(register_by_flow(ball_of(9), ball_of(7), cube, cube_mm, parameters,
                                levels_of(cube, parameters), cancel, progress),
               Cancelled);
  EXPECT_EQ(iterations, 2);
}

/// Distance in voxels from the first point to where the values of a row fall below the level for the last time.
double outermost_crossing(std::span<const float> values, std::size_t from, std::ptrdiff_t stride,
                          float level) {
  double found = 0;
  for (int i = 0; i < 15; ++i) {
    const float a = values[from + static_cast<std::size_t>(stride * i)];
    const float b = values[from + static_cast<std::size_t>(stride * (i + 1))];
    if (a >= level && b < level) found = i + static_cast<double>((a - level) / (a - b));
  }
  return found;
}

/// The flow of AtlasWerks from one bullseye to another: sigma 3, five steps; alpha and beta 0.01, gamma 0.001. It stops before its
/// descent has converged, at a root mean square difference of 0.11; the images of our flow where it passes there.
TEST(Flows, AgreeWithAtlasWerks) {
  const std::string folder = std::string(ISOLUME_TEST_REFERENCES) + "/anatomy/";
  const Image moving = read_image(folder + "bullseye-00.mha"), fixed = read_image(folder + "bullseye-01.mha");
  const Image end = read_image(folder + "lddmm-00-to-01-time05.mha");
  const Counts& counts = fixed.grid().dimensions;
  const Spacing spacing{fixed.grid().spacing(0), fixed.grid().spacing(1), fixed.grid().spacing(2)};
  const auto difference = [](std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    return std::sqrt(sum / static_cast<double>(a.size()));
  };
  const double theirs_at_end = difference(end.values(), fixed.values());
  ASSERT_NEAR(theirs_at_end, 0.11, 0.001);
  DeformationParameters parameters;
  parameters.smoothness_mm = std::sqrt(10);
  parameters.compressibility = 1;
  parameters.regularity = 9 * 0.001 / 5;
  std::vector<VectorField> momenta;
  std::vector<VectorField> path;
  for (const Counts& level : {Counts{16, 15, 18}, counts}) {
    Flow flow(level, level_spacing(counts, spacing, level), parameters, 1);
    const FieldValues of_fixed = volumes::resized(fixed.values(), counts, level);
    const FieldValues of_moving = volumes::resized(moving.values(), counts, level);
    flow.set_images(of_fixed, of_moving);
    if (!momenta.empty()) flow.set_momenta(momenta);
    flow.measure();
    const double step_size = 0.24 / flow.find_direction();
    for (int i = 0; i < 150 && flow.mean() > theirs_at_end; ++i) {
      flow.move(step_size);
      flow.measure();
      flow.find_direction();
    }
    momenta = flow.momenta();
    path = flow.path();
  }
  const std::size_t centre = static_cast<std::size_t>((18 * counts[1] + 15) * counts[0] + 16);
  for (const std::size_t time : {std::size_t{2}, std::size_t{5}}) {
    const Image theirs = read_image(folder + "lddmm-00-to-01-time0" + std::to_string(time) + ".mha");
    FieldValues ours(moving.values().size());
    volumes::warp(moving.values(), path[time - 1], ours);
    EXPECT_LT(difference(ours, theirs.values()), 0.025) << "of the range, at time " << time;
    EXPECT_GT(difference(moving.values(), theirs.values()), 0.12);
    std::array<double, 2> mean{};
    for (std::size_t i = 0; i < ours.size(); ++i) {
      mean[0] += static_cast<double>(ours[i]) / static_cast<double>(ours.size());
      mean[1] += static_cast<double>(theirs.values()[i]) / static_cast<double>(ours.size());
    }
    EXPECT_NEAR(mean[0], mean[1], 0.01);
    for (const std::ptrdiff_t stride :
         {1, -1, counts[0], -counts[0], counts[0] * counts[1], -counts[0] * counts[1]}) {
      EXPECT_NEAR(outermost_crossing(ours, centre, stride, 0.2F),
                  outermost_crossing(theirs.values(), centre, stride, 0.2F), 0.12)
          << "time " << time << ", along " << stride;
    }
  }
}

}  // namespace
}  // namespace isolume::anatomy

// Log-demons: exponentials against flows that are known, and registrations against a known map and their own inverse.
#include "core/anatomy/demons.h"

#include <cmath>

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/anatomy/deformation.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

constexpr int side = 32;
constexpr Counts cube{side, side, side};
constexpr double middle = (side - 1) / 2.0;

template <class Vector>
VectorField field_of(const Vector& vector) {
  VectorField field(cube);
  std::size_t at = 0;
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x, ++at) {
        const std::array<double, 3> value = vector(x, y, z);
        for (std::size_t axis = 0; axis < 3; ++axis) field.data(axis)[at] = static_cast<float>(value[axis]);
      }
    }
  }
  return field;
}

/// The largest difference of two fields in voxels, away from the border.
double difference(const VectorField& a, const VectorField& b, int border = 8) {
  double largest = 0;
  std::size_t at = 0;
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x, ++at) {
        if (std::min({x, y, z}) < border || std::max({x, y, z}) >= side - border) continue;
        for (std::size_t axis = 0; axis < 3; ++axis)
          largest = std::max(largest, std::abs(static_cast<double>(a.data(axis)[at] - b.data(axis)[at])));
      }
    }
  }
  return largest;
}

/// Velocities A (x - middle): their flow is exp(A).
VectorField turning(double angle, double growth, int a = 0, int b = 1) {
  return field_of([=](int x, int y, int z) {
    const std::array<double, 3> r{x - middle, y - middle, z - middle};
    std::array<double, 3> v{growth * r[0], growth * r[1], growth * r[2]};
    v[static_cast<std::size_t>(a)] -= angle * r[static_cast<std::size_t>(b)];
    v[static_cast<std::size_t>(b)] += angle * r[static_cast<std::size_t>(a)];
    return v;
  });
}

TEST(Demons, ExponentialOfALinearVelocityIsThatOfItsMatrix) {
  const double angle = 0.15, growth = -0.1;
  for (const double sign : {1.0, -1.0}) {
    const double c = std::cos(sign * angle) * std::exp(sign * growth),
                 s = std::sin(sign * angle) * std::exp(sign * growth), g = std::exp(sign * growth);
    const VectorField expected = field_of([=](int x, int y, int z) {
      const double dx = x - middle, dy = y - middle, dz = z - middle;
      return std::array{c * dx - s * dy - dx, s * dx + c * dy - dy, (g - 1) * dz};
    });
    EXPECT_LT(difference(exponential(turning(angle, growth), sign), expected), 0.01);
  }
}

TEST(Demons, ComposedVelocityKnowsTheOrder) {
  // Turns about two axes, whose order matters.
  const VectorField v = turning(0.12, 0, 0, 1), u = turning(0.1, 0, 1, 2);
  const VectorField both = exponential(composed_velocity(v, u));
  // First x + u(x), looked up in v: warping by exp(v), then by exp(u).
  const VectorField expected = volumes::composed(exponential(v), exponential(u));
  const VectorField other = volumes::composed(exponential(u), exponential(v));
  EXPECT_LT(difference(both, expected), 0.02);
  EXPECT_GT(difference(both, other), 0.08);
}

FieldValues texture(const VectorField& displacement) {
  FieldValues values;
  std::size_t at = 0;
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x, ++at) {
        const auto u = [&](std::size_t axis) { return static_cast<double>(displacement.data(axis)[at]); };
        const double px = x + u(0), py = y + u(1), pz = z + u(2);
        values.push_back(static_cast<float>(std::sin(0.45 * px) * std::cos(0.4 * py) +
                                            0.7 * std::sin(0.5 * pz + 0.3 * px)));
      }
    }
  }
  return values;
}

DeformationParameters demons_parameters() {
  DeformationParameters parameters;
  parameters.model = DeformationModel::demons;
  parameters.smoothness_mm = 4;
  parameters.levels = 2;
  parameters.iterations = 60;
  return parameters;
}

VectorField known_velocity() {
  return field_of([](int x, int y, int z) {
    const double bump =
        std::exp(-(std::pow(x - middle, 2) + std::pow(y - middle, 2) + std::pow(z - middle, 2)) / 60);
    return std::array{1.8 * bump, -1.2 * bump, 0.8 * bump};
  });
}

Registration registered(const FieldValues& fixed, const FieldValues& moving) {
  const auto parameters = demons_parameters();
  return deform(fixed, moving, cube, {1, 1, 1}, parameters, levels_of(cube, parameters), {}, {}, {});
}

TEST(Demons, FindAKnownMapAndItsInverse) {
  const VectorField known = known_velocity();
  // fixed(x) = moving(exp(v)(x)).
  const FieldValues fixed = texture(exponential(known)), moving = texture(volumes::zero_field(cube));
  const Registration found = registered(fixed, moving);
  EXPECT_LT(found.mismatch_after, 0.15 * found.mismatch_before);
  EXPECT_GT(found.least_jacobian, 0.2F);
  EXPECT_EQ(found.folded, 0U);
  EXPECT_EQ(found.mended, 0U);
  const std::size_t centre = (16 * side + 16) * side + 16;
  const VectorField truth = exponential(known);
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(static_cast<double>(found.displacement.data(axis)[centre]),
                static_cast<double>(truth.data(axis)[centre]), 0.4);
  EXPECT_LT(difference(found.displacement, exponential(found.velocity)), 1e-6);
  const VectorField there_and_back = volumes::composed(found.displacement, exponential(found.velocity, -1));
  EXPECT_LT(difference(there_and_back, volumes::zero_field(cube), 3), 0.1);
}

/// Landmarks of another map than the images' bring their points where they belong, by a map that can be inverted.
TEST(Demons, BringLandmarksTogether) {
  const FieldValues image = texture(volumes::zero_field(cube));
  auto parameters = demons_parameters();
  const auto levels = levels_of(cube, parameters);
  const LandmarkTerm term{.pairs = {{{10, 12, 16}, {12, 12, 16}}, {{20, 18, 15}, {20, 16.5, 15}}},
                          .weight = 10};
  FieldValues shifted = image;
  std::ranges::rotate(shifted, shifted.begin() + 1);
  for (const FieldValues& moving : {image, shifted}) {
    const Registration found = deform(image, moving, cube, {1, 1, 1}, parameters, levels, {}, {}, term);
    EXPECT_EQ(found.folded, 0U);
    for (const GridLandmark& each : term.pairs) {
      const Eigen::Vector3d at = each.fixed + vector_at(found.displacement, each.fixed);
      EXPECT_LT((at - each.moving).norm(), 0.6) << at.transpose() << ", 1.5 and 2 voxels before";
    }
    EXPECT_LT(difference(found.displacement, exponential(found.velocity)), 1e-6);
  }
}

TEST(Demons, AreSymmetricAndTheSameOnAnyNumberOfThreads) {
  const FieldValues fixed = texture(exponential(known_velocity())),
                    moving = texture(volumes::zero_field(cube));
  const Registration there = registered(fixed, moving), back = registered(moving, fixed);
  VectorField sum = there.velocity;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < sum.components[axis].size(); ++i)
      sum.data(axis)[i] += back.velocity.data(axis)[i];
  }
  EXPECT_LT(difference(sum, volumes::zero_field(cube)), 0.1)
      << "the velocity of the other order is its negative";
  Registration alone;
  tbb::task_arena(1).execute([&] { alone = registered(fixed, moving); });
  EXPECT_EQ(alone.velocity.components, there.velocity.components);
}

}  // namespace
}  // namespace isolume::anatomy

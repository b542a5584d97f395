#include "core/volumes/warp.h"

#include <cmath>
#include <numbers>
#include <random>

#include <Eigen/LU>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

namespace isolume::volumes {
namespace {

constexpr Counts counts{23, 18, 14};

std::size_t at(const Counts& of, int x, int y, int z) {
  return static_cast<std::size_t>((z * of[1] + y) * of[0] + x);
}

template <class Function>
FieldValues volume_of(const Counts& of, const Function& function) {
  FieldValues values(point_count(of));
  for (int z = 0; z < of[2]; ++z) {
    for (int y = 0; y < of[1]; ++y) {
      for (int x = 0; x < of[0]; ++x) values[at(of, x, y, z)] = static_cast<float>(function(x, y, z));
    }
  }
  return values;
}

FieldValues noise(const Counts& of, unsigned seed = 1, float size = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-size, size);
  return volume_of(of, [&](int, int, int) { return uniform(random); });
}

VectorField noise_field(const Counts& of, unsigned seed, float size) {
  VectorField field(of);
  for (unsigned axis = 0; axis < 3; ++axis) field.components[axis] = noise(of, seed + axis, size);
  return field;
}

/// Zero at the border, so that the map is one of the box onto itself.
VectorField smooth_field(const Counts& of, double size) {
  VectorField field(of);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    field.components[axis] = volume_of(of, [&](int x, int y, int z) {
      const double sines = std::sin(std::numbers::pi * x / (of[0] - 1)) *
                           std::sin(std::numbers::pi * y / (of[1] - 1)) *
                           std::sin(std::numbers::pi * z / (of[2] - 1));
      return size * sines * std::cos(0.3 * x + 0.2 * y + static_cast<double>(axis));
    });
  }
  return field;
}

/// Trilinear interpolation in double precision, written out.
double sampled(const FieldValues& volume, const Counts& of, double x, double y, double z) {
  const double place[3] = {x, y, z};
  int cell[3];
  double f[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double inside = std::clamp(place[axis], 0.0, of[axis] - 1.0);
    cell[axis] = std::min(static_cast<int>(inside), of[axis] - 2);
    f[axis] = inside - cell[axis];
  }
  double sum = 0;
  for (int k = 0; k < 8; ++k) {
    const int i = k & 1, j = k >> 1 & 1, l = k >> 2;
    sum += (i ? f[0] : 1 - f[0]) * (j ? f[1] : 1 - f[1]) * (l ? f[2] : 1 - f[2]) *
           static_cast<double>(volume[at(of, cell[0] + i, cell[1] + j, cell[2] + l)]);
  }
  return sum;
}

TEST(Warp, LooksValuesUpTrilinearly) {
  const FieldValues volume = noise(counts);
  const VectorField u = noise_field(counts, 7, 9);  // far beyond the border, too
  FieldValues warped(volume.size());
  warp(volume, u, warped);
  for (int z = 0; z < counts[2]; ++z) {
    for (int y = 0; y < counts[1]; ++y) {
      for (int x = 0; x < counts[0]; ++x) {
        const std::size_t i = at(counts, x, y, z);
        const double expected =
            sampled(volume, counts, x + static_cast<double>(u.data(0)[i]),
                    y + static_cast<double>(u.data(1)[i]), z + static_cast<double>(u.data(2)[i]));
        ASSERT_NEAR(warped[i], expected, 1e-5);
      }
    }
  }
}

/// Rows longer than a part that is handled at once, and images of one slice.
TEST(Warp, ReproducesRampsInLongRowsAndInSlices) {
  const Counts slice{600, 5, 1};
  const FieldValues ramp = volume_of(slice, [](int x, int y, int) { return 0.5 * x - 2.0 * y; });
  VectorField u = zero_field(slice);
  std::ranges::fill(u.components[0], 2.25F);
  std::ranges::fill(u.components[1], -0.5F);
  std::ranges::fill(u.components[2], 3.F);
  FieldValues warped(ramp.size());
  warp(ramp, u, warped);
  for (const int x : {0, 255, 256, 400, 596}) {
    EXPECT_NEAR(warped[at(slice, x, 2, 0)], 0.5 * (x + 2.25) - 2 * 1.5, 1e-4) << x;
  }
}

TEST(Warp, SplatIsItsAdjoint) {
  const FieldValues a = noise(counts, 3), y = noise(counts, 4);
  const VectorField u = noise_field(counts, 11, 3);
  FieldValues warped(a.size()), sums(a.size());
  warp(a, u, warped);
  splat(y, u, sums);
  double left = 0, right = 0, mass = 0, total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    left += static_cast<double>(warped[i]) * static_cast<double>(y[i]);
    right += static_cast<double>(a[i]) * static_cast<double>(sums[i]);
    mass += static_cast<double>(sums[i]);
    total += static_cast<double>(y[i]);
  }
  EXPECT_NEAR(left, right, 1e-6 * std::sqrt(static_cast<double>(a.size())));
  EXPECT_NEAR(mass, total, 1e-4);
}

TEST(Warp, StepsAreComposedAsAnyOtherDisplacement) {
  for (const Counts& of : {counts, Counts{5, 4, 3}, Counts{40, 9, 1}}) {
    const VectorField u = noise_field(of, 1, 4), v = noise_field(of, 5, 2);
    VectorField step(of), scaled = v;
    const float factors[] = {0.5F, 0.25F, -0.5F};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (float& each : scaled.components[axis]) each *= factors[axis];
    }
    compose_step(u, v, {0.5, 0.25, -0.5}, step);
    const VectorField expected = composed(u, scaled);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < step.components[axis].size(); ++i) {
        ASSERT_NEAR(step.data(axis)[i], expected.data(axis)[i], 4e-5);
      }
    }
  }
}

/// Warping by u and then by v is warping by their composition; exact on a ramp.
TEST(Warp, ComposedWarpsOneAfterTheOther) {
  const FieldValues ramp = volume_of(counts, [](int x, int y, int z) { return x + 10 * y + 100 * z; });
  const VectorField u = smooth_field(counts, 1.5), v = smooth_field(counts, -1.2);
  FieldValues once(ramp.size()), twice(ramp.size()), together(ramp.size());
  warp(ramp, u, once);
  warp(once, v, twice);
  warp(ramp, composed(u, v), together);
  for (std::size_t i = 0; i < ramp.size(); ++i) ASSERT_NEAR(twice[i], together[i], 2e-3);
}

TEST(Warp, InverseLeadsBack) {
  const VectorField u = smooth_field(counts, 2.5);
  EXPECT_GT(jacobian_range(u).least, 0);
  const Inverse inverse = inverted(u);
  EXPECT_LT(inverse.largest_residual, 1e-3);
  EXPECT_EQ(inverse.unsolved, 0U);
  EXPECT_LT(largest_length(composed(u, inverse.field)), 2e-3);
  // The other way round, linear interpolation of the inverse makes a difference.
  const VectorField gentle = smooth_field(counts, 0.6);
  EXPECT_LT(largest_length(composed(inverted(gentle).field, gentle)), 0.05);
  EXPECT_GT(largest_length(u), 1.5);
}

TEST(Warp, FoldsAreCounted) {
  VectorField u = zero_field({32, 4, 4});
  for (std::size_t i = 0; i < u.components[0].size(); ++i) u.components[0][i] = i % 32 < 16 ? 6.F : -6.F;
  const JacobianRange range = jacobian_range(u);
  EXPECT_LT(range.least, 0);
  EXPECT_EQ(range.folded, 2U * 16U) << "two points of each row";
}

/// h(x) = A x has the determinant of A everywhere, at the border, too.
TEST(Warp, JacobianOfALinearMapIsItsDeterminant) {
  Eigen::Matrix3d a;
  a << 1.1, 0.2, -0.1, 0.05, 0.9, 0.3, -0.2, 0.1, 1.2;
  VectorField u(counts);
  for (int axis = 0; axis < 3; ++axis) {
    u.components[static_cast<std::size_t>(axis)] = volume_of(counts, [&](int x, int y, int z) {
      const Eigen::Vector3d place(x, y, z);
      return (a * place - place)[axis];
    });
  }
  for (const float each : jacobian_determinants(u)) ASSERT_NEAR(each, a.determinant(), 2e-5);
}

TEST(Warp, ForceIsDifferenceTimesGradient) {
  const auto warped_at = [](double x, double y, double z) { return 0.02 * x * x + 0.5 * y - 0.3 * z; };
  const FieldValues warped = volume_of(counts, warped_at);
  const FieldValues fixed =
      volume_of(counts, [](int x, int y, int z) { return 0.1 * x - 0.2 * y + 0.01 * z * z; });
  VectorField force(counts);
  const double sum = mismatch_force(warped, fixed, {2, 1, 0.5}, force);
  double expected_sum = 0;
  for (std::size_t i = 0; i < warped.size(); ++i) {
    expected_sum += std::pow(static_cast<double>(warped[i]) - static_cast<double>(fixed[i]), 2);
  }
  EXPECT_NEAR(sum, expected_sum, 1e-5 * expected_sum);
  for (const int x : {1, 7, 21}) {
    const std::size_t i = at(counts, x, 5, 6);
    const double difference = static_cast<double>(fixed[i] - warped[i]);
    EXPECT_NEAR(force.data(0)[i], difference * 0.04 * x / 2,
                1e-4);  // central differences of a parabola are exact
    EXPECT_NEAR(force.data(1)[i], difference * 0.5, 1e-4);
    EXPECT_NEAR(force.data(2)[i], difference * -0.3 / 0.5, 1e-4);
  }
  const std::size_t corner = at(counts, 0, 0, 0);
  EXPECT_NEAR(force.data(0)[corner], static_cast<double>(fixed[corner] - warped[corner]) * 0.02 / 2, 1e-5);
}

TEST(Warp, ResamplesToAnotherGrid) {
  const FieldValues ramp = volume_of(counts, [](int x, int y, int z) { return x + 10 * y + 100 * z; });
  IndexMap map;  // axes exchanged, and scaled the spacing
  map.matrix << 0, 0.5, 0, 0.5, 0, 0, 0, 0, 0.5;
  map.offset = {1, -1, 0};
  const Counts to{30, 40, 10};
  FieldValues result(point_count(to));
  const std::size_t inside = resample(ramp, counts, map, nullptr, to, -7, result);
  std::size_t expected_inside = 0;
  for (int z = 0; z < to[2]; ++z) {
    for (int y = 0; y < to[1]; ++y) {
      for (int x = 0; x < to[0]; ++x) {
        const double px = 0.5 * y + 1, py = 0.5 * x - 1, pz = 0.5 * z;
        const bool is_inside = px <= counts[0] - 0.5 && py >= -0.5 && py <= counts[1] - 0.5;
        expected_inside += is_inside ? 1 : 0;
        const double value =
            std::clamp(px, 0.0, counts[0] - 1.0) + 10 * std::clamp(py, 0.0, counts[1] - 1.0) + 100 * pz;
        ASSERT_NEAR(result[at(to, x, y, z)], is_inside ? value : -7, 1e-3);
      }
    }
  }
  EXPECT_EQ(inside, expected_inside);
  EXPECT_LT(inside, result.size());
}

TEST(Warp, GivesTheSameBitsOnAnyNumberOfThreads) {
  const FieldValues volume = noise(counts), fixed = noise(counts, 2);
  const VectorField u = noise_field(counts, 3, 4);
  FieldValues first_splat;
  double first_sum = 0;
  for (const int threads : {1, 2, 4}) {
    FieldValues sums(volume.size());
    VectorField force(counts);
    double sum = 0;
    tbb::task_arena(threads).execute([&] {
      splat(volume, u, sums);
      sum = mismatch_force(volume, fixed, {1, 1, 1}, force);
    });
    if (threads == 1) {
      first_splat = sums;
      first_sum = sum;
    }
    EXPECT_EQ(sums, first_splat);
    EXPECT_EQ(sum, first_sum);
  }
}

TEST(Warp, UnfoldingChangesOnlyWhatFolds) {
  const Counts size{20, 18, 16};
  VectorField u = zero_field(size);
  const auto at = [&](int x, int y, int z) {
    return static_cast<std::size_t>((z * size[1] + y) * size[0] + x);
  };
  // Two neighbours that change places, far from each other in the volume, and a slope of 0.8 that does not fold.
  for (const auto& [x, y, z] : {Counts{5, 5, 5}, Counts{14, 12, 9}}) {
    u.data(0)[at(x, y, z)] = 2;
    u.data(0)[at(x + 2, y, z)] = -2;
  }
  u.data(1)[at(2, 14, 12)] = 0.4F;
  const VectorField before = u;
  ASSERT_GT(jacobian_range(u).folded, 0U);
  EXPECT_EQ(unfold(u), jacobian_range(before).folded);
  EXPECT_GT(jacobian_range(u).least, 0);
  EXPECT_EQ(jacobian_range(u).folded, 0U);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const auto& [x, y, z] : {Counts{2, 14, 12}, Counts{10, 9, 2}, Counts{19, 17, 15}})
      EXPECT_EQ(u.data(axis)[at(x, y, z)], before.data(axis)[at(x, y, z)]) << "far from any fold";
  }
  VectorField same = u;
  EXPECT_EQ(unfold(same), 0U);
  EXPECT_EQ(same.components, u.components);
}

}  // namespace
}  // namespace isolume::volumes

#include "core/volumes/transform.h"

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/fourier/mesh_transform.h"

namespace isolume::volumes {
namespace {

using Value = std::complex<double>;

std::vector<float> noise(std::size_t count) {
  std::mt19937_64 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& each : values) each = normal(random);
  return values;
}

TEST(Transform, LengthsAreProductsOfSmallPrimes) {
  for (const int count : {1, 2, 7, 30, 49, 128, 210}) EXPECT_TRUE(suits_transform(count)) << count;
  for (const int count : {0, -2, 11, 31, 26}) EXPECT_FALSE(suits_transform(count)) << count;
  EXPECT_EQ(next_transform_count(31), 32);
  EXPECT_EQ(next_transform_count(121), 125);
}

/// Along each axis, against the sum that defines the transform, in double precision.
TEST(Transform, OfALineIsTheSumThatItSays) {
  for (const int count : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 20, 21, 35, 36, 49, 64, 70, 96, 105, 210}) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Counts counts{1, 1, 1};
      counts[axis] = count;
      const Transform transform(counts);
      const auto values = noise(point_count(counts));
      Modes modes = transform.make_modes();
      transform.forward(values, modes);
      for (int k = 0; k < (axis == 0 ? count / 2 + 1 : count); ++k) {
        Value sum = 0;
        for (int x = 0; x < count; ++x) {
          sum += static_cast<double>(values[static_cast<std::size_t>(x)]) *
                 std::polar(1.0, -2 * std::numbers::pi * k * x / count);
        }
        const int row[3] = {0, axis == 1 ? k : 0, axis == 2 ? k : 0};
        const int column = axis == 0 ? k : 0;
        const Value mode(modes.real(row[1], row[2])[column], modes.imaginary(row[1], row[2])[column]);
        EXPECT_LT(std::abs(mode - sum), 2e-6 * std::sqrt(count))
            << count << " along " << axis << ", mode " << k;
      }
    }
  }
}

TEST(Transform, OfAVolumeIsThatOfKissFft) {
  const Counts counts{36, 20, 30};
  const Transform transform(counts);
  const auto values = noise(point_count(counts));
  Modes modes = transform.make_modes();
  transform.forward(values, modes);

  // [x][y][z], z fastest: our axes in reverse order.
  const fourier::MeshTransform mesh({30, 20, 36});
  std::vector<Value> expected(mesh.modes());
  mesh.forward(std::vector<double>(values.begin(), values.end()), expected);
  double square = 0, error = 0;
  for (int kz = 0; kz < counts[2]; ++kz) {
    for (int ky = 0; ky < counts[1]; ++ky) {
      for (int kx = 0; kx < modes.row_count(); ++kx) {
        const Value other =
            expected[static_cast<std::size_t>((kz * counts[1] + ky) * modes.row_count() + kx)];
        square += std::norm(other);
        error += std::norm(Value(modes.real(ky, kz)[kx], modes.imaginary(ky, kz)[kx]) - other);
      }
    }
  }
  EXPECT_LT(std::sqrt(error / square), 3e-7);

  std::vector<float> back(values.size());
  transform.inverse(modes, back);
  const auto points = static_cast<float>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(back[i] / points, values[i], 2e-6);
}

/// A shift by whole points is a factor of each mode, which differs from mode to mode.
TEST(Transform, FilterMultipliesModesOfSeveralFields) {
  const Counts counts{15, 14, 12};
  const auto values = noise(point_count(counts));
  std::vector<float> shifted(values), same(values);
  float* const fields[] = {shifted.data(), same.data()};
  const Transform transform(counts);
  std::vector<Modes> modes{transform.make_modes(), transform.make_modes()};
  transform.filter(fields, modes, [&](const ModePlane& plane) {
    for (int kz = 0; kz < plane.planes; ++kz) {
      for (int kx = 0; kx < plane.row_count; ++kx) {
        const double turns = 3.0 * kx / counts[0] + 2.0 * plane.ky / counts[1] + 5.0 * kz / counts[2];
        float* mode = plane.row(0, kz) + kx;
        const auto product = std::complex<double>(mode[0], mode[plane.row_length]) *
                             std::polar(1.0, -2 * std::numbers::pi * turns);
        mode[0] = static_cast<float>(product.real());
        mode[plane.row_length] = static_cast<float>(product.imag());
      }
    }
  });
  const auto at = [&](int x, int y, int z) {
    return static_cast<std::size_t>(((z + 12) % 12 * 14 + (y + 14) % 14) * 15 + (x + 15) % 15);
  };
  for (int z = 0; z < counts[2]; ++z) {
    for (int y = 0; y < counts[1]; ++y) {
      for (int x = 0; x < counts[0]; ++x) {
        ASSERT_NEAR(shifted[at(x, y, z)], values[at(x - 3, y - 2, z - 5)], 3e-6);
        ASSERT_NEAR(same[at(x, y, z)], values[at(x, y, z)], 2e-6);
      }
    }
  }
}

TEST(Transform, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Counts counts{40, 30, 28};
  const auto values = noise(point_count(counts));
  std::vector<float> first;
  for (const int threads : {1, 2, 4}) {
    std::vector<float> filtered(values);
    float* const fields[] = {filtered.data()};
    tbb::task_arena(threads).execute([&] {
      const Transform transform(counts);
      Modes modes = transform.make_modes();
      transform.filter(fields, {&modes, 1}, [](const ModePlane& plane) {
        for (int kz = 0; kz < plane.planes; ++kz) {
          for (int k = 0; k < 2 * plane.row_length; ++k) plane.row(0, kz)[k] /= static_cast<float>(1 + kz);
        }
      });
    });
    if (first.empty()) first = filtered;
    EXPECT_EQ(filtered, first) << threads;
  }
}

}  // namespace
}  // namespace isolume::volumes

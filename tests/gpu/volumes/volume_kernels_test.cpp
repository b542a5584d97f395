// Kernels on volumes against their definitions, voxel by voxel in double precision.
#include "gpu/volumes/volume_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include "gpu/runtime/memory/buffer.h"
#include "gpu/volumes/gaussian.h"
#include "gpu/volumes/volume_benchmark.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu::volume_kernels {
namespace {

using Values = std::vector<float>;
using Field = std::array<Values, 3>;
using Vector = std::array<double, 3>;

/// More than a block along each axis, with blocks that are not full; a slice; padded as for a transform.
struct Case {
  Extents extents, padded;
};
constexpr Case cases[] = {{{37, 11, 9}, {40, 12, 9}}, {{20, 18, 1}, {20, 18, 1}}, {{5, 1, 6}, {5, 1, 6}}};

std::size_t index_of(Extents n, int x, int y, int z) {
  return static_cast<std::size_t>((z * n.ny + y) * n.nx + x);
}
template <class Work>
void for_points(Extents n, const Work& work) {
  for (int z = 0; z < n.nz; ++z) {
    for (int y = 0; y < n.ny; ++y) {
      for (int x = 0; x < n.nx; ++x) work(x, y, z, index_of(n, x, y, z));
    }
  }
}

Values noise(std::size_t count, float largest, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> any(-largest, largest);
  Values values(count);
  for (float& each : values) each = any(random);
  return values;
}
Field noise_field(std::size_t count, float largest, unsigned seed) {
  return {noise(count, largest, seed), noise(count, largest, seed + 1), noise(count, largest, seed + 2)};
}

double clamped(const Values& volume, Extents n, int x, int y, int z) {
  return static_cast<double>(volume[index_of(n, std::clamp(x, 0, n.nx - 1), std::clamp(y, 0, n.ny - 1),
                                             std::clamp(z, 0, n.nz - 1))]);
}
/// Trilinear; outside, the nearest value inside.
double sampled(const Values& volume, Extents n, Vector at) {
  const int counts[3] = {n.nx, n.ny, n.nz};
  int first[3];
  double part[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    at[axis] = std::clamp(at[axis], 0.0, counts[axis] - 1.0);
    first[axis] = static_cast<int>(std::floor(at[axis]));
    part[axis] = at[axis] - first[axis];
  }
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    int index[3];
    for (int axis = 0; axis < 3; ++axis) {
      const int side = corner >> axis & 1;
      weight *= side == 1 ? part[axis] : 1 - part[axis];
      index[axis] = first[axis] + side;
    }
    sum += weight * clamped(volume, n, index[0], index[1], index[2]);
  }
  return sum;
}

class VolumeKernels : public RuntimeTest {
 protected:
  void TearDown() override {
    stream_.reset();
    RuntimeTest::TearDown();
  }
  const Stream& stream() {
    if (stream_ == nullptr) stream_ = std::make_unique<Stream>(device());
    return *stream_;
  }
  template <class T>
  std::vector<T> values_of(const DeviceBuffer<T>& buffer) {
    std::vector<T> values(buffer.size());
    buffer.copy_to(values, stream());
    stream().wait();
    return values;
  }
  /// Components one after the other.
  DeviceBuffer<float> put(const Field& field) {
    Values all;
    for (const Values& each : field) all.insert(all.end(), each.begin(), each.end());
    DeviceBuffer<float> buffer = device_copy(all, stream());
    stream().wait();  // `all` goes
    return buffer;
  }
  static Vectors vectors(const DeviceBuffer<float>& buffer) {
    const std::size_t count = buffer.size() / 3;
    float* const first = buffer.device_data();
    return {first, first + count, first + 2 * count};
  }
  /// The sum of the sums, and the largest of the squares.
  std::array<double, 2> reduced(const DeviceBuffer<double>& sums, const DeviceBuffer<float>& squares) {
    const DeviceBuffer<double> numbers(stream(), 2);
    reduce(sums.device_data(), sums.size(), squares.device_data(), squares.size(), numbers.device_data(),
           numbers.device_data() + 1, stream());
    const auto found = values_of(numbers);
    return {found[0], found[1]};
  }

 private:
  std::unique_ptr<Stream> stream_;
};

TEST_F(VolumeKernels, WarpTakesTheTrilinearValueAtEachPosition) {
  for (const auto& [n, padded] : cases) {
    const Values volume = noise(n.count(), 1, 1);
    // Also far outside.
    const Field u = noise_field(n.count(), 6, 2);
    const auto on_device = device_copy(volume, stream());
    const auto displacement = put(u);
    const DeviceBuffer<float> warped(stream(), n.count());
    warp(on_device.device_data(), n, vectors(displacement), warped.device_data(), stream());
    const auto found = values_of(warped);
    for_points(n, [&](int x, int y, int z, std::size_t i) {
      const double expected = sampled(volume, n,
                                      {x + static_cast<double>(u[0][i]), y + static_cast<double>(u[1][i]),
                                       z + static_cast<double>(u[2][i])});
      // A position of up to 37 has an error of 2e-6 in single precision, on slopes of up to 2 along each axis.
      ASSERT_NEAR(found[i], expected, 1.5e-5) << x << " " << y << " " << z;
    });
  }
}

TEST_F(VolumeKernels, ForceIsTheDifferenceTimesTheGradient) {
  for (const auto& [n, padded] : cases) {
    const Values warped = noise(n.count(), 1, 3), fixed = noise(n.count(), 1, 4),
                 weights = noise(n.count(), 1, 5);
    const double spacing[3] = {1.5, 2, 0.7};
    const auto warped_there = device_copy(warped, stream()), fixed_there = device_copy(fixed, stream()),
               weights_there = device_copy(weights, stream());
    for (const bool is_weighted : {false, true}) {
      const DeviceBuffer<float> force(stream(), 3 * padded.count());
      const DeviceBuffer<double> sums(stream(), block_count(padded));
      mismatch_force(warped_there.device_data(), fixed_there.device_data(),
                     is_weighted ? weights_there.device_data() : nullptr, n, {1.5F, 2.F, 0.7F}, padded,
                     vectors(force), sums.device_data(), stream());
      const auto found = values_of(force);
      double sum = 0;
      for_points(padded, [&](int x, int y, int z, std::size_t i) {
        Vector expected{};
        if (x < n.nx && y < n.ny && z < n.nz) {
          const std::size_t at = index_of(n, x, y, z);
          const double difference = static_cast<double>(fixed[at]) - static_cast<double>(warped[at]),
                       weight = is_weighted ? static_cast<double>(weights[at]) : 1;
          sum += weight * difference * difference;
          const int place[3] = {x, y, z}, counts[3] = {n.nx, n.ny, n.nz};
          for (std::size_t axis = 0; axis < 3; ++axis) {
            int low[3] = {x, y, z}, high[3] = {x, y, z};
            low[axis] = std::max(place[axis] - 1, 0);
            high[axis] = std::min(place[axis] + 1, counts[axis] - 1);
            if (low[axis] == high[axis]) continue;
            expected[axis] =
                weight * difference *
                (clamped(warped, n, high[0], high[1], high[2]) - clamped(warped, n, low[0], low[1], low[2])) /
                (spacing[axis] * (high[axis] - low[axis]));
          }
        }
        for (std::size_t axis = 0; axis < 3; ++axis)
          ASSERT_NEAR(found[axis * padded.count() + i], expected[axis], 2e-6) << x << " " << y << " " << z;
      });
      EXPECT_NEAR(reduced(sums, {})[0], sum, 1e-6 * static_cast<double>(n.count()));
    }
  }
}

TEST_F(VolumeKernels, GradientIsWeightedAtEachPoint) {
  const auto& [n, padded] = cases[0];
  const Values values = noise(n.count(), 1, 14), weights = noise(n.count(), 1, 15);
  const auto values_there = device_copy(values, stream()), weights_there = device_copy(weights, stream());
  const DeviceBuffer<float> plain(stream(), 3 * padded.count()), weighted(stream(), 3 * padded.count());
  const float3 spacing{2, 1, 0.5F};
  weighted_gradient(values_there.device_data(), nullptr, n, spacing, padded, vectors(plain), stream());
  weighted_gradient(values_there.device_data(), weights_there.device_data(), n, spacing, padded,
                    vectors(weighted), stream());
  const auto found = values_of(plain), found_weighted = values_of(weighted);
  for_points(padded, [&](int x, int y, int z, std::size_t i) {
    const bool is_inside = x < n.nx && y < n.ny && z < n.nz;
    // Along x alone: the other axes are those of the force.
    double expected = 0;
    if (is_inside) {
      const int low = std::max(x - 1, 0), high = std::min(x + 1, n.nx - 1);
      expected = (clamped(values, n, high, y, z) - clamped(values, n, low, y, z)) / (2 * (high - low));
    }
    ASSERT_NEAR(found[i], expected, 1e-6) << x << " " << y << " " << z;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t at = axis * padded.count() + i;
      const double weight = is_inside ? static_cast<double>(weights[index_of(n, x, y, z)]) : 0;
      ASSERT_NEAR(found_weighted[at], weight * static_cast<double>(found[at]), 1e-6);
    }
  });
}

TEST_F(VolumeKernels, GaussianIsThatOfTheWeightsAlongEachAxis) {
  // More than a warp's part of a row, and more than a block's rows.
  for (const auto& [n, sigma] : {std::pair{Extents{150, 19, 9}, std::array{1.3, 2.0, 0.8}},
                                 std::pair{Extents{5, 3, 1}, std::array{2.0, 0.0, 1.0}}}) {
    const Values values = noise(n.count(), 1, 16);
    std::vector<double> expected(values.begin(), values.end());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (sigma[axis] == 0) continue;
      const int radius = static_cast<int>(std::ceil(4.5 * sigma[axis]));
      const auto weight = [&](int d) { return std::exp(-0.5 * d * d / (sigma[axis] * sigma[axis])); };
      double all = 0;
      for (int d = -radius; d <= radius; ++d) all += weight(d);
      const std::vector<double> from = expected;
      for_points(n, [&](int x, int y, int z, std::size_t i) {
        double sum = 0;
        for (int d = -radius; d <= radius; ++d) {
          const int at[3] = {std::clamp(axis == 0 ? x + d : x, 0, n.nx - 1),
                             std::clamp(axis == 1 ? y + d : y, 0, n.ny - 1),
                             std::clamp(axis == 2 ? z + d : z, 0, n.nz - 1)};
          sum += weight(d) * from[index_of(n, at[0], at[1], at[2])];
        }
        expected[i] = sum / all;
      });
    }
    const auto there = device_copy(values, stream());
    const DeviceBuffer<float> scratch(stream(), n.count());
    const GaussianOnDevice gaussian(n, sigma, stream());
    const float* const result = gaussian.smooth(there.device_data(), scratch.device_data(), stream());
    const auto found = values_of(result == scratch.device_data() ? scratch : there);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-6) << i;
  }
}

/// The derivative of a correlation by one value of the warped image, in a window that is one voxel: means are the values.
TEST_F(VolumeKernels, CorrelationsAreThoseOfTheirFormulas) {
  constexpr std::size_t count = 3000;  // several blocks
  const float least = 0.02F;
  const Values fixed = noise(count, 1, 17), warped = noise(count, 1, 18), f = noise(count, 0.5F, 19),
               w = noise(count, 0.5F, 20), weights = noise(count, 1, 21);
  Values ff, ww, fw, mean_weights;
  for (std::size_t i = 0; i < count; ++i) {
    ff.push_back(f[i] * f[i] + 0.3F + 0.1F * fixed[i]);
    ww.push_back(w[i] * w[i] + 0.3F + 0.1F * warped[i]);
    fw.push_back(f[i] * w[i] + 0.2F * fixed[i]);
    mean_weights.push_back(0.5F + std::abs(weights[i]));
  }
  const auto fixed_there = device_copy(fixed, stream()), warped_there = device_copy(warped, stream()),
             f_there = device_copy(f, stream()), ff_there = device_copy(ff, stream()),
             weights_there = device_copy(weights, stream()),
             mean_weights_there = device_copy(mean_weights, stream());
  for (const bool is_weighted : {false, true}) {
    const auto w_there = device_copy(w, stream()), ww_there = device_copy(ww, stream()),
               fw_there = device_copy(fw, stream());
    const WarpedMeans means{w_there.device_data(), ww_there.device_data(), fw_there.device_data()};
    const float* const own = is_weighted ? weights_there.device_data() : nullptr;
    const DeviceBuffer<double> sums(stream(), reduction_blocks(count));
    correlate({.f = f_there.device_data(),
               .ff = ff_there.device_data(),
               .weights = own,
               .mean_weight = is_weighted ? mean_weights_there.device_data() : nullptr,
               .least_variance = least},
              count, means, sums.device_data(), stream());
    const DeviceBuffer<float> result(stream(), count);
    correlation_weights(fixed_there.device_data(), warped_there.device_data(), own, count, means,
                        result.device_data(), stream());
    const auto found = values_of(result);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double weight = is_weighted ? static_cast<double>(weights[i]) : 1,
                   there = is_weighted ? static_cast<double>(mean_weights[i]) : 1;
      const double mf = static_cast<double>(f[i]), mw = static_cast<double>(w[i]) / there;
      const double p = std::max(static_cast<double>(ff[i]) - mf * mf, 0.0) + static_cast<double>(least),
                   q = std::max(static_cast<double>(ww[i]) / there - mw * mw, 0.0) +
                       static_cast<double>(least),
                   k = static_cast<double>(fw[i]) / there - mf * mw;
      sum += weight * (1 - k * k / (p * q));
      const double a = weight / there * 2 * k / (p * q), b = weight / there * k * k / (p * q * q);
      const double expected = weight * ((2 * b * mw - a * mf + static_cast<double>(fixed[i]) * a) / 2 -
                                        static_cast<double>(warped[i]) * b);
      ASSERT_NEAR(found[i], expected, 1e-5 * (1 + std::abs(expected) + std::abs(a) + std::abs(b))) << i;
    }
    EXPECT_NEAR(reduced(sums, {})[0], sum, 1e-5 * count);
  }
}

TEST_F(VolumeKernels, ProductsOfWindowsAreWeighted) {
  constexpr std::size_t count = 300;
  const Values fixed = noise(count, 1, 22), warped = noise(count, 1, 23), weights = noise(count, 1, 24);
  const auto fixed_there = device_copy(fixed, stream()), warped_there = device_copy(warped, stream()),
             weights_there = device_copy(weights, stream());
  const DeviceBuffer<float> f(stream(), count), ff(stream(), count), w(stream(), count), ww(stream(), count),
      fw(stream(), count);
  for (const bool is_weighted : {false, true}) {
    const float* const own = is_weighted ? weights_there.device_data() : nullptr;
    multiply_fixed(fixed_there.device_data(), own, count, f.device_data(), ff.device_data(), stream());
    multiply_warped(fixed_there.device_data(), warped_there.device_data(), own, count,
                    {w.device_data(), ww.device_data(), fw.device_data()}, stream());
    // Windows of a voxel, where weights below 0.25 do not count.
    const auto mean_weights = device_copy(weights, stream());
    if (is_weighted)
      divide_by_weights(mean_weights.device_data(), 0.25F, count, f.device_data(), ff.device_data(),
                        stream());
    const auto found_f = values_of(f), found_ff = values_of(ff), found_w = values_of(w),
               found_ww = values_of(ww), found_fw = values_of(fw);
    for (std::size_t i = 0; i < count; ++i) {
      const double weight = is_weighted ? static_cast<double>(weights[i]) : 1,
                   divisor = is_weighted ? std::max(weight, 0.25) : 1, of_f = static_cast<double>(fixed[i]),
                   of_w = static_cast<double>(warped[i]);
      ASSERT_NEAR(found_f[i], weight * of_f / divisor, 1e-6);
      ASSERT_NEAR(found_ff[i], weight * of_f * of_f / divisor, 1e-6);
      ASSERT_NEAR(found_w[i], weight * of_w, 1e-6);
      ASSERT_NEAR(found_ww[i], weight * of_w * of_w, 1e-6);
      ASSERT_NEAR(found_fw[i], weight * of_f * of_w, 1e-6);
    }
  }
}

TEST_F(VolumeKernels, ModesSolveTheEquationOfTheSymbols) {
  using Complex = std::complex<double>;
  const Extents n{11, 4, 5};
  const Extents half{n.nx / 2 + 1, n.ny, n.nz};
  const int counts[3] = {n.nx, n.ny, n.nz};
  const float l2 = 9, scale = 0.25F;
  std::vector<DeviceBuffer<float>> numbers;
  std::array<std::vector<double>, 3> laplacian, slope;
  Symbols symbols[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Values both;
    for (int k = 0; k < counts[axis]; ++k) {
      const double w = 2 * std::numbers::pi * k / counts[axis];
      laplacian[axis].push_back(4 * std::pow(std::sin(w / 2), 2));
      slope[axis].push_back(std::sin(w));
    }
    for (const auto& each : {laplacian[axis], slope[axis]}) {
      for (const double value : each) both.push_back(static_cast<float>(value));
    }
    numbers.push_back(device_copy(both, stream()));
    stream().wait();
    symbols[axis] = {numbers[axis].device_data(), numbers[axis].device_data() + counts[axis]};
  }
  for (const float b : {0.F, 6.F}) {
    const Values f = noise(6 * half.count(), 1, 7);
    std::vector<float2> in(3 * half.count());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = {f[2 * i], f[2 * i + 1]};
    const auto modes = device_copy(in, stream());
    solve_modes(modes.device_data(), n, symbols, l2, b, scale, stream());
    const auto found = values_of(modes);
    for_points(half, [&](int x, int y, int z, std::size_t i) {
      const auto at = [&](const std::vector<float2>& all, std::size_t axis) {
        const float2 value = all[axis * half.count() + i];
        return Complex(static_cast<double>(value.x), static_cast<double>(value.y));
      };
      const int k[3] = {x, y, z};
      double a = 1;
      Vector s;
      Complex divergence = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto wave = static_cast<std::size_t>(k[axis]);
        a += static_cast<double>(l2) * laplacian[axis][wave];
        s[axis] = slope[axis][wave];
        divergence += s[axis] * at(found, axis);
      }
      // (a + b s s^T) v = scale f
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Complex left = a * at(found, axis) + static_cast<double>(b) * s[axis] * divergence;
        ASSERT_LT(std::abs(left - static_cast<double>(scale) * at(in, axis)), 1e-6)
            << x << " " << y << " " << z;
      }
    });
  }
}

TEST_F(VolumeKernels, LargestSquareLooksAtTheUnpaddedPointsAlone) {
  for (const auto& [n, padded] : cases) {
    Field v = noise_field(padded.count(), 1, 8);
    double expected = 0;
    for_points(padded, [&](int x, int y, int z, std::size_t i) {
      if (x < n.nx && y < n.ny && z < n.nz) {
        expected = std::max(expected, std::pow(0.5 * static_cast<double>(v[0][i]), 2) +
                                          std::pow(2 * static_cast<double>(v[1][i]), 2) +
                                          std::pow(static_cast<double>(v[2][i]), 2));
      } else {
        v[0][i] = 1e6F;
      }
    });
    const auto there = put(v);
    const DeviceBuffer<float> squares(stream(), block_count(n));
    largest_square(vectors(there), n, padded, {0.5F, 2.F, 1.F}, squares.device_data(), stream());
    EXPECT_NEAR(reduced({}, squares)[1], expected, 1e-6 * expected);
  }
}

TEST_F(VolumeKernels, StepsAreComposedWithTheDisplacement) {
  for (const auto& [n, padded] : cases) {
    const Field u = noise_field(n.count(), 2, 9), v = noise_field(padded.count(), 1, 12);
    const float scale[3] = {1.F, 0.5F, 0.25F};
    const auto u_there = put(u), v_there = put(v);
    const DeviceBuffer<float> result(stream(), 3 * n.count());
    compose_step(vectors(u_there), vectors(v_there), {scale[0], scale[1], scale[2]}, n, padded,
                 vectors(result), stream());
    const auto found = values_of(result);
    for_points(n, [&](int x, int y, int z, std::size_t i) {
      Vector step;
      for (std::size_t axis = 0; axis < 3; ++axis)
        step[axis] = static_cast<double>(scale[axis] * v[axis][index_of(padded, x, y, z)]);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        ASSERT_NEAR(found[axis * n.count() + i],
                    step[axis] + sampled(u[axis], n, {x + step[0], y + step[1], z + step[2]}), 2e-6)
            << x << " " << y << " " << z;
      }
    });
  }
}

TEST_F(VolumeKernels, JacobiansAreDeterminantsOfDifferences) {
  for (const auto& [n, padded] : cases) {
    const Field u = noise_field(n.count(), 0.6F, 25);
    double least = 1e9;
    int folded = 0;
    for_points(n, [&](int x, int y, int z, std::size_t) {
      double m[3][3];
      for (std::size_t row = 0; row < 3; ++row) {
        for (int axis = 0; axis < 3; ++axis) {
          const int at[3] = {x, y, z}, counts[3] = {n.nx, n.ny, n.nz};
          int low[3] = {x, y, z}, high[3] = {x, y, z};
          low[axis] = std::max(at[axis] - 1, 0);
          high[axis] = std::min(at[axis] + 1, counts[axis] - 1);
          const int voxels = std::max(high[axis] - low[axis], 1);
          m[row][axis] =
              (clamped(u[row], n, high[0], high[1], high[2]) - clamped(u[row], n, low[0], low[1], low[2])) /
                  voxels +
              (static_cast<int>(row) == axis ? 1 : 0);
        }
      }
      const double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                                 m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
      ASSERT_GT(std::abs(determinant), 1e-6) << "neither clearly folded nor clearly not";
      least = std::min(least, determinant);
      if (determinant < 0) ++folded;
    });
    const auto there = put(u);
    const DeviceBuffer<float> leasts(stream(), block_count(n)), counts(stream(), block_count(n));
    const DeviceBuffer<double> result(stream(), 2);
    jacobians(vectors(there), n, leasts.device_data(), counts.device_data(), stream());
    reduce_jacobians(leasts.device_data(), counts.device_data(), block_count(n), result.device_data(),
                     stream());
    const auto found = values_of(result);
    EXPECT_NEAR(found[0], least, 1e-5);
    EXPECT_EQ(found[1], folded);
  }
}

TEST_F(VolumeKernels, ReductionsAddAllBlocks) {
  std::vector<double> sums;
  Values squares;
  for (int i = 0; i < 1000; ++i) {
    sums.push_back(1 + i * 0x1p-30);
    squares.push_back(static_cast<float>((i * 379) % 1000));
  }
  const auto found = reduced(device_copy(sums, stream()), device_copy(squares, stream()));
  EXPECT_EQ(found[0], 1000 + 499500 * 0x1p-30);
  EXPECT_EQ(found[1], 999);
}

TEST_F(VolumeKernels, AreTimedOneByOne) {
  const auto all = time_volume_kernels(device(), 9, {.least_seconds = 0, .least_repeats = 1});
  ASSERT_EQ(all.size(), 6U);
  for (const auto& each : all) {
    EXPECT_GE(each.moved_bytes, 16.0 * 9 * 9 * 9) << each.kernel;
    EXPECT_GT(each.timing.median_ms, 0) << each.kernel;
  }
}

}  // namespace
}  // namespace isolume::gpu::volume_kernels

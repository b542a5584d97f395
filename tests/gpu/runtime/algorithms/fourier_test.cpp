#include "gpu/runtime/algorithms/fourier.h"

#include <complex>
#include <numbers>
#include <random>

#include "gpu/runtime/memory/buffer.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

using Complex = std::complex<double>;

class Fourier : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    if (!IsSkipped()) skip_without_library(fourier_library);
  }
};

std::size_t index(FourierSize n, int x, int y, int z) {
  return static_cast<std::size_t>((z * n[1] + y) * n[0] + x);
}
std::size_t points(FourierSize n) {
  return index(n, 0, 0, n[2]);
}

/// The definition, point by point.
std::vector<Complex> naive_transform(const std::vector<Complex>& f, FourierSize n) {
  std::vector<Complex> result(f.size());
  for (int kz = 0; kz < n[2]; ++kz) {
    for (int ky = 0; ky < n[1]; ++ky) {
      for (int kx = 0; kx < n[0]; ++kx) {
        Complex sum = 0;
        for (int z = 0; z < n[2]; ++z) {
          for (int y = 0; y < n[1]; ++y) {
            for (int x = 0; x < n[0]; ++x) {
              const double turns = static_cast<double>(kx * x) / n[0] + static_cast<double>(ky * y) / n[1] +
                                   static_cast<double>(kz * z) / n[2];
              sum += f[index(n, x, y, z)] * std::polar(1.0, -2 * std::numbers::pi * turns);
            }
          }
        }
        result[index(n, kx, ky, kz)] = sum;
      }
    }
  }
  return result;
}

std::vector<Complex> random_values(FourierSize n) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> any(-1, 1);
  std::vector<Complex> values(points(n));
  for (auto& value : values) value = any(random);
  return values;
}

constexpr FourierSize sizes[] = {{1, 1, 1}, {8, 4, 2}, {5, 3, 7}, {6, 9, 4}};

TEST_F(Fourier, RealTransformsAreHalfOfThoseOfTheDefinition) {
  const Stream stream(device());
  for (const FourierSize n : sizes) {
    const auto f = random_values(n);
    const auto expected = naive_transform(f, n);
    std::vector<double> values(f.size());
    for (std::size_t i = 0; i < f.size(); ++i) values[i] = f[i].real();
    const FourierSize half{n[0] / 2 + 1, n[1], n[2]};
    const RealFourier fourier(device(), n);
    DeviceBuffer<double> in(stream, f.size());
    DeviceBuffer<double2> out(stream, points(half));
    in.copy_from(values, stream);
    fourier.forward(in.device_data(), out.device_data(), stream);
    std::vector<double2> result(points(half));
    out.copy_to(result, stream);
    stream.wait();
    for (int z = 0; z < half[2]; ++z) {
      for (int y = 0; y < half[1]; ++y) {
        for (int x = 0; x < half[0]; ++x) {
          const double2 value = result[index(half, x, y, z)];
          const Complex wanted = expected[index(n, x, y, z)];
          ASSERT_NEAR(value.x, wanted.real(), 1e-14 * std::sqrt(points(n)));
          ASSERT_NEAR(value.y, wanted.imag(), 1e-14 * std::sqrt(points(n)));
        }
      }
    }
    fourier.inverse(out.device_data(), in.device_data(), stream);
    in.copy_to(values, stream);
    stream.wait();
    for (std::size_t i = 0; i < f.size(); ++i) {
      ASSERT_NEAR(values[i] / static_cast<double>(points(n)), f[i].real(), 1e-14) << i;
    }
  }
}

TEST_F(Fourier, SinglePrecisionTransformsSeveralArraysAtOnce) {
  const Stream stream(device());
  constexpr int arrays = 3;
  for (const FourierSize n : sizes) {
    const FourierSize half{n[0] / 2 + 1, n[1], n[2]};
    const auto f = random_values({n[0], n[1], arrays * n[2]});
    std::vector<float> values;
    for (const Complex& each : f) values.push_back(static_cast<float>(each.real()));
    const SingleFourier fourier(device(), n, arrays);
    DeviceBuffer<float> in(stream, f.size());
    DeviceBuffer<float2> out(stream, arrays * points(half));
    in.copy_from(values, stream);
    fourier.forward(in.device_data(), out.device_data(), stream);
    std::vector<float2> result(out.size());
    out.copy_to(result, stream);
    stream.wait();
    for (std::size_t array = 0; array < arrays; ++array) {
      const auto begin = f.begin() + static_cast<std::ptrdiff_t>(array * points(n));
      const auto expected = naive_transform({begin, begin + static_cast<std::ptrdiff_t>(points(n))}, n);
      for (int z = 0; z < half[2]; ++z) {
        for (int y = 0; y < half[1]; ++y) {
          for (int x = 0; x < half[0]; ++x) {
            const float2 value = result[array * points(half) + index(half, x, y, z)];
            const Complex wanted = expected[index(n, x, y, z)];
            ASSERT_NEAR(value.x, wanted.real(), 3e-7 * std::sqrt(points(n)));
            ASSERT_NEAR(value.y, wanted.imag(), 3e-7 * std::sqrt(points(n)));
          }
        }
      }
    }
    fourier.inverse(out.device_data(), in.device_data(), stream);
    in.copy_to(values, stream);
    stream.wait();
    for (std::size_t i = 0; i < f.size(); ++i)
      ASSERT_NEAR(values[i] / static_cast<float>(points(n)), f[i].real(), 1e-6) << i;
  }
}

TEST_F(Fourier, ThereIsNoTransformOfNoPoints) {
  EXPECT_THROW(RealFourier(device(), {4, 0, 4}), Error);
  EXPECT_THROW(RealFourier(device(), {4, -1, 4}), Error);
}

}  // namespace
}  // namespace isolume::gpu

#include "gpu/runtime/matrix_product.h"

#include <cmath>
#include <random>

#include "gpu/runtime/buffer.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

class MatrixProducts : public RuntimeTest {};

std::vector<float> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> any(-1, 1);
  std::vector<float> values(count);
  for (auto& value : values) value = any(random);
  return values;
}

TEST_F(MatrixProducts, AreThoseOfNaiveDoubleSums) {
  const Stream stream(device());
  const MatrixProduct product(device());
  for (const auto [rows, columns, inner] : {std::array{1, 1, 1}, {3, 5, 7}, {64, 64, 64}, {33, 17, 129}}) {
    const auto size = [](int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); };
    const auto a = random_values(size(rows, inner), 1);
    const auto b = random_values(size(inner, columns), 2);
    DeviceBuffer<float> on_device_a(stream, a.size());
    DeviceBuffer<float> on_device_b(stream, b.size());
    DeviceBuffer<float> on_device_c(stream, size(rows, columns));
    on_device_a.copy_from(a, stream);
    on_device_b.copy_from(b, stream);
    product.multiply(rows, columns, inner, on_device_a.device_data(), on_device_b.device_data(),
                     on_device_c.device_data(), stream);
    std::vector<float> c(on_device_c.size());
    on_device_c.copy_to(c, stream);
    stream.wait();
    for (int j = 0; j < columns; ++j) {
      for (int i = 0; i < rows; ++i) {
        double expected = 0;
        for (int k = 0; k < inner; ++k) {
          expected += static_cast<double>(a[size(rows, k) + static_cast<std::size_t>(i)]) *
                      b[size(inner, j) + static_cast<std::size_t>(k)];
        }
        // Each of the sums of `inner` products of numbers below 1 is rounded at most that often.
        ASSERT_NEAR(c[size(rows, j) + static_cast<std::size_t>(i)], expected, inner * 6e-8 * std::sqrt(inner))
            << rows << " x " << columns << " x " << inner << ": " << i << ", " << j;
      }
    }
  }
}

}  // namespace
}  // namespace isolume::gpu

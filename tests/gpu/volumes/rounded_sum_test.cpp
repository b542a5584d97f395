#include "gpu/volumes/rounded_sum.h"

#include <array>
#include <random>
#include <vector>

#include "core/anatomy/rounded.h"
#include "gpu/runtime/memory/buffer.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu::volume_kernels {
namespace {

class RoundedSums : public RuntimeTest {};

/// Products of values and these weights are exact, so that the host may compute them in any way.
TEST_F(RoundedSums, AreTheHostsBitsInAnyOrder) {
  constexpr std::size_t count = 1000;
  constexpr std::array weights{0.25, 0.375, 0.125, 0.25};
  constexpr double greatest = 3;
  const anatomy::Rounded term(greatest), square(greatest * greatest);
  std::mt19937 random(3);
  std::uniform_real_distribution<float> any(-3, 3);
  std::vector<std::vector<float>> images(weights.size(), std::vector<float>(count));
  std::vector<double> expected(2 * count);
  for (std::size_t k = 0; k < images.size(); ++k) {
    for (std::size_t i = 0; i < count; ++i) {
      images[k][i] = any(random);
      const auto value = static_cast<double>(images[k][i]);
      expected[i] += term(weights[k] * value);
      expected[count + i] += square(weights[k] * value * value);
    }
  }
  const Stream stream(device());
  for (const std::array<std::size_t, 4>& order :
       {std::array<std::size_t, 4>{0, 1, 2, 3}, {3, 1, 0, 2}, {2, 3, 1, 0}}) {
    const auto sums = device_copy(std::vector<double>(2 * count), stream);
    for (const std::size_t k : order) {
      const auto image = device_copy(images[k], stream);
      add_rounded(image.device_data(), weights[k], {.value = term.shift(), .square = square.shift()}, count,
                  sums.device_data(), sums.device_data() + count, stream);
      stream.wait();
    }
    std::vector<double> found(2 * count);
    sums.copy_to(found, stream);
    stream.wait();
    EXPECT_EQ(found, expected);
  }
}

TEST_F(RoundedSums, LeaveOutSquares) {
  const Stream stream(device());
  const auto image = device_copy(std::vector<float>{1, -2}, stream);
  const auto sums = device_copy(std::vector<double>{0.5, 0.5}, stream);
  add_rounded(image.device_data(), 0.5, {.value = anatomy::Rounded(2).shift(), .square = 0}, 2,
              sums.device_data(), nullptr, stream);
  std::vector<double> found(2);
  sums.copy_to(found, stream);
  stream.wait();
  EXPECT_EQ(found, (std::vector<double>{1, -0.5}));
}

}  // namespace
}  // namespace isolume::gpu::volume_kernels

#include <algorithm>
#include <numeric>
#include <random>

#include "gpu/runtime/memory/buffer.h"
#include "tests/gpu/runtime/kernels.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

class BlockReduction : public RuntimeTest {};

TEST_F(BlockReduction, CombinesTheValuesOfAllThreads) {
  constexpr std::size_t blocks = 5, threads = 64;
  std::vector<float> values(blocks * threads);
  std::iota(values.begin(), values.end(), -100.0f);  // whole numbers: sums are exact in any order
  std::ranges::shuffle(values, std::mt19937(5));
  const Stream stream(device());
  const auto in = device_copy(values, stream);
  DeviceBuffer<test::Reduced> out(stream, blocks);
  test::reduce(in.device_data(), out.device_data(), blocks, stream);
  std::vector<test::Reduced> reduced(blocks);
  out.copy_to(reduced, stream);
  stream.wait();
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto own = std::span(values).subspan(block * threads, threads);
    const auto [low, high] = std::ranges::minmax(own);
    EXPECT_EQ(reduced[block].low, low);
    EXPECT_EQ(reduced[block].high, high);
    EXPECT_EQ(reduced[block].sum, std::accumulate(own.begin(), own.end(), 0.0));
  }
}

}  // namespace
}  // namespace isolume::gpu

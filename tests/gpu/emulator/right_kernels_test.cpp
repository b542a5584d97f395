#include "tests/gpu/emulator/right_kernels.h"

#include <algorithm>
#include <numeric>

#include "tests/gpu/emulator/emulator_test.h"

namespace isolume::gpu::emulator {
namespace {

using RightKernels = EmulatorTest;

/// Whole numbers, so that sums are exact in any order.
std::vector<float> small_numbers(int count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i)] = static_cast<float>(i * 7919 % 101 - 50);
  return values;
}

TEST_F(RightKernels, AddVectorsOfAnySize) {
  for (const int count : {1, 31, 256, 1000, 10'007}) {
    const auto a = small_numbers(count);
    const OnDevice<float> on_device(a);
    const OnDevice<float> sum(a.size());
    ASSERT_EQ(run(add, dim3((static_cast<unsigned>(count) + 127) / 128), dim3(128), 0, on_device.data(),
                  on_device.data(), sum.data(), count),
              "");
    const auto result = sum.values();
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(result[i], 2 * a[i]) << i;
  }
}

TEST_F(RightKernels, SumByShufflesAndSharedMemory) {
  const auto values = small_numbers(1000);
  const OnDevice<float> on_device(values);
  const OnDevice<float> sums(4);
  ASSERT_EQ(run(sum_blocks, dim3(4), dim3(256), 0, on_device.data(), 1000, sums.data()), "");
  const auto result = sums.values();
  EXPECT_EQ(std::accumulate(result.begin(), result.end(), 0.0f),
            std::accumulate(values.begin(), values.end(), 0.0f));
}

TEST_F(RightKernels, ScanABlock) {
  for (const unsigned threads : {1U, 33U, 100U, 1024U}) {
    std::vector<int> values(threads);
    for (unsigned i = 0; i < threads; ++i) values[i] = static_cast<int>(i * i % 17);
    const OnDevice<int> on_device(values);
    const OnDevice<int> sums(values.size());
    ASSERT_EQ(run(scan_block, dim3(1), dim3(threads), 0, on_device.data(), sums.data()), "");
    std::vector<int> expected(threads);
    std::partial_sum(values.begin(), values.end(), expected.begin());
    EXPECT_EQ(sums.values(), expected);
  }
}

TEST_F(RightKernels, CountByAtomicsInSharedAndGlobalMemory) {
  std::vector<unsigned char> values(5000);
  std::vector<unsigned> expected(256);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<unsigned char>(i * i % 251);
    ++expected[values[i]];
  }
  const OnDevice<unsigned char> on_device(values);
  const OnDevice<unsigned> bins(std::vector<unsigned>(256, 0U));
  ASSERT_EQ(run(histogram, dim3(20), dim3(256), 0, on_device.data(), 5000, bins.data()), "");
  EXPECT_EQ(bins.values(), expected);
}

TEST_F(RightKernels, TransposeThroughStaticAndDynamicSharedMemory) {
  constexpr int width = 70;
  constexpr int height = 45;
  const auto values = small_numbers(width * height);
  const OnDevice<float> in(values);
  const std::size_t dynamic_bytes = sizeof(float) * tile * (tile + 1);
  for (const bool dynamic : {false, true}) {
    const OnDevice<float> out(values.size());
    ASSERT_EQ(run(dynamic ? transpose_dynamic : transpose_static, dim3(3, 2), dim3(tile, tile),
                  dynamic ? dynamic_bytes : 0, in.data(), out.data(), width, height),
              "");
    const auto result = out.values();
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        ASSERT_EQ(result[static_cast<std::size_t>(x * height + y)],
                  values[static_cast<std::size_t>(y * width + x)]);
      }
    }
  }
}

TEST_F(RightKernels, KnowTheirIndicesInThreeDimensions) {
  const int3 size = make_int3(7, 5, 9);
  const OnDevice<int3> out(7 * 5 * 9);
  ASSERT_EQ(run(write_indices, dim3(2, 3, 3), dim3(4, 2, 4), 0, out.data(), size), "");
  const auto result = out.values();
  for (int i = 0; i < 7 * 5 * 9; ++i) {
    const int3 index = result[static_cast<std::size_t>(i)];
    EXPECT_EQ((index.z * 5 + index.y) * 7 + index.x, i);
  }
}

TEST_F(RightKernels, VoteMatchShuffleAndReduceInAWarp) {
  const OnDevice<WarpResults> results(32);
  ASSERT_EQ(run(warp_operations, dim3(1), dim3(32), 0, results.data(), 0xffffffffU), "");
  const auto all = results.values();
  for (int lane = 0; lane < 32; ++lane) {
    const WarpResults& r = all[static_cast<std::size_t>(lane)];
    EXPECT_EQ(r.ballot, 0x49249249U);  // bits 0, 3, 6 ... 30
    EXPECT_EQ(r.match, 0xfU << lane / 4 * 4);
    EXPECT_EQ(r.any, 1);
    EXPECT_EQ(r.all, 0);
    EXPECT_EQ(r.up, lane < 4 ? lane * 10 : lane * 10 - 40);
    EXPECT_EQ(r.down, lane > 27 ? lane * 10 : lane * 10 + 40);
    EXPECT_EQ(r.exchanged, (lane ^ 4) * 10);
    EXPECT_EQ(r.from_first_of_eight, lane / 8 * 80);
    EXPECT_EQ(r.sum, 496);
    EXPECT_EQ(r.smallest, -31);
  }
}

TEST_F(RightKernels, PartsOfAWarpWorkTogether) {
  const OnDevice<WarpResults> results(32);
  ASSERT_EQ(run(warp_operations, dim3(1), dim3(32), 0, results.data(), 0x0000ff00U), "");
  std::vector<WarpResults> all(8);
  ASSERT_EQ(cudaMemcpy(all.data(), results.data() + 8, 8 * sizeof(WarpResults), cudaMemcpyDeviceToHost),
            cudaSuccess);
  for (const WarpResults& r : all) {
    EXPECT_EQ(r.ballot, 0x9200U);  // lanes 9, 12 and 15
    EXPECT_EQ(r.sum, 92);          // 8 + ... + 15
    EXPECT_EQ(r.from_first_of_eight, 80);
  }
  EXPECT_EQ(all[0].up, -1) << "poison: lane 4 takes no part";
  EXPECT_EQ(all[4].up, 80);
}

TEST_F(RightKernels, VoteInABlock) {
  std::vector<int> votes(70, 1);
  votes[3] = votes[69] = 0;
  const OnDevice<int> on_device(votes);
  const OnDevice<int> results(3);
  ASSERT_EQ(run(count_votes, dim3(1), dim3(70), 0, on_device.data(), results.data()), "");
  EXPECT_EQ(results.values(), (std::vector<int>{68, 0, 1}));
}

TEST_F(RightKernels, HandValuesOnWithinWarps) {
  std::vector<int> values(128);
  std::iota(values.begin(), values.end(), 0);
  const OnDevice<int> in(values);
  const OnDevice<int> out(128);
  ASSERT_EQ(run(rotate_in_warps, dim3(1), dim3(128), 0, in.data(), out.data()), "");
  const auto result = out.values();
  for (int i = 0; i < 128; ++i) EXPECT_EQ(result[static_cast<std::size_t>(i)], i / 32 * 32 + (i + 3) % 32);
}

TEST_F(RightKernels, ReadAndWriteInTurnsWithinWarps) {
  std::vector<int> values(32);
  std::iota(values.begin(), values.end(), 0);
  const OnDevice<int> in(values);
  const OnDevice<int> out(32);
  ASSERT_EQ(run(add_in_turns, dim3(1), dim3(32), 0, in.data(), out.data()), "");
  EXPECT_EQ(out.values(), std::vector<int>(32, 31 * 32 / 2));
}

TEST_F(RightKernels, ReplaceBytesWhoseReadingIsOver) {
  const OnDevice<unsigned char> out(3);
  ASSERT_EQ(run(replace_byte_after_read, dim3(1), dim3(32), 0, out.data()), "");
  EXPECT_EQ(out.values(), (std::vector<unsigned char>{3, 4, 5}));
}

TEST_F(RightKernels, ConstantMemoryIsEachDevicesOwn) {
  const float of_first[4] = {1, 2, 0, 0};
  const float of_second[4] = {5, 0, 3, 0};
  cudaSetDevice(0);
  set_polynomial(of_first);
  cudaSetDevice(1);
  set_polynomial(of_second);
  for (const int device : {0, 1}) {
    cudaSetDevice(device);
    const OnDevice<float> x(std::vector<float>{0, 1, 10});
    const OnDevice<float> y(3);
    ASSERT_EQ(run(evaluate_polynomial, dim3(1), dim3(32), 0, x.data(), y.data(), 3), "");
    EXPECT_EQ(y.values(), device == 0 ? (std::vector<float>{1, 3, 21}) : (std::vector<float>{5, 8, 305}));
  }
}

TEST_F(RightKernels, EveryThreadHasItsOwnArguments) {
  ManyValues values{};
  for (int i = 0; i < 32; ++i) values.values[i] = i;
  const OnDevice<double> out(64);
  ASSERT_EQ(run(sum_argument, dim3(1), dim3(64), 0, values, out.data()), "");
  const auto result = out.values();
  for (int i = 0; i < 64; ++i) EXPECT_EQ(result[static_cast<std::size_t>(i)], 496 - i % 32);
}

TEST_F(RightKernels, MillionsOfAccessesAreChecked) {
  const OnDevice<float> values(std::vector<float>(256, 1.0f));
  const OnDevice<float> out(20 * 256);
  ASSERT_EQ(run(read_often, dim3(20), dim3(256), 0, values.data(), out.data(), 1000), "");  // 1e7 accesses
  for (const float sum : out.values()) ASSERT_EQ(sum, 2000.0f);
}

TEST_F(RightKernels, DynamicSharedMemoryBeyond48KiBIsAskedFor) {
  const OnDevice<float> in(std::vector<float>(32 * 32, 1.0f));
  const OnDevice<float> out(32 * 32);
  const auto launch = [&] {
    return run(transpose_dynamic, dim3(1), dim3(32, 32), 100'000, in.data(), out.data(), 32, 32);
  };
  EXPECT_TRUE(says(launch(), {"100000 bytes of dynamic shared memory", "cudaFuncSetAttribute"}));
  ASSERT_EQ(cudaFuncSetAttribute(transpose_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100'000),
            cudaSuccess);
  EXPECT_EQ(launch(), "");
  EXPECT_NE(cudaFuncSetAttribute(transpose_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 300'000),
            cudaSuccess);
}

}  // namespace
}  // namespace isolume::gpu::emulator

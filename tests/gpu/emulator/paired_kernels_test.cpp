#include "tests/gpu/emulator/paired_kernels.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/gpu/emulator/emulator_test.h"

namespace isolume::gpu::emulator {
namespace {

/// Of the checks that need the hooks.
class PairedKernels : public EmulatorTest {
 protected:
  void SetUp() override {
    if (!checks_accesses()) GTEST_SKIP() << "This build has no hooks at the kernels' accesses to memory.";
    EmulatorTest::SetUp();
  }
};
using Alignment = PairedKernels;
using SharedMemory = PairedKernels;
using LaunchBounds = EmulatorTest;
using Conflicts = PairedKernels;
using Orders = PairedKernels;

TEST_F(Alignment, VectorsAreReadFromMultiplesOfTheirSize) {
  const OnDevice<float> in(std::vector<float>(64, 3.0f));
  {
    const OnDevice<float4> out(8);
    EXPECT_EQ(run(read_vectors, dim3(1), dim3(8), 0, in.data(), out.data(), 4), "");
    EXPECT_EQ(out.values().back().w, 3.0f);
    EXPECT_EQ(run(read_pairs, dim3(1), dim3(8), 0, in.data(), reinterpret_cast<float*>(out.data()), 2), "");
  }
  const OnDevice<float4> out(8);
  EXPECT_TRUE(says(run(read_vectors, dim3(1), dim3(8), 0, in.data(), out.data(), 2),
                   {"misaligned address", "read_vectors", "thread (0,0,0)", "paired_kernels.cu:", "float4",
                    "a multiple of 16"}));
}

TEST_F(Alignment, PairsAreReadFromMultiplesOfTheirSize) {
  const OnDevice<float> in(std::vector<float>(64, 3.0f));
  const OnDevice<float> out(8);
  EXPECT_TRUE(says(run(read_pairs, dim3(1), dim3(8), 0, in.data(), out.data(), 1),
                   {"misaligned address", "float2", "a multiple of 8"}));
}

TEST_F(Alignment, VectorsAreWrittenToMultiplesOfTheirSize) {
  const OnDevice<float4> in(std::vector<float4>(8, make_float4(1, 2, 3, 4)));
  const OnDevice<float> out(64);
  EXPECT_EQ(run(write_vectors, dim3(1), dim3(8), 0, in.data(), out.data(), 8), "");
  EXPECT_TRUE(says(run(write_vectors, dim3(1), dim3(8), 0, in.data(), out.data(), 9),
                   {"misaligned address", "float4", "a multiple of 16"}));
}

TEST_F(LaunchBounds, AreKeptByTheLaunch) {
#if !defined(__GNUC__) || defined(__clang__)
  GTEST_SKIP() << "Only g++ builds know the bounds.";
#endif
  const OnDevice<float> out(256);
  const auto of = [&](void (*kernel)(float*), unsigned threads) {
    return run(kernel, dim3(1), dim3(threads), 0, out.data());
  };
  EXPECT_EQ(of(write_bounded, 64), "");
  EXPECT_TRUE(says(of(write_bounded, 65), {"too many resources", "65 threads", "write_bounded", "up to 64"}));
  EXPECT_EQ(of(write_bounded_by<1>, 32), "");
  EXPECT_TRUE(says(of(write_bounded_by<1>, 64), {"64 threads", "up to 32"}));
  EXPECT_EQ(of(write_bounded_by<4>, 128), "");
  EXPECT_TRUE(says(of(write_bounded_by<4>, 256), {"256 threads", "up to 128"}));
  cudaFuncAttributes attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, write_bounded_by<4>), cudaSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 128);
}

TEST_F(SharedMemory, StaticAndDynamicHaveOneLimit) {
  const OnDevice<float> out(64);
  EXPECT_EQ(run(use_static_and_dynamic, dim3(1), dim3(64), 9'000, out.data()), "");
  EXPECT_EQ(out.values(), std::vector<float>(64, 3.0f));
  EXPECT_TRUE(says(run(use_static_and_dynamic, dim3(1), dim3(64), 9'200, out.data()),
                   {"invalid argument", "40000 bytes of static and 9200 of dynamic shared memory", "49152",
                    "cudaFuncSetAttribute"}));
}

TEST_F(SharedMemory, MoreCanBeAskedFor) {
  const OnDevice<float> out(64);
  ASSERT_EQ(cudaFuncSetAttribute(use_static_and_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 60'000),
            cudaSuccess);
  EXPECT_EQ(run(use_static_and_dynamic, dim3(1), dim3(64), 60'000, out.data()), "");
  EXPECT_TRUE(
      says(run(use_static_and_dynamic, dim3(1), dim3(64), 60'001, out.data()), {"which was requested"}));
}

TEST_F(Conflicts, TwoBlocksThatWriteOneWord) {
  const OnDevice<int> word(std::vector<int>{0});
  EXPECT_EQ(run(write_one_word<Fault::none>, dim3(8), dim3(1), 0, word.data()), "");
  EXPECT_TRUE(says(run(write_one_word<Fault::present>, dim3(8), dim3(1), 0, word.data()),
                   {"write_one_word", "writes 4 bytes", "thread (0,0,0) has written in the same launch",
                    "a conflict of blocks", "byte 0 of allocation"}));
}

TEST_F(Conflicts, OneBlockIsNone) {
  const OnDevice<int> word(std::vector<int>{0});
  EXPECT_EQ(run(write_one_word<Fault::present>, dim3(1), dim3(1), 0, word.data()), "");
  EXPECT_EQ(run(write_one_word<Fault::present>, dim3(1), dim3(1), 0, word.data()), "")
      << "a launch lies between";
}

TEST_F(Conflicts, AReadOfWhatAnotherBlockWrites) {
  std::vector<int> ones(8);
  std::iota(ones.begin(), ones.end(), 0);
  const OnDevice<int> before(ones);
  {
    const OnDevice<int> numbers(8);
    const OnDevice<int> sums(8);
    EXPECT_EQ(run(read_from_block_before<Fault::none>, dim3(8), dim3(1), 0, before.data(), numbers.data(),
                  sums.data()),
              "");
    EXPECT_EQ(sums.values(), ones);
  }
  const OnDevice<int> numbers(std::vector<int>(8, 0));
  const OnDevice<int> sums(8);
  EXPECT_TRUE(says(run(read_from_block_before<Fault::present>, dim3(8), dim3(1), 0, before.data(),
                       numbers.data(), sums.data()),
                   {"a conflict of blocks"}));
}

TEST_F(Conflicts, NoneBetweenBytesOfOneWord) {
  const OnDevice<unsigned char> bytes(64);
  EXPECT_EQ(run(write_own_bytes, dim3(64), dim3(1), 0, bytes.data()), "");
  for (int i = 0; i < 64; ++i) EXPECT_EQ(bytes.values()[static_cast<std::size_t>(i)], i);
}

TEST_F(Conflicts, APlainReadBesideOtherBlocksAtomics) {
  const OnDevice<int> counter(std::vector<int>{0});
  const OnDevice<int> seen(8);
  EXPECT_EQ(run(look_at_counter<Fault::none>, dim3(8), dim3(1), 0, counter.data(), seen.data()), "");
  EXPECT_TRUE(says(run(look_at_counter<Fault::present>, dim3(8), dim3(1), 0, counter.data(), seen.data()),
                   {"a conflict of blocks"}));
}

TEST_F(Conflicts, TheLastBlockNeedsFencesBarrierAndAtomics) {
  const auto sum_by = [](auto kernel, int* sum) {
    const OnDevice<int> values(8 * 64);
    const OnDevice<int> counter(std::vector<int>{0});
    const OnDevice<int> result(1);
    const std::string text = run(kernel, dim3(8), dim3(64), 0, values.data(), counter.data(), result.data());
    if (text.empty() && sum != nullptr) *sum = result.values().front();
    return text;
  };
  for (unsigned seed = 1; seed <= 20; ++seed) {
    set_devices("1x", {.block_seed = seed});
    int sum = 0;
    EXPECT_EQ(sum_by(sum_by_last_block<LastBlock::right>, &sum), "");
    EXPECT_EQ(sum, 512 * 511 / 2);
    for (const auto wrong :
         {sum_by_last_block<LastBlock::no_fence_before>, sum_by_last_block<LastBlock::no_fence_after>,
          sum_by_last_block<LastBlock::no_barrier>, sum_by_last_block<LastBlock::plain_counter>}) {
      EXPECT_TRUE(says(sum_by(wrong, nullptr), {"a conflict of blocks"})) << "seed " << seed;
      cudaDeviceReset();
      cudaGetLastError();
    }
  }
}

TEST_F(Conflicts, AFlagNeedsAFenceOnEitherSide) {
  constexpr int blocks = 3;
  constexpr int threads = 32;
  const auto run_with = [&](auto kernel) {
    const OnDevice<int> flag(std::vector<int>{0});
    const OnDevice<int> plain_flag(std::vector<int>{0});
    const OnDevice<int> values(std::vector<int>(threads + 1, 0));
    const OnDevice<int> out(std::vector<int>(blocks * threads, 0));
    std::string text = run(kernel, dim3(blocks), dim3(threads), 0, flag.data(), plain_flag.data(),
                           values.data(), out.data());
    if (text.empty()) {
      EXPECT_EQ(out.values().back(), threads);
    }
    return text;
  };
  for (unsigned seed = 1; seed <= 20; ++seed) {
    set_devices("1x", {.block_seed = seed});
    EXPECT_EQ(run_with(hand_over<HandOver::right>), "") << "seed " << seed;
    for (const auto wrong : {hand_over<HandOver::no_fence_at_writer>, hand_over<HandOver::no_fence_at_reader>,
                             hand_over<HandOver::plain_flag>}) {
      EXPECT_TRUE(says(run_with(wrong), {"a conflict of blocks"})) << "seed " << seed;
      cudaDeviceReset();
      cudaGetLastError();
    }
  }
}

TEST_F(Conflicts, ABlockThatIsNotRunningIsWaitedForInVain) {
  const OnDevice<int> flag(std::vector<int>{0});
  for (unsigned seed = 1; seed <= 3; ++seed) {
    set_devices("1x", {.block_seed = seed});
    const OnDevice<int> of_few(std::vector<int>{0});
    EXPECT_EQ(run(wait_for_last_block, dim3(4), dim3(1), 0, of_few.data()), "");
  }
  const OnDevice<int> of_many(std::vector<int>{0});
  EXPECT_TRUE(says(run(wait_for_last_block, dim3(1000), dim3(1), 0, of_many.data()),
                   {"seems to wait for a block that is not running"}));
}

TEST_F(Conflicts, AreNotLookedForWhereThatIsSwitchedOff) {
  set_devices("1x", {.conflicts = false});
  const OnDevice<int> word(std::vector<int>{0});
  EXPECT_EQ(run(write_one_word<Fault::present>, dim3(8), dim3(1), 0, word.data()), "");
}

std::vector<int> tickets_of(int blocks, int each, Options options) {
  set_devices("1x", options);
  const OnDevice<int> counter(std::vector<int>{0});
  const OnDevice<int> out(static_cast<std::size_t>(blocks * each));
  EXPECT_EQ(
      run(take_tickets, dim3(static_cast<unsigned>(blocks)), dim3(1), 0, counter.data(), out.data(), each),
      "");
  return out.values();
}

TEST_F(Orders, OneAfterAnother) {
  std::vector<int> expected(60);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(tickets_of(20, 3, {.blocks = BlockOrder::in_order}), expected);
}

TEST_F(Orders, ShuffledBlocksAreWholeAndAllThere) {
  std::set<std::vector<int>> seen;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto tickets = tickets_of(20, 3, {.blocks = BlockOrder::shuffled, .block_seed = seed});
    for (std::size_t block = 0; block < 20; ++block) {
      EXPECT_EQ(tickets[3 * block] % 3, 0);
      EXPECT_EQ(tickets[3 * block + 1], tickets[3 * block] + 1);
      EXPECT_EQ(tickets[3 * block + 2], tickets[3 * block] + 2);
    }
    EXPECT_EQ(std::set<int>(tickets.begin(), tickets.end()).size(), 60U);
    EXPECT_FALSE(std::ranges::is_sorted(tickets));
    seen.insert(tickets);
  }
  EXPECT_GE(seen.size(), 5U) << "another order by another seed";
  EXPECT_EQ(tickets_of(20, 3, {.blocks = BlockOrder::shuffled, .block_seed = 7}),
            tickets_of(20, 3, {.blocks = BlockOrder::shuffled, .block_seed = 7}));
}

TEST_F(Orders, InterleavedBlocksRunAtTheSameTime) {
  const auto tickets = tickets_of(20, 30, {});
  int torn = 0;
  for (std::size_t block = 0; block < 20; ++block)
    torn += tickets[30 * block + 29] - tickets[30 * block] > 29 ? 1 : 0;
  EXPECT_GT(torn, 10) << "another block ran between a block's first ticket and its last";
  EXPECT_EQ(std::set<int>(tickets.begin(), tickets.end()).size(), 600U);
  EXPECT_EQ(tickets, tickets_of(20, 30, {})) << "the same order every time";
}

}  // namespace
}  // namespace isolume::gpu::emulator

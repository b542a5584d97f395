#include "gpu/runtime/memory/memory.h"

#include <cstdlib>
#include <numeric>
#include <optional>
#include <thread>

#include "gpu/runtime/memory/allocator.h"
#include "gpu/runtime/memory/buffer.h"
#include "tests/gpu/runtime/kernels.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

class Memory : public RuntimeTest {
 protected:
  void TearDown() override {
    unsetenv("ISOLUME_GPU_MEMORY_BUDGET");
    RuntimeTest::TearDown();
  }
  static void set_budget(const char* text) { setenv("ISOLUME_GPU_MEMORY_BUDGET", text, 1); }
};

TEST_F(Memory, DeviceMemoryBringsBackWhatWasPutIn) {
  const Stream stream(device());
  std::vector<float> values(1001);
  std::iota(values.begin(), values.end(), 0.5f);
  DeviceBuffer<float> in(stream, values.size());
  DeviceBuffer<float> out(stream, values.size());
  in.copy_from(values, stream);
  test::scale_and_shift(in.device_data(), out.device_data(), 1001, 2, 1, stream);
  std::vector<float> result(values.size());
  out.copy_to(result, stream);
  stream.wait();
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(result[i], 2 * values[i] + 1);
}

TEST_F(Memory, KernelsWriteMappedMemoryThatTheHostReads) {
  const Stream stream(device());
  MappedBuffer<float> mapped(stream, 77);
  test::fill(mapped.device_data(), 77, 3.25f, stream);
  stream.wait();
  for (const float value : mapped.host()) ASSERT_EQ(value, 3.25f);
}

TEST_F(Memory, PinnedMemoryIsCopiedFromAndTo) {
  const Stream stream(device());
  PinnedBuffer<int> from(stream, 500);
  PinnedBuffer<int> to(stream, 500);
  std::iota(from.host().begin(), from.host().end(), 7);
  DeviceBuffer<int> between(stream, 500);
  between.copy_from(from.host(), stream);
  between.copy_to(to.host(), stream);
  stream.wait();
  for (int i = 0; i < 500; ++i) ASSERT_EQ(to.host()[static_cast<std::size_t>(i)], i + 7);
}

TEST_F(Memory, ACopyLargerThanTheBufferIsAnError) {
  const Stream stream(device());
  DeviceBuffer<int> small(stream, 3);
  std::vector<int> four(4);
  EXPECT_THROW(small.copy_from(four, stream), Error);
  EXPECT_THROW(small.copy_to(four, stream), Error);
}

TEST_F(Memory, NoValuesNeedNoMemory) {
  const Stream stream(device());
  DeviceBuffer<int> none(stream, 0);
  EXPECT_EQ(none.device_data(), nullptr);
  none.copy_from({}, stream);
  stream.wait();
}

TEST_F(Memory, AMovedBufferIsGivenBackOnce) {
  const Stream stream(device());
  const auto used = [&] { return device().allocator().used_bytes(MemorySpace::device); };
  DeviceBuffer<double> a(stream, 100);
  const std::size_t one = used();
  DeviceBuffer<double> b(std::move(a));
  EXPECT_EQ(used(), one);
  DeviceBuffer<double> c(stream, 100);
  EXPECT_EQ(used(), 2 * one);
  b = std::move(c);
  c = {};
  EXPECT_EQ(used(), one);
  b = {};
  EXPECT_EQ(used(), 0U);
}

TEST_F(Memory, WhatWasGivenBackServesTheSameStreamAtOnce) {
  in_every_order([&] {
    const Stream stream(device());
    std::optional<DeviceBuffer<float>> first(std::in_place, stream, 1000);
    float* const address = first->device_data();
    test::fill(address, 1000, 1, stream);  // queued, perhaps not done
    first.reset();
    DeviceBuffer<float> second(stream, 990);
    EXPECT_EQ(second.device_data(), address);
    test::fill(second.device_data(), 990, 2, stream);
    std::vector<float> result(990);
    second.copy_to(result, stream);
    stream.wait();
    for (const float value : result) ASSERT_EQ(value, 2.0f);
  });
}

/// As after a cancel: the owner gives its memory back while another stream's work with it is still queued.
TEST_F(Memory, WhatAnotherStreamUsesIsNotUsedAnewBeforeThat) {
  in_every_order([&] {
    constexpr int count = 5000;
    const Stream owner(device());
    const Stream user(device());
    user.uses_memory_of(owner);
    std::optional<DeviceBuffer<float>> shared(std::in_place, owner, count);
    test::fill(shared->device_data(), count, 1, owner);
    owner.wait();
    const DeviceBuffer<float> read(user, count);
    test::scale_and_shift(shared->device_data(), read.device_data(), count, 1, 0, user);
    float* const address = shared->device_data();
    shared.reset();
    const DeviceBuffer<float> next(owner, count);
    ASSERT_EQ(next.device_data(), address);
    test::fill(next.device_data(), count, 2, owner);
    owner.wait();
    std::vector<float> result(count);
    read.copy_to(result, user);
    user.wait();
    for (const float value : result) ASSERT_EQ(value, 1.0f);
  });
}

TEST_F(Memory, BlocksOfVeryDifferentSizeAreNotWasted) {
  const Stream stream(device());
  { const DeviceBuffer<float> large(stream, 1 << 20); }
  const std::size_t kept = device().memory_used_bytes();
  const DeviceBuffer<float> small(stream, 100);
  EXPECT_GT(device().memory_used_bytes(), kept);
  EXPECT_LT(device().allocator().used_bytes(MemorySpace::device), 4096U);
}

TEST_F(Memory, OfTheKeptBlocksTheBestFitIsTaken) {
  const Stream stream(device());
  float* better = nullptr;
  {
    const DeviceBuffer<float> larger(stream, 12'000);
    const DeviceBuffer<float> large(stream, 11'000);
    better = large.device_data();
  }
  const DeviceBuffer<float> wanted(stream, 10'500);
  EXPECT_EQ(wanted.device_data(), better);
}

TEST_F(Memory, UsedBytesAreWhatIsReserved) {
  EXPECT_EQ(device().memory_used_bytes(), 0U);
  const Stream stream(device());
  {
    const DeviceBuffer<std::byte> block(stream, 1'000'000);
    EXPECT_GE(device().memory_used_bytes(), 1'000'000U);
    EXPECT_LE(device().memory_used_bytes(), 1'125'000U);
    const PinnedBuffer<std::byte> pinned(stream, 3'000'000);
    EXPECT_LE(device().memory_used_bytes(), 1'125'000U);
    EXPECT_GE(device().allocator().used_bytes(MemorySpace::pinned), 3'000'000U);
  }
  EXPECT_GE(device().memory_used_bytes(), 1'000'000U);  // kept
  EXPECT_EQ(device().allocator().used_bytes(MemorySpace::device), 0U);
}

TEST_F(Memory, TheBudgetShrinksWithWhatIsInUse) {
  const std::size_t all = device().memory_budget_bytes();
  EXPECT_GT(all, 0U);
  EXPECT_LE(all, device().memory_bytes());
  const Stream stream(device());
  std::optional<DeviceBuffer<std::byte>> block(std::in_place, stream, 1 << 20);
  EXPECT_LE(device().memory_budget_bytes(), all - (1 << 20));
  block.reset();
  EXPECT_EQ(device().memory_budget_bytes(), all);
}

TEST_F(Memory, WhatDoesNotFitTheBudgetIsRefusedWithNumbers) {
  set_budget("1MiB");
  const Stream stream(device());
  EXPECT_EQ(device().memory_budget_bytes(), std::size_t{1} << 20);
  const DeviceBuffer<std::byte> most(stream, 700'000);
  try {
    const DeviceBuffer<std::byte> more(stream, 600 << 10);
    FAIL() << "It was granted.";
  } catch (const ResourceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(device().name()), std::string::npos) << text;
    EXPECT_NE(text.find("600 KiB"), std::string::npos) << text;
    EXPECT_NE(text.find("budget 1 MiB"), std::string::npos) << text;
    EXPECT_NE(text.find("ISOLUME_GPU_MEMORY_BUDGET"), std::string::npos) << text;
  }
  const DeviceBuffer<std::byte> fits(stream, 300'000);
}

TEST_F(Memory, KeptBlocksGiveWayBeforeTheBudgetRefuses) {
  set_budget("1MiB");
  const Stream stream(device());
  { const DeviceBuffer<std::byte> half(stream, 512 << 10); }
  { const DeviceBuffer<std::byte> third(stream, 300 << 10); }
  const DeviceBuffer<std::byte> nearly_all(stream, 1000 << 10);
  EXPECT_LE(device().memory_used_bytes(), std::size_t{1} << 20);
}

TEST_F(Memory, ABudgetThatIsNoSizeIsAnError) {
  set_budget("plenty");
  try {
    const Stream stream(device());
    FAIL() << "It was taken.";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("\"plenty\""), std::string::npos) << error.what();
  }
}

TEST_F(Memory, StreamsMayGoBeforeTheirBuffers) {
  in_every_order([&] {
    std::optional<Stream> stream(std::in_place, device());
    DeviceBuffer<float> in_use(*stream, 3000);
    std::optional<DeviceBuffer<float>> given_back_before(std::in_place, *stream, 3000);
    std::optional<DeviceBuffer<float>> given_back_after(std::in_place, *stream, 3000);
    test::fill(in_use.device_data(), 3000, 1, *stream);
    test::fill(given_back_before->device_data(), 3000, 1, *stream);
    test::fill(given_back_after->device_data(), 3000, 1, *stream);
    given_back_before.reset();
    stream.reset();
    given_back_after.reset();

    const Stream other(device());
    DeviceBuffer<float> one(other, 3000);
    DeviceBuffer<float> two(other, 3000);
    EXPECT_NE(one.device_data(), in_use.device_data());
    EXPECT_NE(two.device_data(), in_use.device_data());
    test::fill(one.device_data(), 3000, 2, other);
    test::fill(two.device_data(), 3000, 3, other);
    std::vector<float> a(3000);
    std::vector<float> b(3000);
    one.copy_to(a, other);
    two.copy_to(b, other);
    other.wait();
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i], 2.0f);
      ASSERT_EQ(b[i], 3.0f);
    }
  });
}

TEST_F(Memory, ManyThreadsTakeAndGiveBack) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Stream stream(device());
      for (int round = 0; round < 20; ++round) {
        const int count = 500 + 37 * ((round * 7 + t) % 11);
        DeviceBuffer<float> values(stream, static_cast<std::size_t>(count));
        test::fill(values.device_data(), count, static_cast<float>(t * 100 + round), stream);
        std::vector<float> result(static_cast<std::size_t>(count));
        values.copy_to(result, stream);
        stream.wait();
        for (const float value : result) ASSERT_EQ(value, static_cast<float>(t * 100 + round));
      }
    });
  }
}

TEST(MemoryBudget, IsFourFifthsOfWhatIsFreeOrWhatIsAskedFor) {
  EXPECT_EQ(memory_budget(1000), 800U);
  setenv("ISOLUME_GPU_MEMORY_BUDGET", "900", 1);
  EXPECT_EQ(memory_budget(1000), 900U);
  EXPECT_EQ(memory_budget(500), 500U);
  unsetenv("ISOLUME_GPU_MEMORY_BUDGET");
}

#ifdef ISOLUME_GPU_EMULATED

TEST_F(Memory, AnotherStreamWaitsUntilTheWorkBeforeIsDone) {
  emulate("sm90 64MiB", emulator::StreamOrder::delayed);
  const Stream one(device());
  const Stream other(device());
  std::optional<DeviceBuffer<float>> first(std::in_place, one, 1000);
  float* const address = first->device_data();
  for (int i = 0; i < 100; ++i) test::fill(address, 1000, 1, one);  // not done before somebody waits
  first.reset();
  {
    const DeviceBuffer<float> meanwhile(other, 1000);
    EXPECT_NE(meanwhile.device_data(), address);
  }
  one.wait();
  const DeviceBuffer<float> a(other, 1000);
  const DeviceBuffer<float> b(other, 1000);
  EXPECT_TRUE(a.device_data() == address || b.device_data() == address);
}

TEST_F(Memory, PinnedMemoryIsNotTakenAgainWhileItTravels) {
  emulate("sm90 64MiB", emulator::StreamOrder::delayed);
  const Stream stream(device());
  DeviceBuffer<int> on_device(stream, 1000);
  std::optional<PinnedBuffer<int>> first(std::in_place, stream, 1000);
  const int* const address = first->host().data();
  std::ranges::fill(first->host(), 1);
  for (int i = 0; i < 100; ++i) on_device.copy_from(first->host(), stream);
  first.reset();
  {
    const PinnedBuffer<int> meanwhile(stream, 1000);
    EXPECT_NE(meanwhile.host().data(), address);
  }
  stream.wait();
  const PinnedBuffer<int> a(stream, 1000);
  const PinnedBuffer<int> b(stream, 1000);
  EXPECT_TRUE(a.host().data() == address || b.host().data() == address);
}

TEST_F(Memory, WhenTheDriverHasNoMoreKeptBlocksGiveWay) {
  emulate("sm90 64MiB oom@3");
  const Stream stream(device());
  { const DeviceBuffer<std::byte> a(stream, 100'000); }
  { const DeviceBuffer<std::byte> b(stream, 200'000); }
  const DeviceBuffer<std::byte> c(stream, 400'000);  // refused at first
  EXPECT_LT(device().memory_used_bytes(), 500'000U);
}

TEST_F(Memory, WhenTheDriverHasNoMoreAtAllItIsAResourceError) {
  emulate("sm90 64MiB");
  set_budget("64MiB");
  const GpuDevice same(device().description());  // as another program: a budget of its own on the same device
  const Stream stream(device());
  const Stream stream_of_other(same);
  const DeviceBuffer<std::byte> most(stream, 60 << 20);
  EXPECT_THROW(DeviceBuffer<std::byte>(stream_of_other, 10 << 20), ResourceError);
  const DeviceBuffer<std::byte> fits(stream_of_other, 1 << 20);
}

TEST_F(Memory, AHangingStreamKeepsItsBlocksAndNobodyWaits) {
  expect_given_up();
  emulate("sm90 64MiB hangs@1");
  set_budget("4MiB");
  const Stream hanging(device());
  std::optional<DeviceBuffer<float>> in_its_hands(std::in_place, hanging, 1000);
  const float* const address = in_its_hands->device_data();
  test::fill(in_its_hands->device_data(), 1000, 1, hanging);
  in_its_hands.reset();

  const Stream other(device());
  const DeviceBuffer<float> another(other, 1000);
  EXPECT_NE(another.device_data(), address);
  EXPECT_THROW(DeviceBuffer<std::byte>(other, 5 << 20), ResourceError);
  EXPECT_THROW(hanging.wait(std::chrono::steady_clock::now(), {}), dispatch::DeviceLost);
  EXPECT_EQ(device().memory_budget_bytes(), 0U);
  EXPECT_THROW(DeviceBuffer<float>(other, 70'000), dispatch::DeviceLost);
}

TEST_F(Memory, KernelsAreHeldToWhatWasHandedOut) {
  if (!emulator::checks_accesses()) GTEST_SKIP() << "Built without the emulator's hooks.";
  expect_given_up();
  emulate("3x sm90 64MiB");
  {
    const Stream stream(device(0));
    DeviceBuffer<float> reserved_larger(stream, 1001);
    test::fill(reserved_larger.device_data(), 1002, 1, stream);
    EXPECT_THROW(stream.wait(), dispatch::DeviceLost) << "one value behind the end";
  }
  {
    const Stream stream(device(1));
    std::optional<DeviceBuffer<float>> before(std::in_place, stream, 1000);
    test::fill(before->device_data(), 1000, 1, stream);
    before.reset();
    DeviceBuffer<float> same(stream, 1000);
    DeviceBuffer<float> out(stream, 1000);
    test::scale_and_shift(same.device_data(), out.device_data(), 1000, 1, 0, stream);
    EXPECT_THROW(stream.wait(), dispatch::DeviceLost) << "reading what an earlier owner has written";
  }
  {
    const Stream stream(device(2));
    std::optional<DeviceBuffer<float>> gone(std::in_place, stream, 1000);
    float* const address = gone->device_data();
    gone.reset();
    test::fill(address, 1000, 1, stream);
    EXPECT_THROW(stream.wait(), dispatch::DeviceLost) << "writing what was given back";
  }
}

TEST_F(Memory, WhatIsReservedIsFreedAtTheEnd) {
  const std::size_t pinned_before = emulator::pinned_memory_use().bytes;
  {
    const GpuDevice short_lived(device().description());
    const Stream stream(short_lived);
    { const DeviceBuffer<float> kept(stream, 100); }
    { const PinnedBuffer<float> kept(stream, 100); }
    { const MappedBuffer<float> kept(stream, 100); }
    EXPECT_GT(emulator::memory_use(0).bytes, 0U);
    EXPECT_GT(emulator::pinned_memory_use().bytes, pinned_before);
  }
  EXPECT_EQ(emulator::memory_use(0).bytes, 0U);
  EXPECT_EQ(emulator::pinned_memory_use().bytes, pinned_before);
}

#endif

}  // namespace
}  // namespace isolume::gpu

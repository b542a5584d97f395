#include "core/simulation/frame_ring.h"

#include <thread>

#include <gtest/gtest.h>

#include "tests/core/simulation/mixing_simulation.h"

namespace isolume::simulation {
namespace {

FramePointer frame(std::int64_t step, std::size_t ballast = 0) {
  auto made = std::make_shared<testing::MixingFrame>();
  made->step = step;
  made->numbers = {static_cast<std::uint64_t>(step), ~static_cast<std::uint64_t>(step)};
  made->ballast.resize(ballast);
  return made;
}

TEST(FrameRing, HoldsTheLastOnes) {
  FrameRing ring(4, 1 << 20);
  for (int step = 0; step < 10; ++step) ring.put(frame(step));
  EXPECT_EQ(ring.size(), 4u);
  for (int step = 0; step < 10; ++step) EXPECT_EQ(ring.at(step) != nullptr, step >= 6) << step;
  EXPECT_EQ(ring.at(8)->step, 8);
  const auto another = frame(8);
  ring.put(another);
  EXPECT_EQ(ring.at(8), another);
  EXPECT_EQ(ring.size(), 4u);
}

TEST(FrameRing, StaysWithinItsMemoryButHoldsOneAlways) {
  FrameRing ring(100, 10000);
  for (int step = 0; step < 20; ++step) {
    ring.put(frame(step, 3000));
    EXPECT_LE(ring.bytes(), 10000u);
  }
  EXPECT_EQ(ring.size(), 3u);
  ring.put(frame(20, 50000));
  EXPECT_EQ(ring.size(), 1u);
  EXPECT_TRUE(ring.has(20));
  ring.put(frame(21));
  EXPECT_TRUE(ring.has(21));
  EXPECT_LE(ring.bytes(), 10000u);
}

/// Whose numbers may get lost.
struct FarFrame final : Frame {
  bool there = true;
  std::size_t bytes() const override { return 100; }
  bool readable() const override { return there; }
};

TEST(FrameRing, HandsOutNothingThatCannotBeRead) {
  FrameRing ring(4, 1 << 20);
  const auto far = std::make_shared<FarFrame>();
  far->step = 7;
  ring.put(far);
  ring.put(frame(8));
  EXPECT_EQ(ring.at(7), far);
  far->there = false;
  EXPECT_EQ(ring.at(7), nullptr);
  EXPECT_FALSE(ring.has(7)) << "so that it is made again";
  EXPECT_TRUE(ring.has(8));
  const auto again = frame(7);
  ring.put(again);
  EXPECT_EQ(ring.at(7), again);
  EXPECT_EQ(ring.size(), 2u);
}

TEST(FrameRing, ForgetsWhatIsOutside) {
  FrameRing ring(8, 1 << 20);
  for (int step = -3; step < 4; ++step) ring.put(frame(step));
  ring.keep(-1, 2);
  EXPECT_EQ(ring.size(), 4u);
  EXPECT_FALSE(ring.has(-2));
  EXPECT_TRUE(ring.has(-1));
  EXPECT_EQ(ring.at(3), nullptr);
}

TEST(FrameRing, ReadersOnManyThreadsGetWholeFramesOfTheStepTheyAskedFor) {
  FrameRing ring(16, 1 << 20);
  std::atomic<std::int64_t> last = 0;
  std::atomic<bool> done = false;
  std::atomic<std::int64_t> found = 0;
  ring.put(frame(0));
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 4; ++reader) {
    readers.emplace_back([&] {
      FramePointer held;
      for (int i = 0; !done; ++i) {
        const std::int64_t step = last - i % 8;
        const FramePointer got = ring.at(step);
        if (!got) continue;
        ++found;
        EXPECT_EQ(got->step, step);
        const auto numbers = testing::numbers_of(got);
        EXPECT_EQ(numbers.a, static_cast<std::uint64_t>(step));
        EXPECT_EQ(numbers.b, ~numbers.a);
        if (i % 5 == 0) held = got;  // as long as it likes
      }
    });
  }
  for (std::int64_t step = 1; step < 20000 || found < 100; ++step) {
    ring.put(frame(step));
    last = step;
    if (step % 1000 == 0) ring.keep(step - 3, step);
  }
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_TRUE(ring.has(last));
}

}  // namespace
}  // namespace isolume::simulation

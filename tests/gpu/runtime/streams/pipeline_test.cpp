#include "gpu/runtime/streams/pipeline.h"

#include <deque>
#include <numeric>
#include <optional>

#include "gpu/runtime/memory/allocator.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/memory/transfer.h"
#include "tests/gpu/runtime/kernels.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

using std::chrono_literals::operator""h;

std::chrono::steady_clock::time_point in_an_hour() {
  return std::chrono::steady_clock::now() + 1h;
}

/// Items of `count` values each, in pinned and device buffers of one slot.
struct SlotBuffers {
  SlotBuffers(const PipelineStreams& streams, std::size_t count)
      : pinned_in(streams.upload, count),
        in(streams.compute, count),
        out(streams.compute, count),
        pinned_out(streams.download, count) {}
  PinnedBuffer<float> pinned_in;
  DeviceBuffer<float> in;
  DeviceBuffer<float> out;
  PinnedBuffer<float> pinned_out;
};

class PipelineTest : public RuntimeTest {
 protected:
  /// 2 x + item for every value x of every item; the buffers start with anything in them.
  std::vector<float> compute(const std::vector<float>& values, std::size_t count, std::size_t slots) const {
    const Stream up(device());
    const Stream work(device());
    const Stream down(device());
    const PipelineStreams streams{up, work, down};
    std::deque<SlotBuffers> buffers;
    for (std::size_t slot = 0; slot < slots; ++slot) buffers.emplace_back(streams, count);
    std::vector<float> result(values.size());
    PipelineSteps steps;
    steps.fill = [&](std::size_t item, std::size_t slot) {
      std::copy_n(values.begin() + static_cast<long>(item * count), count,
                  buffers[slot].pinned_in.host().begin());
    };
    steps.upload = [&](std::size_t, std::size_t slot, const Stream& on) {
      buffers[slot].in.copy_from(buffers[slot].pinned_in.host(), on);
    };
    steps.compute = [&](std::size_t item, std::size_t slot, const Stream& on) {
      test::scale_and_shift(buffers[slot].in.device_data(), buffers[slot].out.device_data(),
                            static_cast<int>(count), 2, static_cast<float>(item), on);
    };
    steps.download = [&](std::size_t, std::size_t slot, const Stream& on) {
      buffers[slot].out.copy_to(buffers[slot].pinned_out.host(), on);
    };
    steps.drain = [&](std::size_t item, std::size_t slot) {
      const auto from = buffers[slot].pinned_out.host();
      std::copy(from.begin(), from.end(), result.begin() + static_cast<long>(item * count));
      std::ranges::fill(from, -1.0f);
    };
    run_pipeline(streams, values.size() / count, slots, steps, in_an_hour(), {});
    return result;
  }
};

TEST_F(PipelineTest, EveryItemPassesEveryStepOnce) {
  in_every_order([&] {
    for (const std::size_t slots : {2, 3, 4}) {
      for (const std::size_t items : {0, 1, 2, 3, 4, 11}) {
        constexpr std::size_t count = 301;
        std::vector<float> values(items * count);
        std::iota(values.begin(), values.end(), 1.0f);
        const std::vector<float> result = compute(values, count, slots);
        for (std::size_t i = 0; i < values.size(); ++i) {
          ASSERT_EQ(result[i], 2 * values[i] + static_cast<float>(i / count))
              << slots << " slots, value " << i << " of " << values.size();
        }
      }
    }
  });
}

TEST_F(PipelineTest, ItemsAreDrainedInOrderAndNotBeforeTheyAreThere) {
  in_every_order([&] {
    const Stream stream(device());
    std::vector<std::size_t> filled;
    std::vector<std::size_t> drained;
    PipelineSteps steps;
    steps.fill = [&](std::size_t item, std::size_t slot) {
      EXPECT_EQ(slot, item % 3);
      EXPECT_LE(filled.size(), drained.size() + 3);
      filled.push_back(item);
    };
    steps.drain = [&](std::size_t item, std::size_t slot) {
      EXPECT_EQ(slot, item % 3);
      EXPECT_LT(item, filled.size());
      drained.push_back(item);
    };
    run_pipeline({stream, stream, stream}, 7, 3, steps, in_an_hour(), {});
    const std::vector<std::size_t> expected{0, 1, 2, 3, 4, 5, 6};
    EXPECT_EQ(filled, expected);
    EXPECT_EQ(drained, expected);
  });
}

TEST_F(PipelineTest, OneSlotIsNoPipeline) {
  const Stream stream(device());
  EXPECT_THROW(run_pipeline({stream, stream, stream}, 1, 1, {}, in_an_hour(), {}), Error);
}

TEST_F(PipelineTest, CancellingStopsBetweenItemsAndTheBuffersAreSafe) {
  in_every_order([&] {
    std::stop_source stop;
    const jobs::Progress progress(stop.get_token(), {});
    const Stream up(device());
    const Stream work(device());
    const PipelineStreams streams{up, work, work};
    std::size_t drained = 0;
    {
      std::deque<SlotBuffers> buffers;
      for (int slot = 0; slot < 3; ++slot) buffers.emplace_back(streams, 2000);
      PipelineSteps steps;
      steps.fill = [&](std::size_t, std::size_t slot) {
        std::ranges::fill(buffers[slot].pinned_in.host(), 1.0f);
      };
      steps.upload = [&](std::size_t, std::size_t slot, const Stream& on) {
        buffers[slot].in.copy_from(buffers[slot].pinned_in.host(), on);
      };
      steps.compute = [&](std::size_t, std::size_t slot, const Stream& on) {
        test::scale_and_shift(buffers[slot].in.device_data(), buffers[slot].out.device_data(), 2000, 1, 0,
                              on);
      };
      steps.drain = [&](std::size_t, std::size_t) {
        if (++drained == 2) stop.request_stop();
      };
      EXPECT_THROW(run_pipeline(streams, 20, 3, steps, in_an_hour(), progress), Cancelled);
    }
    EXPECT_EQ(drained, 2U);
    // What is still queued must not write into what is taken now, of either stream.
    DeviceBuffer<float> a(work, 2000);
    DeviceBuffer<float> b(work, 2000);
    test::fill(a.device_data(), 2000, 7, work);
    test::fill(b.device_data(), 2000, 8, work);
    up.wait();
    std::vector<float> of_a(2000);
    std::vector<float> of_b(2000);
    a.copy_to(of_a, work);
    b.copy_to(of_b, work);
    work.wait();
    for (std::size_t i = 0; i < of_a.size(); ++i) {
      ASSERT_EQ(of_a[i], 7.0f);
      ASSERT_EQ(of_b[i], 8.0f);
    }
  });
}

TEST_F(PipelineTest, TransfersInChunksAreBitIdenticalToOneCopy) {
  in_every_order([&] {
    const Stream stream(device());
    for (const std::size_t chunk : {1000, 1003, 4096}) {
      for (const std::size_t count : {1, 249, 250, 251, 1000, 5003}) {
        const TransferOptions options{chunk, 3};
        std::vector<unsigned> values(count);
        std::iota(values.begin(), values.end(), 0xfffff000U);  // as floats these are NaNs of many kinds
        DeviceBuffer<unsigned> on_device(stream, count);
        upload<unsigned>(stream, values, on_device.device_data(), in_an_hour(), {}, options);
        std::vector<unsigned> in_one(count);
        on_device.copy_to(in_one, stream);
        stream.wait();
        ASSERT_EQ(in_one, values);

        std::vector<unsigned> in_chunks(count, 1);
        download<unsigned>(stream, on_device.device_data(), in_chunks, in_an_hour(), {}, options);
        ASSERT_EQ(in_chunks, values) << count << " values, chunks of " << chunk;
      }
    }
  });
}

TEST_F(PipelineTest, ADownloadComesAfterTheWorkThatWasQueued) {
  in_every_order([&] {
    const Stream stream(device());
    DeviceBuffer<unsigned> values(stream, 10'007);
    test::number(values.device_data(), 10'007, 5, stream);
    std::vector<unsigned> result(10'007);
    download<unsigned>(stream, values.device_data(), result, in_an_hour(), {}, {4096, 2});
    for (unsigned i = 0; i < result.size(); ++i) ASSERT_EQ(result[i], i + 5);
  });
}

TEST_F(PipelineTest, AnEmptyTransferDoesNothing) {
  const Stream stream(device());
  download<float>(stream, nullptr, {}, in_an_hour(), {});
  upload<float>(stream, {}, nullptr, in_an_hour(), {});
}

TEST_F(PipelineTest, ATransferThatIsCancelledLeavesTheRestAlone) {
  std::stop_source stop;
  stop.request_stop();
  const Stream stream(device());
  DeviceBuffer<unsigned> values(stream, 1000);
  test::number(values.device_data(), 1000, 5, stream);
  std::vector<unsigned> result(1000, 42);
  const jobs::Progress cancelled(stop.get_token(), {});
  EXPECT_THROW(download<unsigned>(stream, values.device_data(), result, in_an_hour(), cancelled, {400, 2}),
               Cancelled);
  EXPECT_EQ(result, std::vector<unsigned>(1000, 42));
  stream.wait();
}

TEST_F(PipelineTest, ALargeTransferNeedsLittlePinnedMemory) {
  const Stream stream(device());
  DeviceBuffer<unsigned> values(stream, 1'000'000);
  test::number(values.device_data(), 1'000'000, 0, stream);
  std::vector<unsigned> result(1'000'000);
  download<unsigned>(stream, values.device_data(), result, in_an_hour(), {}, {100'000, 3});
  for (unsigned i = 0; i < result.size(); ++i) ASSERT_EQ(result[i], i);
  EXPECT_LE(device().allocator().reserved_bytes(MemorySpace::pinned), 3U * 112'500U);
}

TEST_F(PipelineTest, MemoryIsCopiedBetweenDevices) {
  in_every_order([&] {
    if (device_count() < 2) GTEST_SKIP() << "Only one device.";
    for (const bool with_peer_access : {false, true}) {
      if (with_peer_access && !enable_peer_access(device(1), device(0))) continue;
      const Stream from(device(0));
      const Stream to(device(1));
      DeviceBuffer<unsigned> source(from, 3001);
      DeviceBuffer<unsigned> target(to, 3001);
      test::number(source.device_data(), 3001, 17, from);
      copy_between_devices(to, target.device_data(), from, source.device_data(), 3001 * sizeof(unsigned));
      test::number(source.device_data(), 3001, 0, from);  // comes after the copy
      std::vector<unsigned> result(3001);
      target.copy_to(result, to);
      to.wait();
      for (unsigned i = 0; i < result.size(); ++i) ASSERT_EQ(result[i], i + 17);
      from.wait();
    }
  });
}

TEST_F(PipelineTest, PeerAccessMayBeAskedForTwice) {
  if (device_count() < 2) GTEST_SKIP() << "Only one device.";
  const bool first = enable_peer_access(device(0), device(1));
  EXPECT_EQ(enable_peer_access(device(0), device(1)), first);
}

#ifdef ISOLUME_GPU_EMULATED

TEST_F(PipelineTest, ADeviceThatHangsEndsATransferAtTheDeadline) {
  expect_given_up();
  emulate("sm90 64MiB hangs@1");
  const Stream stream(device());
  DeviceBuffer<unsigned> values(stream, 1000);
  test::number(values.device_data(), 1000, 5, stream);
  std::vector<unsigned> result(1000, 42);
  EXPECT_THROW(download<unsigned>(stream, values.device_data(), result, std::chrono::steady_clock::now(), {},
                                  {400, 2}),
               dispatch::DeviceLost);
  EXPECT_EQ(result, std::vector<unsigned>(1000, 42));
}

#endif

}  // namespace
}  // namespace isolume::gpu

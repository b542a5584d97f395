#include "gpu/runtime/streams/graph.h"

#include <cstdlib>
#include <optional>
#include <thread>

#include "core/base/error.h"
#include "gpu/runtime/memory/buffer.h"
#include "tests/gpu/runtime/kernels.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

class Graphs : public RuntimeTest {};

TEST_F(Graphs, AreQueuedInOrderAsOftenAsTheyAreLaunched) {
  in_every_order([&] {
    const Stream stream(device());
    constexpr int count = 300;
    DeviceBuffer<float> values(stream, count);
    const PinnedBuffer<float> result(stream, count);
    test::fill(values.device_data(), count, 1, stream);
    const Graph graph(stream, [&] {
      for (int i = 0; i < 3; ++i) {
        test::scale_and_shift(values.device_data(), values.device_data(), count, 2, 1, stream);
      }
      values.copy_to(result.host(), stream);
    });
    float expected = 1;
    for (int round = 0; round < 4; ++round) {
      graph.launch(stream);
      test::scale_and_shift(values.device_data(), values.device_data(), count, 0.5f, 0, stream);
      stream.wait();
      for (int i = 0; i < 3; ++i) expected = 2 * expected + 1;
      for (const float value : result.host()) ASSERT_EQ(value, expected) << "round " << round;
      expected *= 0.5f;
    }
  });
}

TEST_F(Graphs, RecordingRunsNothing) {
  in_every_order([&] {
    const Stream stream(device());
    MappedBuffer<float> values(stream, 10);
    test::fill(values.device_data(), 10, 1, stream);
    const Graph graph(stream, [&] { test::fill(values.device_data(), 10, 2, stream); });
    stream.wait();
    EXPECT_EQ(values.host()[9], 1.0f);
    graph.launch(stream);
    stream.wait();
    EXPECT_EQ(values.host()[9], 2.0f);
  });
}

TEST_F(Graphs, AnotherStreamOfTheDeviceMayTakeThem) {
  in_every_order([&] {
    const Stream recorded(device());
    const Stream other(device());
    MappedBuffer<float> values(other, 10);
    const Graph graph(recorded, [&] { test::fill(values.device_data(), 10, 3, recorded); });
    graph.launch(other);
    other.wait();
    EXPECT_EQ(values.host()[0], 3.0f);
  });
}

TEST_F(Graphs, AGraphMayGoBeforeItsWorkIsDone) {
  in_every_order([&] {
    const Stream stream(device());
    MappedBuffer<float> values(stream, 10);
    {
      const Graph graph(stream, [&] { test::fill(values.device_data(), 10, 4, stream); });
      graph.launch(stream);
    }
    stream.wait();
    EXPECT_EQ(values.host()[0], 4.0f);
  });
}

/// Calls that may wait for the device, in the midst of recording.
TEST_F(Graphs, WhatCannotBeRecordedIsAnErrorAndTheStreamGoesOn) {
  const Stream stream(device());
  MappedBuffer<float> values(stream, 10);
  EXPECT_THROW(Graph(stream,
                     [&] {
                       test::fill(values.device_data(), 10, 1, stream);
                       stream.wait();
                     }),
               Error);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_THROW(Graph(stream,
                     [&] {
                       try {
                         stream.wait();
                       } catch (const Error&) {
                       }
                     }),
               Error)
      << "nobody told";
  EXPECT_THROW(Graph(stream, [] { throw ResourceError("for this test"); }), ResourceError);
  test::fill(values.device_data(), 10, 5, stream);
  stream.wait();
  EXPECT_EQ(values.host()[0], 5.0f);
  const Graph graph(stream, [&] { test::fill(values.device_data(), 10, 6, stream); });
  graph.launch(stream);
  stream.wait();
  EXPECT_EQ(values.host()[0], 6.0f);
}

/// A thread that finds no memory waits for the work of all streams, but for those that another one records.
TEST_F(Graphs, AnotherThreadThatRunsOutOfMemoryDoesNotSpoilARecording) {
  setenv("ISOLUME_GPU_MEMORY_BUDGET", "1MiB", 1);
  in_every_order([&] {
    const Stream stream(device());
    const Stream other(device());
    MappedBuffer<float> values(stream, 10);
    { const DeviceBuffer<std::byte> kept(other, 700 << 10); }
    const Graph graph(stream, [&] {
      test::fill(values.device_data(), 10, 7, stream);
      std::jthread([&] { const DeviceBuffer<std::byte> needs_what_is_kept(other, 1000 << 10); }).join();
    });
    graph.launch(stream);
    stream.wait();
    EXPECT_EQ(values.host()[9], 7.0f);
  });
  unsetenv("ISOLUME_GPU_MEMORY_BUDGET");
}

#ifdef ISOLUME_GPU_EMULATED

TEST_F(Graphs, AKernelThatFailsInAGraphLosesTheDevice) {
  expect_given_up();
  emulate("sm90 64MiB fails@3");
  const Stream stream(device());
  DeviceBuffer<float> values(stream, 10);
  const Graph graph(stream, [&] { test::fill(values.device_data(), 10, 1, stream); });
  graph.launch(stream);
  graph.launch(stream);
  stream.wait();
  graph.launch(stream);
  EXPECT_THROW(stream.wait(), dispatch::DeviceLost);
  EXPECT_THROW(graph.launch(stream), dispatch::DeviceLost);
}

#endif

}  // namespace
}  // namespace isolume::gpu

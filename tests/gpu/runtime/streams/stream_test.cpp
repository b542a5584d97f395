#include "gpu/runtime/streams/stream.h"

#include <numeric>
#include <optional>
#include <thread>

#include <sys/prctl.h>

#include "gpu/runtime/launch.h"
#include "gpu/runtime/memory/buffer.h"
#include "tests/gpu/runtime/kernels.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""ms;

std::chrono::steady_clock::time_point in_an_hour() {
  return std::chrono::steady_clock::now() + 1h;
}

class Streams : public RuntimeTest {};

TEST_F(Streams, AnEventHoldsAnotherStreamUntilItHasHappened) {
  in_every_order([&] {
    const Stream writer(device());
    const Stream reader(device());
    DeviceBuffer<float> values(writer, 5000);
    DeviceBuffer<float> copies(reader, 5000);
    for (int round = 0; round < 5; ++round) {
      test::fill(values.device_data(), 5000, static_cast<float>(round), writer);
      Event written(device());
      written.record(writer);
      reader.wait_for(written);
      test::scale_and_shift(values.device_data(), copies.device_data(), 5000, 1, 0.5f, reader);
      Event read(device());
      read.record(reader);
      writer.wait_for(read);
      std::vector<float> result(5000);
      copies.copy_to(result, reader);
      reader.wait();
      for (const float value : result) ASSERT_EQ(value, static_cast<float>(round) + 0.5f);
    }
    writer.wait();
  });
}

TEST_F(Streams, AnEventTellsWhetherItHappened) {
  const Stream stream(device());
  Event event(device());
  EXPECT_TRUE(event.completed()) << "never recorded";
  DeviceBuffer<float> values(stream, 100);
  test::fill(values.device_data(), 100, 1, stream);
  event.record(stream);
  event.wait(in_an_hour(), {});
  EXPECT_TRUE(event.completed());
}

TEST_F(Streams, AskingTooEarlyLeavesNoErrorBehind) {
  in_every_order([&] {
    const Stream stream(device());
    DeviceBuffer<float> values(stream, 100'000);
    Event event(device());
    test::fill(values.device_data(), 100'000, 1, stream);
    event.record(stream);
    while (!event.completed()) EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    test::fill(values.device_data(), 100'000, 2, stream);
    stream.wait(in_an_hour(), {});
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  });
}

TEST_F(Streams, TimedEventsMeasureTheDevicesTime) {
  const Stream stream(device());
  DeviceBuffer<float> values(stream, 100'000);
  Event begin(device(), true);
  Event middle(device(), true);
  Event end(device(), true);
  begin.record(stream);
  test::fill(values.device_data(), 100'000, 1, stream);
  middle.record(stream);
  test::fill(values.device_data(), 100'000, 2, stream);
  end.record(stream);
  stream.wait();
  EXPECT_GT(Event::milliseconds(begin, middle), 0);
  EXPECT_GT(Event::milliseconds(middle, end), 0);
  EXPECT_NEAR(Event::milliseconds(begin, end),
              Event::milliseconds(begin, middle) + Event::milliseconds(middle, end),
              1e-3 * Event::milliseconds(begin, end) + 1e-3);
}

TEST_F(Streams, WaitingWithADeadlineReturnsWhenTheWorkIsDone) {
  in_every_order([&] {
    const Stream stream(device());
    MappedBuffer<float> values(stream, 100);
    test::fill(values.device_data(), 100, 4, stream);
    stream.wait(in_an_hour(), {});
    for (const float value : values.host()) ASSERT_EQ(value, 4.0f);
  });
}

TEST_F(Streams, KernelsGetMoreSharedMemoryThanUsualAndAreToldWhereThereIsNotEnough) {
  const Stream stream(device());
  const std::size_t most = device().description().shared_bytes_per_block_optin;
  ASSERT_GT(most, shared_bytes_without_asking);
  const auto count = static_cast<int>(most / sizeof(float));
  std::vector<float> values(static_cast<std::size_t>(count) + 1);
  std::iota(values.begin(), values.end(), 0.0f);
  const auto in = device_copy(values, stream);
  DeviceBuffer<float> out(stream, values.size());
  test::reverse(in.device_data(), out.device_data(), count, stream);
  std::vector<float> result(static_cast<std::size_t>(count));
  out.copy_to(result, stream);
  stream.wait();
  for (int i = 0; i < count; ++i)
    ASSERT_EQ(result[static_cast<std::size_t>(i)], static_cast<float>(count - 1 - i));
  try {
    test::reverse(in.device_data(), out.device_data(), count + 1, stream);
    FAIL() << "It was launched.";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(most)), std::string::npos) << error.what();
  }
  EXPECT_EQ(check_device(device()), "");
}

TEST_F(Streams, ALaunchThatIsRefusedNamesPlaceAndDeviceAndLeavesTheDeviceUsable) {
  const Stream stream(device());
  try {
    test::launch_too_many_threads(stream);
    FAIL() << "It was launched.";
  } catch (const dispatch::DeviceLost&) {
    FAIL() << "The device is not lost.";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("launching a kernel"), std::string::npos) << text;
    EXPECT_NE(text.find(device().name()), std::string::npos) << text;
    EXPECT_NE(text.find("gpu/runtime/launch.h:"), std::string::npos) << text;
    EXPECT_NE(text.find("cudaErrorInvalid"), std::string::npos) << text;
  }
  EXPECT_EQ(check_device(device()), "");
}

TEST_F(Streams, EveryThreadMayUseEveryDevice) {
  std::vector<std::unique_ptr<Stream>> streams;
  for (std::size_t i = 0; i < device_count(); ++i) streams.push_back(std::make_unique<Stream>(device(i)));
  std::jthread([&] {
    for (int round = 0; round < 3; ++round) {
      for (const auto& stream : streams) {
        DeviceBuffer<float> values(*stream, 100);
        test::fill(values.device_data(), 100, 1, *stream);
        std::vector<float> result(100);
        values.copy_to(result, *stream);
        stream->wait();
        ASSERT_EQ(result[99], 1.0f);
      }
    }
  }).join();
}

TEST_F(Streams, AnEventBelongsToItsDevice) {
  if (device_count() < 2) GTEST_SKIP() << "One GPU.";
  const Stream first(device(0)), second(device(1));
  Event event(device(1));
  first.make_current();
  EXPECT_THROW(event.record(first), Error);
  event.record(second);
  event.wait(in_an_hour(), {});
  first.wait_for(event);
  first.wait();
}

#ifdef ISOLUME_GPU_EMULATED

TEST_F(Streams, ADeadlineEndsTheWaitForADeviceThatHangs) {
  expect_given_up();
  emulate("sm90 64MiB hangs@2");
  const Stream stream(device());
  DeviceBuffer<float> values(stream, 100);
  test::fill(values.device_data(), 100, 1, stream);
  stream.wait(in_an_hour(), {});
  test::fill(values.device_data(), 100, 2, stream);
  EXPECT_FALSE(device().given_up());
  try {
    stream.wait(std::chrono::steady_clock::now() + 5ms, {});
    FAIL() << "It does not hang.";
  } catch (const dispatch::DeviceLost& lost) {
    EXPECT_NE(std::string(lost.what()).find(device().name()), std::string::npos) << lost.what();
  }
  EXPECT_TRUE(device().given_up());
}  // and no destructor waits

TEST_F(Streams, CancellingEndsTheWaitAndTheDeviceIsNotGivenUp) {
  expect_given_up();
  const int timer_slack = prctl(PR_GET_TIMERSLACK);
  emulate("sm90 64MiB hangs@1");
  std::stop_source stop;
  const jobs::Progress progress(stop.get_token(), {});
  const Stream stream(device());
  DeviceBuffer<float> values(stream, 100);
  test::fill(values.device_data(), 100, 1, stream);
  std::jthread canceller([&] {
    std::this_thread::sleep_for(10ms);
    stop.request_stop();
  });
  EXPECT_THROW(stream.wait(in_an_hour(), progress), Cancelled);
  EXPECT_FALSE(device().given_up());
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), timer_slack) << "the thread sleeps as before";
  device().give_up();  // else the end of this test would wait for it, some seconds
}

TEST_F(Streams, AFailedLaunchLosesTheDevice) {
  expect_given_up();
  emulate("sm90 64MiB fails@2");
  const Stream stream(device());
  DeviceBuffer<float> values(stream, 100);
  test::fill(values.device_data(), 100, 1, stream);
  stream.wait();
  test::fill(values.device_data(), 100, 2, stream);
  try {
    stream.wait();
    FAIL() << "It did not fail.";
  } catch (const dispatch::DeviceLost& lost) {
    const std::string text = lost.what();
    EXPECT_NE(text.find(device().name()), std::string::npos) << text;
    EXPECT_NE(text.find("stream_test.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find("cudaErrorLaunchFailure"), std::string::npos) << text;
  }
  EXPECT_THROW(test::fill(values.device_data(), 100, 3, stream), dispatch::DeviceLost);
  EXPECT_NE(check_device(device()), "");
}

TEST_F(Streams, OneDevicesFailureIsNotAnothers) {
  expect_given_up();
  emulate("1x sm90 64MiB fails@1, 1x sm90 64MiB");
  const Stream broken(device(0));
  DeviceBuffer<float> values(broken, 100);
  test::fill(values.device_data(), 100, 1, broken);
  EXPECT_THROW(broken.wait(), dispatch::DeviceLost);
  EXPECT_EQ(check_device(device(1)), "");
}

#endif

}  // namespace
}  // namespace isolume::gpu

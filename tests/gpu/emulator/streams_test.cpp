#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "tests/gpu/emulator/emulator_test.h"
#include "tests/gpu/emulator/right_kernels.h"

namespace isolume::gpu::emulator {
namespace {

struct Pinned {
  explicit Pinned(std::size_t count) { EXPECT_EQ(cudaMallocHost(&data, count * sizeof(float)), cudaSuccess); }
  ~Pinned() { cudaFreeHost(data); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  float* data = nullptr;
};
struct AStream {
  AStream() { EXPECT_EQ(cudaStreamCreateWithFlags(&get, cudaStreamNonBlocking), cudaSuccess); }
  ~AStream() { cudaStreamDestroy(get); }
  AStream(const AStream&) = delete;
  AStream& operator=(const AStream&) = delete;
  cudaStream_t get = nullptr;
};

class Streams : public EmulatorTest, public testing::WithParamInterface<StreamOrder> {
 protected:
  void SetUp() override { use("2x sm90 64MiB", GetParam()); }

  /// values * 2^times, by kernels and copies in one stream.
  static cudaError_t queue_doubling(float* memory, int count, int times, cudaStream_t stream) {
    for (int i = 0; i < times; ++i) {
      const float* a = memory;
      void* arguments[] = {&a, &a, &memory, &count};
      const auto blocks = static_cast<unsigned>(count + 127) / 128;
      if (const auto status = cudaLaunchKernel(add, dim3(blocks), dim3(128), arguments, 0, stream))
        return status;
    }
    return cudaSuccess;
  }
};
INSTANTIATE_TEST_SUITE_P(Orders, Streams,
                         testing::Values(StreamOrder::eager, StreamOrder::delayed, StreamOrder::shuffled));

TEST_P(Streams, AreDoneInOrder) {
  const AStream stream;
  const Pinned host(1000);
  const OnDevice<float> memory(1000);
  std::fill_n(host.data, 1000, 1.0f);
  ASSERT_EQ(cudaMemcpyAsync(memory.data(), host.data, 4000, cudaMemcpyHostToDevice, stream.get), cudaSuccess);
  ASSERT_EQ(queue_doubling(memory.data(), 1000, 5, stream.get), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(host.data, memory.data(), 4000, cudaMemcpyDeviceToHost, stream.get), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream.get), cudaSuccess);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(host.data[i], 32.0f);
}

TEST_P(Streams, WaitForEventsOfOthersOnOtherDevices) {
  const Pinned host(100);
  std::fill_n(host.data, 100, 3.0f);
  const OnDevice<float> here(100);
  const AStream stream;
  ASSERT_EQ(cudaMemcpyAsync(here.data(), host.data, 400, cudaMemcpyHostToDevice, stream.get), cudaSuccess);
  ASSERT_EQ(queue_doubling(here.data(), 100, 3, stream.get), cudaSuccess);
  cudaEvent_t done = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(done, stream.get), cudaSuccess);

  cudaSetDevice(1);
  {
    const OnDevice<float> there(100);
    const AStream other;
    ASSERT_EQ(cudaStreamWaitEvent(other.get, done, 0), cudaSuccess);
    ASSERT_EQ(cudaMemcpyPeerAsync(there.data(), 1, here.data(), 0, 400, other.get), cudaSuccess);
    ASSERT_EQ(queue_doubling(there.data(), 100, 1, other.get), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(host.data, there.data(), 400, cudaMemcpyDeviceToHost, other.get), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(other.get), cudaSuccess);
  }
  for (int i = 0; i < 100; ++i) ASSERT_EQ(host.data[i], 48.0f);
  cudaEventDestroy(done);
}

TEST_P(Streams, PollingGetsSomewhere) {
  const OnDevice<float> memory(std::vector<float>(100, 1.0f));
  const AStream stream;
  ASSERT_EQ(queue_doubling(memory.data(), 100, 10, stream.get), cudaSuccess);
  cudaEvent_t done = nullptr;
  ASSERT_EQ(cudaEventCreate(&done), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(done, stream.get), cudaSuccess);
  while (cudaEventQuery(done) == cudaErrorNotReady) std::this_thread::yield();
  ASSERT_EQ(queue_doubling(memory.data(), 100, 10, stream.get), cudaSuccess);
  while (cudaStreamQuery(stream.get) == cudaErrorNotReady) std::this_thread::yield();
  EXPECT_EQ(memory.values().front(), 1048576.0f);
  cudaEventDestroy(done);
}

TEST_P(Streams, TheDefaultStreamAndBlockingStreamsAreInOrder) {
  cudaStream_t blocking = nullptr;
  ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
  const OnDevice<float> memory(std::vector<float>(100, 1.0f));
  ASSERT_EQ(queue_doubling(memory.data(), 100, 2, blocking), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(memory.data(), 0, 400), cudaSuccess);
  ASSERT_EQ(queue_doubling(memory.data(), 100, 2, blocking), cudaSuccess);
  EXPECT_EQ(memory.values(), std::vector<float>(100, 0.0f));
  cudaStreamDestroy(blocking);
}

TEST_P(Streams, CallTheHostInTheirOrder) {
  const AStream stream;
  std::vector<int> calls;
  struct Call {
    std::vector<int>* calls;
    int number;
  };
  std::vector<Call> all;
  for (int i = 0; i < 5; ++i) all.push_back({&calls, i});
  for (Call& call : all) {
    ASSERT_EQ(cudaLaunchHostFunc(
                  stream.get,
                  [](void* data) {
                    const auto* const c = static_cast<Call*>(data);
                    c->calls->push_back(c->number);
                  },
                  &call),
              cudaSuccess);
  }
  ASSERT_EQ(cudaStreamSynchronize(stream.get), cudaSuccess);
  EXPECT_EQ(calls, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_P(Streams, CopyRowsAndBoxes) {
  std::vector<float> host(4 * 5 * 6);
  std::iota(host.begin(), host.end(), 0.0f);
  const OnDevice<float> memory(host);
  std::vector<float> rows(2 * 3, -1.0f);  // columns 1 and 2 of rows 0 to 2
  ASSERT_EQ(cudaMemcpy2D(rows.data(), 8, memory.data() + 1, 16, 8, 3, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(rows, (std::vector<float>{1, 2, 5, 6, 9, 10}));
  std::vector<float> box(2 * 2 * 2, -1.0f);
  cudaMemcpy3DParms parameters{};
  parameters.srcPtr = make_cudaPitchedPtr(memory.data(), 16, 4, 5);
  parameters.srcPos = make_cudaPos(8, 3, 4);
  parameters.dstPtr = make_cudaPitchedPtr(box.data(), 8, 2, 2);
  parameters.extent = make_cudaExtent(8, 2, 2);
  parameters.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3D(&parameters), cudaSuccess);
  EXPECT_EQ(box, (std::vector<float>{94, 95, 98, 99, 114, 115, 118, 119}));
}

using DelayedStreams = EmulatorTest;

TEST_F(DelayedStreams, ShowTheHostPoisonUntilItWaits) {
  use("1x sm90 64MiB", StreamOrder::delayed);
  const AStream stream;
  const Pinned host(1);
  const OnDevice<float> memory(std::vector<float>{5.0f});
  ASSERT_EQ(cudaMemcpyAsync(host.data, memory.data(), 4, cudaMemcpyDeviceToHost, stream.get), cudaSuccess);
  EXPECT_TRUE(std::isnan(*host.data)) << "nobody has waited for the copy";
  ASSERT_EQ(cudaStreamSynchronize(stream.get), cudaSuccess);
  EXPECT_EQ(*host.data, 5.0f);
}

TEST_F(DelayedStreams, RunOnlyWhatIsWaitedFor) {
  use("1x sm90 64MiB", StreamOrder::delayed);
  const AStream writer;
  const AStream reader;  // no event between them
  const OnDevice<float> memory(std::vector<float>{5.0f});
  const Pinned host(1);
  ASSERT_EQ(cudaMemsetAsync(memory.data(), 0, 4, writer.get), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(host.data, memory.data(), 4, cudaMemcpyDeviceToHost, reader.get), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(reader.get), cudaSuccess);
  EXPECT_EQ(*host.data, 5.0f) << "the missing event shows";
}

TEST_F(DelayedStreams, MemoryThatIsFreedTooEarlyIsAnError) {
  use("1x sm90 64MiB", StreamOrder::delayed);
  const AStream stream;
  float* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(memory, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(memory, 0, 4, stream.get), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream.get), cudaErrorIllegalAddress);
  EXPECT_TRUE(says(cudaGetErrorString(cudaErrorIllegalAddress), {"freed before it ran"}));
}

TEST_F(DelayedStreams, EventsTellTheTime) {
  use("1x sm90 64MiB");
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  ASSERT_EQ(cudaEventCreate(&begin), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaErrorInvalidResourceHandle)
      << "not recorded";
  ASSERT_EQ(cudaEventRecord(begin), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(
                nullptr, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }, nullptr),
            cudaSuccess);
  ASSERT_EQ(cudaEventRecord(end), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(end), cudaSuccess);
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
  EXPECT_GE(milliseconds, 5.0f);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
}

float milliseconds_of_a_launch(const OnDevice<float>& memory) {
  cudaEvent_t begin = nullptr, end = nullptr;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  const float* a = memory.data();
  float* sum = memory.data();
  int count = 1;
  void* arguments[] = {&a, &a, &sum, &count};
  cudaEventRecord(begin);
  EXPECT_EQ(cudaLaunchKernel(add, dim3(1), dim3(1), arguments), cudaSuccess);
  cudaEventRecord(end);
  EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return milliseconds;
}

TEST_F(DelayedStreams, TheFirstLaunchOfAKernelTakesTheTimeOfLoadingIt) {
  const float loading = std::chrono::duration<float, std::milli>(loading_time).count();
  const auto least_of_later_ones = [&](const OnDevice<float>& memory) {
    float least = loading;
    for (int i = 0; i < 100; ++i) least = std::min(least, milliseconds_of_a_launch(memory));
    return least;
  };
  for (const int device : {0, 1}) {
    cudaSetDevice(device);
    const OnDevice<float> memory(std::vector<float>{0});
    EXPECT_GE(milliseconds_of_a_launch(memory), loading) << device;
    EXPECT_LT(least_of_later_ones(memory), loading) << device;
  }
}

TEST_F(DelayedStreams, AFullQueueMakesLaunchesWait) {
  float* host = nullptr;
  float* mapped = nullptr;
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&host), sizeof(float), cudaHostAllocMapped), cudaSuccess);
  ASSERT_EQ(cudaHostGetDevicePointer(&mapped, host, 0), cudaSuccess);
  *host = 0;
  const OnDevice<float> one(std::vector<float>{1});
  const float* a = mapped;
  const float* b = one.data();
  int count = 1;
  void* arguments[] = {&a, &b, &mapped, &count};
  const AStream stream;
  for (int i = 0; i < 3000; ++i)
    ASSERT_EQ(cudaLaunchKernel(add, dim3(1), dim3(1), arguments, 0, stream.get), cudaSuccess);
  EXPECT_GE(*static_cast<volatile float*>(host), 3000 - 1024);
  ASSERT_EQ(cudaStreamSynchronize(stream.get), cudaSuccess);
  EXPECT_EQ(*static_cast<volatile float*>(host), 3000);
  cudaFreeHost(host);
}

}  // namespace
}  // namespace isolume::gpu::emulator

#include <functional>
#include <initializer_list>
#include <thread>

#include "tests/gpu/emulator/emulator_test.h"
#include "tests/gpu/emulator/right_kernels.h"

namespace isolume::gpu::emulator {
namespace {

class Graphs : public EmulatorTest {
 protected:
  void SetUp() override {
    EmulatorTest::SetUp();
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&memory_, bytes), cudaSuccess);
    ASSERT_EQ(cudaMemset(memory_, 0, bytes), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  void TearDown() override {
    cudaFree(memory_);
    cudaStreamDestroy(stream_);
    EmulatorTest::TearDown();
  }

  void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, mode), cudaSuccess);
  }
  /// Adds memory_ to itself.
  void queue_doubling() {
    const float* from = memory_;
    int count = 32;
    void* arguments[] = {&from, &from, &memory_, &count};
    ASSERT_EQ(cudaLaunchKernel(add, dim3(1), dim3(32), arguments, 0, stream_), cudaSuccess);
  }
  cudaStreamCaptureStatus status() const {
    auto status = cudaStreamCaptureStatusNone;
    EXPECT_EQ(cudaStreamIsCapturing(stream_, &status), cudaSuccess);
    return status;
  }
  void expect_spoilt() {
    EXPECT_EQ(status(), cudaStreamCaptureStatusInvalidated);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(status(), cudaStreamCaptureStatusNone);
  }

  static constexpr std::size_t bytes = 32 * sizeof(float);
  cudaStream_t stream_ = nullptr;
  float* memory_ = nullptr;
};

TEST_F(Graphs, RepeatWhatWasQueued) {
  begin();
  EXPECT_EQ(status(), cudaStreamCaptureStatusActive);
  ASSERT_EQ(cudaMemsetAsync(memory_, 0x3f, bytes, stream_), cudaSuccess);
  for (int i = 0; i < 3; ++i) queue_doubling();
  EXPECT_EQ(launch_count(0), 0) << "nothing runs while it is recorded";
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_EQ(status(), cudaStreamCaptureStatusNone);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  for (int round = 1; round <= 3; ++round) {
    ASSERT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
    EXPECT_EQ(launch_count(0), 3 * round);
  }
  ASSERT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  float value = 0;
  ASSERT_EQ(cudaMemcpy(&value, memory_, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 8 * 0x1.7e7e7ep-1f);
}

TEST_F(Graphs, WaitingForTheStreamSpoilsTheCapture) {
  begin();
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorStreamCaptureUnsupported);
  expect_spoilt();
  begin();
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorStreamCaptureUnsupported);
  EXPECT_TRUE(says(cudaGetErrorString(cudaErrorStreamCaptureUnsupported), {"cudaStreamSynchronize"}));
  expect_spoilt();
}

TEST_F(Graphs, CallsThatMayWaitForTheDeviceSpoilTheThreadsCapture) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  float value = 0;
  void* other = nullptr;
  const std::initializer_list<std::function<cudaError_t()>> calls{
      [&] { return cudaMalloc(&other, 16); },
      [&] { return cudaFree(memory_); },
      [&] { return cudaMallocHost(&other, 16); },
      [&] { return cudaMemcpy(&value, memory_, sizeof value, cudaMemcpyDeviceToHost); },
      [&] { return cudaMemcpyAsync(&value, memory_, sizeof value, cudaMemcpyDeviceToHost, stream_); },
      [&] { return cudaEventQuery(event); },
      [&] { return cudaEventSynchronize(event); },
      [&] { return cudaDeviceSynchronize(); },
  };
  int number = 0;
  for (const auto& call : calls) {
    SCOPED_TRACE(number++);
    begin();
    EXPECT_EQ(call(), cudaErrorStreamCaptureUnsupported);
    expect_spoilt();
  }
  cudaEventDestroy(event);
}

TEST_F(Graphs, OtherThreadsAndRelaxedCapturesMayAllocate) {
  cudaGraph_t graph = nullptr;
  void* other = nullptr;
  begin();
  std::jthread([&] {
    EXPECT_EQ(cudaMalloc(&other, 16), cudaSuccess);
    EXPECT_EQ(cudaFree(other), cudaSuccess);
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureWrongThread);
  }).join();
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  begin(cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaMalloc(&other, 16), cudaSuccess);
  EXPECT_EQ(cudaFree(other), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(Graphs, WhatIsNoGraphAndNoCaptureIsRefused) {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorIllegalState);
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  begin();
  EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph), cudaSuccess);
  cudaSetDevice(1);
  cudaStream_t elsewhere = nullptr;
  ASSERT_EQ(cudaStreamCreate(&elsewhere), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, elsewhere), cudaErrorInvalidValue);
  cudaStreamDestroy(elsewhere);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace isolume::gpu::emulator

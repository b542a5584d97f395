#include "gpu/emulator/devices.h"

#include <chrono>
#include <cstring>
#include <thread>

#include "core/base/error.h"
#include "tests/gpu/emulator/emulator_test.h"
#include "tests/gpu/emulator/right_kernels.h"

namespace isolume::gpu::emulator {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_devices(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DeviceText, DescribesDevices) {
  const auto devices = parse_devices("4x sm90 8GiB, 1x slow 512MiB sm75,  speed=0.5 fails@7 hangs@8 oom@5");
  ASSERT_EQ(devices.size(), 6U);
  DeviceSpecification expected;
  expected.memory_bytes = std::size_t{8} << 30;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(devices[static_cast<std::size_t>(i)], expected);
  expected = {};
  expected.compute_major = 7;
  expected.compute_minor = 5;
  expected.memory_bytes = std::size_t{512} << 20;
  expected.speed = 0.25;
  EXPECT_EQ(devices[4], expected);
  expected = {};
  expected.speed = 0.5;
  expected.fails_at_launch = 7;
  expected.hangs_at_launch = 8;
  expected.fails_at_allocation = 5;
  EXPECT_EQ(devices[5], expected);
  const auto lonely = parse_devices("sm100 nopeer, nocode");
  EXPECT_FALSE(lonely[0].has_peers);
  EXPECT_TRUE(lonely[0].has_code);
  EXPECT_FALSE(lonely[1].has_code);
}

TEST(DeviceText, MayBeEmpty) {
  EXPECT_TRUE(parse_devices("").empty());
  EXPECT_TRUE(parse_devices("  ").empty());
}

TEST(DeviceText, IsRefusedWithTheWord) {
  EXPECT_TRUE(says(refusal("4x sm90, 2y"), {"\"2y\"", "expected Nx"}));
  EXPECT_TRUE(says(refusal("sm42"), {"\"sm42\"", "sm75"}));
  EXPECT_TRUE(says(refusal("1x,,1x"), {"a device between commas"}));
  EXPECT_TRUE(says(refusal("0x sm90"), {"\"0x\"", "1 to 32"}));
  EXPECT_TRUE(says(refusal("99x"), {"1 to 32"}));
  EXPECT_TRUE(says(refusal("20x, 20x"), {"40 devices"}));
  EXPECT_TRUE(says(refusal("-1GiB"), {"memory from 1MiB"}));
  EXPECT_TRUE(says(refusal("GiB"), {"memory from 1MiB"}));
  EXPECT_TRUE(says(refusal("speed=2"), {"above 0 and up to 1"}));
  EXPECT_TRUE(says(refusal("speed=nan"), {"above 0 and up to 1"}));
  EXPECT_TRUE(says(refusal("fails@0"), {"\"fails@0\""}));
  EXPECT_TRUE(says(refusal("fails@"), {"\"fails@\""}));
  EXPECT_TRUE(says(refusal("explodes@3"), {"\"explodes@3\""}));
}

TEST(OptionText, SaysInWhichOrderWorkIsDone) {
  const Options options = parse_options(nullptr, nullptr, nullptr);
  EXPECT_EQ(options.streams, StreamOrder::delayed);
  EXPECT_EQ(options.blocks, BlockOrder::interleaved);
  EXPECT_TRUE(options.conflicts);
  const Options others = parse_options("shuffled=7", "interleaved=9", "off");
  EXPECT_EQ(others.streams, StreamOrder::shuffled);
  EXPECT_EQ(others.stream_seed, 7U);
  EXPECT_EQ(others.block_seed, 9U);
  EXPECT_FALSE(others.conflicts);
  EXPECT_EQ(parse_options("eager", "in-order", "on").blocks, BlockOrder::in_order);
}

TEST(OptionText, IsRefusedWithTheWord) {
  const auto refused = [](const char* streams, const char* blocks, const char* conflicts) -> std::string {
    try {
      parse_options(streams, blocks, conflicts);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_TRUE(says(refused("later", nullptr, nullptr),
                   {"ISOLUME_EMULATED_STREAMS", "\"later\"", "eager, delayed, shuffled, shuffled=SEED"}));
  EXPECT_TRUE(says(refused(nullptr, "in-order=3", nullptr), {"ISOLUME_EMULATED_BLOCKS", "\"in-order=3\""}));
  EXPECT_TRUE(says(refused(nullptr, "shuffled=x", nullptr), {"\"shuffled=x\"", "interleaved=SEED"}));
  EXPECT_TRUE(says(refused(nullptr, nullptr, "yes"), {"ISOLUME_EMULATED_CONFLICTS", "on, off"}));
}

class Devices : public EmulatorTest {
 protected:
  static std::string add_once() {
    const OnDevice<float> a(std::vector<float>(10, 1.0f));
    const OnDevice<float> sum(10);
    return run(add, dim3(1), dim3(32), 0, a.data(), a.data(), sum.data(), 10);
  }
};

TEST_F(Devices, AreCountedAndDescribed) {
  use("1x sm75 256MiB, 2x sm120 1GiB");
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 3);
  cudaDeviceProp p{};
  ASSERT_EQ(cudaGetDeviceProperties(&p, 2), cudaSuccess);
  EXPECT_EQ(p.major, 12);
  EXPECT_EQ(p.minor, 0);
  EXPECT_EQ(p.totalGlobalMem, std::size_t{1} << 30);
  EXPECT_EQ(cudaGetDeviceProperties(&p, 3), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  int shared = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
  EXPECT_EQ(shared, 64 << 10);
  use("");
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(count, 0);
}

TEST_F(Devices, HaveAsMuchMemoryAsTheySay) {
  use("1x 2MiB");
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_EQ(free, std::size_t{2} << 20);
  void* first = nullptr;
  void* second = nullptr;
  ASSERT_EQ(cudaMalloc(&first, 1'500'000), cudaSuccess);
  EXPECT_EQ(memory_use(0).bytes, 1'500'000U);
  EXPECT_EQ(memory_use(0).allocations, 1U);
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_EQ(free, total - 1'500'000);
  EXPECT_EQ(cudaMalloc(&second, 1'500'000), cudaErrorMemoryAllocation);
  EXPECT_EQ(second, nullptr);
  EXPECT_TRUE(
      says(cudaGetErrorString(cudaErrorMemoryAllocation), {"1500000 bytes wanted", "597152 of 2097152"}));
  ASSERT_EQ(cudaFree(first), cudaSuccess);
  EXPECT_EQ(memory_use(0).bytes, 0U);
  EXPECT_EQ(cudaMalloc(&second, 1'500'000), cudaSuccess) << "running out of memory breaks nothing";
  cudaFree(second);
}

TEST_F(Devices, FailAtTheLaunchTheyWereToldTo) {
  use("2x fails@3");
  EXPECT_EQ(add_once(), "");
  EXPECT_EQ(add_once(), "");
  EXPECT_TRUE(says(add_once(), {"launch 3 on the emulated device 0 fails, as it was told to"}));
  cudaSetDevice(1);
  EXPECT_EQ(add_once(), "");
  cudaSetDevice(0);
  EXPECT_EQ(launch_count(0), 3);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(add_once(), "");
}

TEST_F(Devices, ThatFailFinishNoLaterLaunchOfAnotherStreamEither) {
  use("1x fails@1", StreamOrder::delayed);
  cudaStream_t first = nullptr;
  cudaStream_t second = nullptr;
  for (auto* stream : {&first, &second}) {
    ASSERT_EQ(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), cudaSuccess);
  }
  float* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
  const float* in = memory;
  int count = 0;
  void* arguments[] = {&in, &in, &memory, &count};
  for (auto* stream : {first, second}) {
    ASSERT_EQ(cudaLaunchKernel(add, dim3(1), dim3(1), arguments, 0, stream), cudaSuccess);
  }
  EXPECT_EQ(cudaStreamSynchronize(second), cudaErrorLaunchFailure) << "the first launch has not run yet";
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(add_once(), "");
}

TEST_F(Devices, RunOutOfMemoryAtTheAllocationTheyWereToldTo) {
  use("1x oom@2");
  void* first = nullptr;
  void* second = nullptr;
  ASSERT_EQ(cudaMalloc(&first, 100), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&second, 100), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&second, 100), cudaSuccess);
  cudaFree(first);
  cudaFree(second);
}

TEST_F(Devices, HangUntilTheyAreTakenAway) {
  use("1x hangs@1, 1x");
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  float* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
  const float* in = memory;
  int count = 0;
  void* arguments[] = {&in, &in, &memory, &count};
  ASSERT_EQ(cudaLaunchKernel(add, dim3(1), dim3(1), arguments, 0, stream), cudaSuccess);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  cudaSetDevice(1);
  EXPECT_EQ(add_once(), "") << "the other device works";
  cudaError_t answer = cudaSuccess;
  std::thread waiting([&] { answer = cudaStreamSynchronize(stream); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  set_devices("1x");
  waiting.join();
  EXPECT_NE(answer, cudaSuccess);
  EXPECT_NE(cudaStreamDestroy(stream), cudaSuccess) << "it has gone with its device";
  EXPECT_EQ(memory_use(0).bytes, 0U);
}

TEST_F(Devices, PinnedMemoryIsKernelsMemoryToo) {
  const std::size_t before = pinned_memory_use().bytes;
  float* host = nullptr;
  ASSERT_EQ(cudaHostAlloc(&host, 40, cudaHostAllocMapped), cudaSuccess);
  EXPECT_EQ(pinned_memory_use().bytes, before + 40);
  float* device = nullptr;
  ASSERT_EQ(cudaHostGetDevicePointer(&device, host, 0), cudaSuccess);
  const OnDevice<float> a(std::vector<float>(10, 4.0f));
  EXPECT_EQ(run(add, dim3(1), dim3(32), 0, a.data(), a.data(), device, 10), "");
  EXPECT_EQ(host[9], 8.0f);
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
  EXPECT_EQ(pinned_memory_use().bytes, before);
}

}  // namespace
}  // namespace isolume::gpu::emulator

#include "tests/gpu/emulator/wrong_kernels.h"

#include "tests/gpu/emulator/emulator_test.h"
#include "tests/gpu/emulator/right_kernels.h"

namespace isolume::gpu::emulator {
namespace {

/// Of the emulator's own checks of memory.
class WrongAccesses : public EmulatorTest {
 protected:
  void SetUp() override {
    if (!checks_accesses()) GTEST_SKIP() << "This build has no hooks at the kernels' accesses to memory.";
    EmulatorTest::SetUp();
  }
};
using WrongBarriers = EmulatorTest;

TEST_F(WrongAccesses, ReadsBeforeTheBarrierAreRaces) {
  const OnDevice<float> in(std::vector<float>(256, 1.0f));
  const OnDevice<float> out(256);
  EXPECT_TRUE(
      says(run(read_before_barrier, dim3(2), dim3(256), 0, in.data(), out.data()),
           {"kernel isolume::gpu::emulator::read_before_barrier on device 0, block (0,0,0), thread (32,0,0)",
            "reads 4 bytes", "after a write by thread (0,0,0)", "no barrier between: a race"}));
}

TEST_F(WrongAccesses, WritesBeforeTheBarrierAreRaces) {
  const OnDevice<float> in(std::vector<float>(256, 1.0f));
  const OnDevice<float> out(256);
  EXPECT_TRUE(says(run(write_before_barrier, dim3(1), dim3(256), 0, in.data(), out.data()), {"a race"}));
}

TEST_F(WrongAccesses, TwoWritesAreARace) {
  const OnDevice<float> out(64);
  EXPECT_TRUE(says(run(write_same_word, dim3(1), dim3(64), 0, out.data()),
                   {"thread (1,0,0): writes 4 bytes", "after a write by thread (0,0,0)", "a race"}));
}

TEST_F(WrongAccesses, LanesOfAWarpRaceToo) {
  const OnDevice<float> in(std::vector<float>(32, 1.0f));
  const OnDevice<float> out(32);
  EXPECT_TRUE(says(run(read_in_warp_without_sync, dim3(1), dim3(32), 0, in.data(), out.data()),
                   {"thread (1,0,0): reads", "thread (0,0,0)", "a race"}));
}

TEST_F(WrongAccesses, LanesRaceInTheSameTurn) {
  const OnDevice<float> out(32);
  EXPECT_TRUE(says(run(write_in_turn_of_readers, dim3(1), dim3(32), 0, out.data()),
                   {"thread (31,0,0): writes", "a race"}));
}

TEST_F(WrongAccesses, AShuffleOrdersNoMemory) {
  const OnDevice<float> in(std::vector<float>(32, 1.0f));
  const OnDevice<float> out(32);
  EXPECT_TRUE(says(run(shuffle_is_no_barrier, dim3(1), dim3(32), 0, in.data(), out.data()), {"a race"}));
}

TEST_F(WrongAccesses, APlainReadBesideAtomicsIsARace) {
  const OnDevice<int> out(1);
  EXPECT_TRUE(
      says(run(plain_beside_atomic, dim3(1), dim3(64), 0, out.data()), {"thread (63,0,0)", "a race"}));
}

TEST_F(WrongAccesses, ReadsBehindTheEndAreNamed) {
  const OnDevice<float> in(std::vector<float>(100, 1.0f));
  const OnDevice<float> out(1);
  EXPECT_TRUE(
      says(run(read_at, dim3(1), dim3(1), 0, in.data(), out.data(), 100),
           {"illegal memory access", "reads 4 bytes out of bounds: at 0 bytes past the end of allocation",
            "of device 0 (400 bytes)"}));
}

TEST_F(WrongAccesses, WritesBeforeTheBeginAreNamed) {
  const OnDevice<float> out(100);
  EXPECT_TRUE(says(run(write_at, dim3(1), dim3(1), 0, out.data(), -2),
                   {"writes 4 bytes out of bounds: at 8 bytes before the start of allocation"}));
}

TEST_F(WrongAccesses, AnErrorStaysUntilTheDeviceIsReset) {
  const OnDevice<float> out(100);
  run(write_at, dim3(1), dim3(1), 0, out.data(), -2);
  float value = 0;
  EXPECT_EQ(cudaMemcpy(&value, out.data(), sizeof value, cudaMemcpyDeviceToHost), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  cudaSetDevice(1);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "not the other device's error";
  cudaSetDevice(0);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(memory_use(0).bytes, 0U);
  const OnDevice<float> again(100);
  EXPECT_EQ(run(write_at, dim3(1), dim3(1), 0, again.data(), 2), "");
}

TEST_F(WrongAccesses, FreedMemoryIsNamed) {
  float* freed = nullptr;
  ASSERT_EQ(cudaMalloc(&freed, 400), cudaSuccess);
  ASSERT_EQ(cudaFree(freed), cudaSuccess);
  EXPECT_TRUE(says(run(write_at, dim3(1), dim3(1), 0, freed, 3), {"byte 12 of the freed allocation"}));
  EXPECT_NE(cudaFree(freed), cudaSuccess);
}

TEST_F(WrongAccesses, UnwrittenDeviceMemoryIsNotRead) {
  const OnDevice<float> in(4);
  const OnDevice<float> out(1);
  EXPECT_TRUE(says(run(read_at, dim3(1), dim3(1), 0, in.data(), out.data(), 3),
                   {"uninitialised read", "byte 12 of allocation"}));
}

TEST_F(WrongAccesses, UnwrittenSharedMemoryIsNotRead) {
  const OnDevice<float> out(64);
  EXPECT_TRUE(says(run(read_unwritten_shared, dim3(1), dim3(64), 0, out.data()),
                   {"thread (63,0,0): reads 4 bytes of shared memory", "uninitialised read"}));
}

TEST_F(WrongAccesses, DynamicSharedMemoryEndsWhereItWasAskedToEnd) {
  const OnDevice<float> out(64);
  EXPECT_EQ(run(read_beyond_dynamic_shared, dim3(1), dim3(64), 256, out.data(), 63), "");
  EXPECT_TRUE(says(run(read_beyond_dynamic_shared, dim3(1), dim3(64), 256, out.data(), 64),
                   {"out of bounds: at byte 256 of dynamic shared memory, of which there are 256"}));
}

TEST_F(WrongAccesses, AnotherDevicesMemoryNeedsPeerAccess) {
  cudaSetDevice(1);
  const OnDevice<float> there(std::vector<float>(4, 7.0f));
  cudaSetDevice(0);
  {
    const OnDevice<float> out(1);
    ASSERT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
    ASSERT_EQ(run(read_at, dim3(1), dim3(1), 0, there.data(), out.data(), 2), "");
    EXPECT_EQ(out.values().front(), 7.0f);
    ASSERT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
    EXPECT_TRUE(says(run(read_at, dim3(1), dim3(1), 0, there.data(), out.data(), 2),
                     {"of device 1, to which it has no peer access"}));
  }
}

TEST_F(WrongAccesses, HostMemoryIsOutOfReach) {
  float on_stack = 0;
  EXPECT_TRUE(says(run(write_host, dim3(1), dim3(1), 0, &on_stack), {"not memory of the device"}));
  EXPECT_EQ(on_stack, 0.0f);
}

TEST_F(WrongBarriers, DivergenceIsNamedWithBothPlaces) {
  const OnDevice<float> out(64);
  const std::string text = run(diverge_at_barriers, dim3(1), dim3(64), 0, out.data());
  EXPECT_TRUE(says(
      text, {"unspecified launch failure", "waits at the barrier", "wrong_kernels.cu:", "but thread ("}));
}

TEST_F(WrongBarriers, ThreadsThatEndedAreWaitedForInVain) {
  const OnDevice<float> out(64);
  EXPECT_TRUE(says(run(end_before_barrier, dim3(1), dim3(64), 0, out.data()),
                   {"thread (0,0,0) waits at the barrier", "thread (32,0,0) has ended", "for ever"}));
}

TEST_F(WrongBarriers, LanesThatEndedAreWaitedForInVain) {
  const OnDevice<int> out(32);
  EXPECT_TRUE(
      says(run(end_before_shuffle, dim3(1), dim3(32), 0, out.data()),
           {"thread (0,0,0) waits in a shuffle", "with the mask 0xffffffff", "thread (20,0,0) has ended"}));
}

TEST_F(WrongBarriers, AMaskHoldsItsOwnLane) {
  const OnDevice<int> out(32);
  EXPECT_TRUE(says(run(leave_itself_out, dim3(1), dim3(32), 0, out.data()), {"leaves out its own lane 16"}));
}

TEST_F(WrongBarriers, ShufflesReadFromLanesOfTheMask) {
  const OnDevice<int> out(32);
  EXPECT_TRUE(says(run(shuffle_from_outside_of_mask, dim3(1), dim3(32), 0, out.data()),
                   {"from lane 20, which is not in the mask 0x0000ffff"}));
}

TEST_F(WrongBarriers, ATrapEndsTheLaunch) {
  EXPECT_TRUE(says(run(stop_itself, dim3(1), dim3(32), 0), {"stop_itself", "thread (5,0,0)", "__trap"}));
}

TEST_F(WrongBarriers, BlocksAndGridsHaveLimits) {
  const OnDevice<float> out(1);
  EXPECT_TRUE(
      says(run(write_at, dim3(1), dim3(32, 32, 2), 0, out.data(), 0), {"a block of 32 x 32 x 2 threads"}));
  EXPECT_TRUE(
      says(run(write_at, dim3(1, 70'000), dim3(1), 0, out.data(), 0), {"a grid of 1 x 70000 x 1 blocks"}));
}

TEST_F(WrongBarriers, CopiesStayWithinTheirMemory) {
  const OnDevice<float> memory(10);
  std::vector<float> host(11);
  EXPECT_EQ(cudaMemcpy(memory.data(), host.data(), 44, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_TRUE(says(cudaGetErrorString(cudaErrorInvalidValue),
                   {"a copy of 44 bytes to byte 0 of allocation", "passes its end"}));
  EXPECT_EQ(cudaMemcpy(host.data(), memory.data(), 40, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(memory.data() + 1, 0, 40), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(memory.data() + 1, 0, 36), cudaSuccess);
}

}  // namespace
}  // namespace isolume::gpu::emulator

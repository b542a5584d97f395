#include "gpu/runtime/devices/device_code.h"

#include <gtest/gtest.h>

namespace isolume::gpu {
namespace {

std::string code(std::string_view architectures, int major, int minor) {
  const auto found = code_for(architectures, major, minor);
  return found ? found->text() : "none";
}

// The rules are those of "Binary Compatibility" and "PTX Compatibility" in CUDA's programming guide.
TEST(DeviceCode, MachineCodeServesLaterMinorVersionsOfItsMajorVersionOnly) {
  constexpr auto real = "75-real;80-real;90-real";
  EXPECT_EQ(code(real, 7, 5), "machine code sm_75");
  EXPECT_EQ(code(real, 8, 0), "machine code sm_80");
  EXPECT_EQ(code(real, 8, 9), "machine code sm_80");
  EXPECT_EQ(code(real, 9, 0), "machine code sm_90");
  for (const int major : {10, 11, 12}) EXPECT_EQ(code(real, major, 0), "none") << major;
  EXPECT_EQ(code(real, 7, 0), "none");
  EXPECT_EQ(code("86-real", 8, 0), "none");
}

TEST(DeviceCode, PtxServesAllLaterCapabilities) {
  EXPECT_EQ(code("75-virtual", 9, 0), "PTX compute_75, which the driver compiles");
  EXPECT_EQ(code("90,120", 10, 3), "PTX compute_90, which the driver compiles");
  EXPECT_EQ(code("90,120", 12, 1), "machine code sm_120");
  EXPECT_EQ(code("90,120", 13, 0), "PTX compute_120, which the driver compiles");
  EXPECT_EQ(code("90a", 10, 0), "none");
  EXPECT_EQ(code("90a", 9, 0), "machine code sm_90");
  EXPECT_EQ(code("", 9, 0), "none");
}

TEST(DeviceCode, EveryGenerationSinceTuringHasSome) {
  for (const auto& [major, minor] : {std::pair(7, 5),
                                     {8, 0},
                                     {8, 6},
                                     {8, 7},
                                     {8, 9},
                                     {9, 0},
                                     {10, 0},
                                     {10, 3},
                                     {11, 0},
                                     {12, 0},
                                     {12, 1}}) {
    EXPECT_TRUE(code_for(ISOLUME_PORTABLE_ARCHITECTURES, major, minor)) << major << "." << minor;
    EXPECT_TRUE(code_for(ISOLUME_PORTABLE_ARCHITECTURES_OF_CUDA_12, major, minor)) << major << "." << minor;
  }
}

}  // namespace
}  // namespace isolume::gpu

#include "gpu/emulator/compiler.h"

#include <array>
#include <filesystem>

#include <unistd.h>

#include "core/base/error.h"
#include "tests/gpu/emulator/emulator_test.h"

namespace isolume::gpu::emulator {
namespace {

class Compiler : public EmulatorTest {
 protected:
  Compiler()
      : folder_(std::filesystem::temp_directory_path() / ("isolume-compiler-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Compiler() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(Compiler, MakesKernelsWithConstantMemory) {
  const auto library = folder_ / "it's scaled.so";
  compile(R"(
extern "C" { __constant__ float factor[2]; }
extern "C" __global__ void scale(const float* in, float* out, int count) {
  __shared__ float values[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = i < count ? in[i] : 0.0f;
  __syncthreads();
  if (i < count) out[i] = fmaf(factor[0], values[threadIdx.x], factor[1]);
})",
          library);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1)
      << "nothing else is left behind";
  const auto factor = load(library, "factor");
  ASSERT_EQ(factor.bytes, 8U);
  const auto scale = reinterpret_cast<void (*)(const float*, float*, int)>(load(library, "scale").address);
  const float values[2] = {3, 1};
  ASSERT_EQ(copy_to_symbol(factor.address, factor.bytes, values, sizeof values, 0, cudaMemcpyHostToDevice,
                           nullptr, true),
            cudaSuccess);
  const OnDevice<float> in(std::vector<float>(100, 2.0f));
  const OnDevice<float> out(100);
  ASSERT_EQ(run(scale, dim3(2), dim3(64), 0, in.data(), out.data(), 100), "");
  EXPECT_EQ(out.values(), std::vector<float>(100, 7.0f));
  if (!checks_accesses()) GTEST_SKIP() << "This build has no hooks at the kernels' accesses to memory.";
  EXPECT_TRUE(
      says(run(scale, dim3(2), dim3(64), 0, in.data(), out.data(), 101), {"kernel scale", "out of bounds"}));
}

TEST_F(Compiler, GivesItsReasons) {
  try {
    compile("extern \"C\" __global__ void broken() { int i = nothing; }", folder_ / "broken.so");
    FAIL() << "compiled";
  } catch (const Error& error) {
    EXPECT_TRUE(says(error.what(), {"broken.cu:1", "nothing", "not declared"}));
  }
  EXPECT_THROW(load(folder_ / "broken.so", "broken"), Error);
}

}  // namespace
}  // namespace isolume::gpu::emulator

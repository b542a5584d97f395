#include "gpu/runtime/compiler/runtime_compiler.h"

#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "gpu/runtime/memory/buffer.h"
#include "tests/gpu/runtime/compiler/compiler_here.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

const KernelSource triad{"triad.cu", R"(
extern "C" __global__ void triad(const float* a, const float* b, float* c, float factor, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) c[i] = fmaf(factor, a[i], b[i]);
}
extern "C" __global__ void reverse(float* values) {
  __shared__ float tile[64];
  tile[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = tile[63 - threadIdx.x];
}
)"};

class RuntimeCompiler : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    if (IsSkipped()) return;
    if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
    std::string pattern = (std::filesystem::temp_directory_path() / "isolume-compiler-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
    RuntimeTest::TearDown();
  }
  CompiledImage compile_triad() const { return compile(triad, target_of(device()), KernelCache(folder_)); }

  std::filesystem::path folder_;
};

TEST_F(RuntimeCompiler, CompiledKernelsComputeAfreshAndFromTheCache) {
  for (const bool from_cache : {false, true}) {
    const CompiledImage image = compile_triad();
    EXPECT_EQ(image.from_cache, from_cache);
    const KernelModule module(device(), image);
    const auto kernel = module.kernel<void(const float*, const float*, float*, float, int)>("triad");
    constexpr int count = 1001;
    const Stream stream(device());
    std::vector<float> a(count);
    std::vector<float> b(count);
    std::iota(a.begin(), a.end(), 1.0f);
    std::iota(b.begin(), b.end(), -500.0f);
    DeviceBuffer<float> on_device_a(stream, count);
    DeviceBuffer<float> on_device_b(stream, count);
    DeviceBuffer<float> on_device_c(stream, count);
    on_device_a.copy_from(a, stream);
    on_device_b.copy_from(b, stream);
    launch(kernel, dim3(16), dim3(64), 0, stream, on_device_a.device_data(), on_device_b.device_data(),
           on_device_c.device_data(), 0.5, count);  // the factor is a double here
    std::vector<float> c(count);
    on_device_c.copy_to(c, stream);
    stream.wait();
    for (std::size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i], 0.5f * a[i] + b[i]);
  }
}

TEST_F(RuntimeCompiler, SharedMemoryAndBarriersWork) {
  const KernelModule module(device(), compile_triad());
  const Stream stream(device());
  std::vector<float> values(64);
  std::iota(values.begin(), values.end(), 0.0f);
  DeviceBuffer<float> on_device(stream, 64);
  on_device.copy_from(values, stream);
  launch(module.kernel<void(float*)>("reverse"), dim3(1), dim3(64), 0, stream, on_device.device_data());
  on_device.copy_to(values, stream);
  stream.wait();
  for (int i = 0; i < 64; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], 63 - i);
}

TEST_F(RuntimeCompiler, AKernelThatIsNotThereIsAnError) {
  const KernelModule module(device(), compile_triad());
  EXPECT_THROW(module.kernel<void()>("quadrad"), Error);
}

TEST_F(RuntimeCompiler, AnImageThatIsNoneIsAnError) {
  EXPECT_THROW(KernelModule(device(), CompiledImage{"not machine code", {}, false}), Error);
  EXPECT_EQ(check_device(device()), "");
}

TEST_F(RuntimeCompiler, AnErrorInTheSourceComesWithTheCompilersWords) {
  const KernelSource wrong{"wrong.cu", "extern \"C\" __global__ void f() { undeclared = 1; }"};
  try {
    compile(wrong, target_of(device()), KernelCache(folder_));
    FAIL() << "It was compiled.";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("wrong.cu"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("undeclared"), std::string::npos) << error.what();
  }
}

#ifdef ISOLUME_GPU_EMULATED

TEST_F(RuntimeCompiler, TheEmulatorSeesWhatCompiledKernelsTouch) {
  if (!emulator::checks_accesses()) GTEST_SKIP() << "Built without the emulator's hooks.";
  expect_given_up();
  const KernelModule module(device(), compile_triad());
  const Stream stream(device());
  const DeviceBuffer<float> never_written(stream, 64);
  launch(module.kernel<void(float*)>("reverse"), dim3(1), dim3(64), 0, stream, never_written.device_data());
  try {
    stream.wait();
    FAIL() << "It was not seen.";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("reverse"), std::string::npos) << error.what();
  }
}

#endif

}  // namespace
}  // namespace isolume::gpu

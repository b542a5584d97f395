#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "gpu/runtime/compiler/runtime_compiler.h"
#include "gpu/runtime/cuda_library.h"
#include "tests/gpu/runtime/compiler/nvrtc_here.h"

// Compiling needs the toolkit's NVRTC and no GPU.
namespace isolume::gpu {
namespace {

const KernelSource triad{"triad.cu", R"(
extern "C" __global__ void triad(const float* a, const float* b, float* c, float factor, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) c[i] = fmaf(factor, a[i], b[i]);
}
)"};

using testing::newest;
using testing::nvrtc_is_here;

class Nvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_is_here()) GTEST_SKIP() << "The toolkit's libnvrtc is not installed.";
    std::string pattern = (std::filesystem::temp_directory_path() / "isolume-nvrtc-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  KernelCache cache() const { return KernelCache(folder_); }

  std::filesystem::path folder_;
};

TEST_F(Nvrtc, CompilesMachineCodeForEveryGeneration) {
  for (const CompileTarget target : {CompileTarget{7, 5}, {8, 0}, {8, 6}, {8, 9}, {9, 0}, newest}) {
    const CompiledImage image = compile(triad, target, KernelCache(std::filesystem::path()));
    EXPECT_EQ(image.code.substr(0, 4), "\177ELF") << target.compute_major << "." << target.compute_minor;
    EXPECT_NE(image.code.find("triad"), std::string::npos);
    EXPECT_FALSE(image.from_cache);
  }
}

TEST_F(Nvrtc, TargetsThatItHasNotHeardOfGetPtx) {
  const CompiledImage image = compile(triad, {99, 0}, KernelCache(std::filesystem::path()));
  EXPECT_NE(image.code.find(".entry triad"), std::string::npos);
}

TEST_F(Nvrtc, TargetsTooOldAreAnError) {
  EXPECT_THROW(compile(triad, {1, 0}, KernelCache(std::filesystem::path())), Error);
}

TEST_F(Nvrtc, TheSecondTimeItComesFromTheCacheAndOnlyForTheSameQuestion) {
  const CompiledImage first = compile(triad, {8, 0}, cache());
  EXPECT_FALSE(first.from_cache);
  const CompiledImage second = compile(triad, {8, 0}, cache());
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.code, first.code);

  EXPECT_FALSE(compile(triad, {8, 6}, cache()).from_cache);
  KernelSource changed = triad;
  changed.options = {"--use_fast_math"};
  EXPECT_FALSE(compile(changed, {8, 0}, cache()).from_cache);
  changed = triad;
  changed.code += "\n";
  EXPECT_FALSE(compile(changed, {8, 0}, cache()).from_cache);
  EXPECT_TRUE(compile(triad, {8, 0}, cache()).from_cache);
}

TEST_F(Nvrtc, ADamagedCacheFileIsCompiledAgain) {
  const CompiledImage first = compile(triad, {8, 0}, cache());
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    std::filesystem::resize_file(entry.path(), entry.file_size() - 1);
  }
  const CompiledImage second = compile(triad, {8, 0}, cache());
  EXPECT_FALSE(second.from_cache);
  EXPECT_EQ(second.code, first.code);
  EXPECT_TRUE(compile(triad, {8, 0}, cache()).from_cache);
}

TEST_F(Nvrtc, AnErrorInTheSourceComesWithTheCompilersWords) {
  const KernelSource wrong{"wrong.cu", "extern \"C\" __global__ void f() { undeclared = 1; }"};
  try {
    compile(wrong, {8, 0}, cache());
    FAIL() << "It was compiled.";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("wrong.cu"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("\"undeclared\" is undefined"), std::string::npos)
        << error.what();
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(Nvrtc, AnOptionThatItDoesNotKnowIsAnError) {
  KernelSource source = triad;
  source.options = {"--no-such-option"};
  EXPECT_THROW(compile(source, {8, 0}, cache()), Error);
}

TEST_F(Nvrtc, ACacheThatCannotBeWrittenIsNoError) {
  const KernelCache blocked("/proc/no-such-folder");
  EXPECT_FALSE(compile(triad, {8, 0}, blocked).code.empty());
}

TEST(CudaLibrary, OneThatIsNotThereIsAnErrorThatNamesIt) {
  try {
    const CudaLibrary library("isolume-has-no-such-library", {3});
    FAIL() << "It was found.";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("libisolume-has-no-such-library.so.3"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("CUDA_PATH"), std::string::npos);
  }
}

}  // namespace
}  // namespace isolume::gpu

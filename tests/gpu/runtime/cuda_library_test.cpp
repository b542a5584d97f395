#include "gpu/runtime/cuda_library.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/temporary_folder.h"

namespace isolume::gpu {
namespace {

namespace fs = std::filesystem;

/// Some library of the system, under the name of one that no machine has.
fs::path put_library(const fs::path& folder) {
  Dl_info known{};
  dladdr(reinterpret_cast<void*>(static_cast<double (*)(double)>(std::cos)), &known);
  fs::create_directories(folder);
  const fs::path file = folder / "libisolume-none-such.so.9";
  fs::copy_file(fs::canonical(known.dli_fname), file);
  return file;
}

void expect_found(const char* variable, const fs::path& root, const fs::path& file) {
  setenv(variable, root.c_str(), 1);
  const CudaLibrary library("isolume-none-such", {9});
  unsetenv(variable);
  EXPECT_EQ(library.file(), file);
  double (*cosine)(double) = nullptr;
  library.find(cosine, "cos");
  EXPECT_EQ(cosine(0), 1.0);
}

TEST(CudaLibraries, AreFoundInAToolkitsFolder) {
  const testing::TemporaryFolder folder;
  expect_found("CUDA_HOME", folder.path(), put_library(folder.path() / "lib64"));
}

TEST(CudaLibraries, AreFoundAmongThePackagesOfAPython) {
  const testing::TemporaryFolder folder;
  expect_found("VIRTUAL_ENV", folder.path(),
               put_library(folder.path() / "lib/python3.12/site-packages/nvidia/none_such/lib"));
}

TEST(CudaLibraries, AreFoundInACondaEnvironment) {
  const testing::TemporaryFolder folder;
  expect_found("CONDA_PREFIX", folder.path(), put_library(folder.path() / "lib"));
}

TEST(CudaLibraries, ThatAreNowhereAreErrorsWithARemedy) {
  try {
    const CudaLibrary library("isolume-none-such", {9});
    FAIL() << library.file();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("libisolume-none-such.so.9"), std::string::npos) << text;
    EXPECT_NE(text.find("CUDA_PATH"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace isolume::gpu

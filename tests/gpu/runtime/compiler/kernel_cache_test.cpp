#include "gpu/runtime/compiler/kernel_cache.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace isolume::gpu {
namespace {

namespace fs = std::filesystem;

class KernelCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "isolume-kernels-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path());
    return found;
  }

  fs::path folder_;
};

TEST_F(KernelCacheTest, GivesBackWhatWasStoredUnderTheSameKeyOnly) {
  const KernelCache cache(folder_ / "made" / "when needed");
  const std::string image("code\0with a zero\n", 17);
  EXPECT_EQ(cache.find("key"), std::nullopt);
  cache.store("key", image);
  EXPECT_EQ(cache.find("key"), image);
  EXPECT_EQ(cache.find("ke"), std::nullopt);
  EXPECT_EQ(cache.find("key\n"), std::nullopt);
  cache.store("key", "newer");
  EXPECT_EQ(cache.find("key"), "newer");
}

TEST_F(KernelCacheTest, DamageAnywhereGivesNoneAndStoringHeals) {
  const KernelCache cache(folder_);
  cache.store("the key", "the image");
  ASSERT_EQ(files().size(), 1U);
  const fs::path file = files().front();
  const auto size = static_cast<long>(fs::file_size(file));
  for (long at = 0; at < size; ++at) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(at);
    const int before = stream.get();
    stream.seekp(at);
    stream.put(static_cast<char>(before ^ 1));
    stream.close();
    EXPECT_EQ(cache.find("the key"), std::nullopt) << "byte " << at;
    cache.store("the key", "the image");
    ASSERT_EQ(cache.find("the key"), "the image");
  }
  for (long length = 0; length < size; ++length) {
    fs::resize_file(file, static_cast<std::uintmax_t>(length));
    EXPECT_EQ(cache.find("the key"), std::nullopt) << length << " bytes left";
    cache.store("the key", "the image");
  }
}

TEST_F(KernelCacheTest, AFileOfAnotherKeyUnderThisNameIsNotTaken) {
  const KernelCache cache(folder_);
  cache.store("one", "image of one");
  const fs::path file_of_one = files().front();
  cache.store("two", "image of two");
  for (const fs::path& file : files()) {  // as if both keys had the same hash
    if (file != file_of_one) fs::copy_file(file, file_of_one, fs::copy_options::overwrite_existing);
  }
  EXPECT_EQ(cache.find("one"), std::nullopt);
  EXPECT_EQ(cache.find("two"), "image of two");
}

TEST_F(KernelCacheTest, StaysBelowItsLimitByLeavingOutTheLongestUnused) {
  const std::string image(1000, 'x');
  const KernelCache cache(folder_, 3500);  // three with their headers
  using namespace std::chrono_literals;
  const auto age_all = [&] {
    for (const fs::path& file : files()) fs::last_write_time(file, fs::last_write_time(file) - 1h);
  };
  for (const char* key : {"a", "b", "c"}) {
    cache.store(key, image);
    age_all();
  }
  EXPECT_TRUE(cache.find("a"));  // used now, so "b" is the longest unused
  age_all();
  cache.store("d", image);
  EXPECT_TRUE(cache.find("a"));
  EXPECT_FALSE(cache.find("b"));
  EXPECT_TRUE(cache.find("c"));
  EXPECT_TRUE(cache.find("d"));
}

TEST_F(KernelCacheTest, WithoutAFolderItKeepsNothingAndOneThatCannotBeMadeIsAnError) {
  const KernelCache none{fs::path()};
  none.store("key", "image");
  EXPECT_EQ(none.find("key"), std::nullopt);

  std::ofstream(folder_ / "file") << "in the way";
  const KernelCache blocked(folder_ / "file" / "kernels");
  EXPECT_THROW(blocked.store("key", "image"), Error);
  EXPECT_EQ(blocked.find("key"), std::nullopt);
}

}  // namespace
}  // namespace isolume::gpu

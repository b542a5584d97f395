// Numbers that come to the host when somebody reads them.
#include "core/dispatch/device_values.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace isolume::dispatch {
namespace {

/// 0, 10, 20 ... far away.
struct Far {
  std::atomic<int> fetches = 0, gathers = 0;
  std::atomic<bool> gone = false;
};
class FarValues final : public DeviceValues {
 public:
  FarValues(Far& far, std::size_t size) : far_(far), size_(size) {}
  std::size_t size() const override { return size_; }
  bool readable() const override { return !far_.gone; }
  void to_host(std::span<float> values) const override {
    if (far_.gone) throw Error("gone");
    ++far_.fetches;
    for (std::size_t i = 0; i < size_; ++i) values[i] = 10 * static_cast<float>(i);
  }
  std::vector<float> at(std::span<const std::uint32_t> places) const override {
    ++far_.gathers;
    std::vector<float> found;
    for (const auto each : places) found.push_back(10 * static_cast<float>(each));
    return found;
  }

 private:
  Far& far_;
  std::size_t size_;
};

const std::vector<std::uint32_t> two{3, 1};

TEST(LazyValues, ComeOnceForAllWhoReadThem) {
  Far far;
  const LazyValues values(std::make_shared<const FarValues>(far, 4));
  const LazyValues copy = values;
  EXPECT_EQ(values.size(), 4u);
  EXPECT_FALSE(values.empty());
  EXPECT_EQ(values.at(two), (std::vector<float>{30, 10}));
  EXPECT_EQ(far.fetches, 0);
  EXPECT_TRUE(values.on_device_only());
  {
    std::vector<std::jthread> readers;
    for (int reader = 0; reader < 4; ++reader)
      readers.emplace_back([&, reader] { EXPECT_EQ((reader % 2 ? values : copy)[2], 20); });
  }
  EXPECT_EQ(far.fetches, 1);
  EXPECT_FALSE(copy.on_device_only());
  EXPECT_EQ(copy.at(two), (std::vector<float>{30, 10}));
  EXPECT_EQ(far.gathers, 1) << "the host has them";
  EXPECT_NE(copy.device(), nullptr) << "as does the device";
  EXPECT_EQ(values, LazyValues(std::vector<float>{0, 10, 20, 30}));
}

TEST(LazyValues, StayReadableWhereTheHostHasThem) {
  Far far;
  const LazyValues read(std::make_shared<const FarValues>(far, 4)),
      unread(std::make_shared<const FarValues>(far, 4));
  EXPECT_EQ(read[1], 10);
  far.gone = true;
  EXPECT_TRUE(read.readable());
  EXPECT_EQ(read[3], 30);
  EXPECT_FALSE(unread.readable());
  EXPECT_THROW(unread.host(), Error);
  far.gone = false;
  EXPECT_EQ(unread[3], 30) << "what failed is tried again";
}

TEST(LazyValues, OfTheHostAreNumbers) {
  const LazyValues none, null{std::shared_ptr<const DeviceValues>()}, host(std::vector<float>{5, 6, 7, 8});
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(null.empty());
  EXPECT_TRUE(host.readable());
  EXPECT_EQ(host.device(), nullptr);
  EXPECT_FALSE(host.on_device_only());
  EXPECT_EQ(host.at(two), (std::vector<float>{8, 6}));
}

}  // namespace
}  // namespace isolume::dispatch

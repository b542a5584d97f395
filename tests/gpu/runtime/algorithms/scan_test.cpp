#include "gpu/runtime/algorithms/scan.h"

#include <numeric>
#include <random>

#include "gpu/runtime/memory/buffer.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

class Scan : public RuntimeTest {
 protected:
  static std::vector<std::uint32_t> random_counts(std::size_t count, std::uint32_t largest) {
    std::mt19937 random(7);
    std::uniform_int_distribution<std::uint32_t> any(0, largest);
    std::vector<std::uint32_t> values(count);
    for (auto& value : values) value = any(random);
    return values;
  }
};

TEST_F(Scan, SumsAreThoseOfTheHost) {
  const Stream stream(device());
  for (const std::size_t count : {1, 2, 31, 32, 33, 1000, 40'001}) {
    for (const std::uint32_t largest : {5U, 0xffffffffU}) {  // the latter runs over, as it does on the host
      const auto values = random_counts(count, largest);
      std::vector<std::uint32_t> exclusive(count);
      std::vector<std::uint32_t> inclusive(count);
      std::exclusive_scan(values.begin(), values.end(), exclusive.begin(), 0U);
      std::inclusive_scan(values.begin(), values.end(), inclusive.begin());

      DeviceBuffer<std::uint32_t> in(stream, count);
      DeviceBuffer<std::uint32_t> out(stream, count);
      std::vector<std::uint32_t> result(count);
      in.copy_from(values, stream);
      exclusive_sum(in.device_data(), out.device_data(), count, stream);
      out.copy_to(result, stream);
      stream.wait();
      ASSERT_EQ(result, exclusive) << count;
      inclusive_sum(in.device_data(), out.device_data(), count, stream);
      out.copy_to(result, stream);
      stream.wait();
      ASSERT_EQ(result, inclusive) << count;
      exclusive_sum(in.device_data(), in.device_data(), count, stream);
      in.copy_to(result, stream);
      stream.wait();
      ASSERT_EQ(result, exclusive) << count << " in place";
    }
  }
}

TEST_F(Scan, SumsOfFloatsAreAddedAsDoubles) {
  const Stream stream(device());
  for (const std::size_t count : {1, 257, 50'000}) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> any(0, 1);
    std::vector<float> values(count);
    for (auto& value : values) value = any(random);
    values[0] = 1e8f;  // in floats, the rest would be lost beside it
    const double expected = std::accumulate(values.begin(), values.end(), 0.0);
    DeviceBuffer<float> in(stream, count);
    DeviceBuffer<double> out(stream, 1);
    in.copy_from(values, stream);
    sum(in.device_data(), out.device_data(), count, stream);
    std::vector<double> result(1);
    out.copy_to(result, stream);
    stream.wait();
    EXPECT_NEAR(result[0], expected, 1e-14 * expected * std::sqrt(static_cast<double>(count))) << count;
  }
}

TEST_F(Scan, ASumOfNothingIsZero) {
  const Stream stream(device());
  DeviceBuffer<double> out(stream, 1);
  sum(nullptr, out.device_data(), 0, stream);
  exclusive_sum(nullptr, nullptr, 0, stream);
  inclusive_sum(nullptr, nullptr, 0, stream);
  std::vector<double> result(1, 5.0);
  out.copy_to(result, stream);
  stream.wait();
  EXPECT_EQ(result[0], 0.0);
}

}  // namespace
}  // namespace isolume::gpu

#include "gpu/runtime/algorithms/sort.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "gpu/runtime/memory/buffer.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

class Sort : public RuntimeTest {};

TEST_F(Sort, PairsAreInTheOrderOfTheHostsStableSort) {
  const Stream stream(device());
  for (const std::size_t count : {1, 2, 3, 32, 1000, 4097}) {
    for (const int bits : {5, 63, 64}) {
      std::mt19937_64 random(count);
      std::vector<std::uint64_t> keys(count), found_keys(count);
      std::vector<std::uint32_t> values(count), found(count);
      for (auto& key : keys)
        key = bits == 5 ? random() % 200 : random();  // what is above the 5 bits does not count
      std::iota(values.begin(), values.end(), 0u);
      const std::uint64_t mask = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
      auto expected = values;
      std::ranges::stable_sort(expected, {}, [&](std::uint32_t i) { return keys[i] & mask; });

      DeviceBuffer<std::uint64_t> in(stream, count), out(stream, count);
      DeviceBuffer<std::uint32_t> order(stream, count), sorted(stream, count);
      in.copy_from(keys, stream);
      order.copy_from(values, stream);
      sort_pairs(in.device_data(), out.device_data(), order.device_data(), sorted.device_data(), count, bits,
                 stream);
      out.copy_to(found_keys, stream);
      sorted.copy_to(found, stream);
      stream.wait();
      ASSERT_EQ(found, expected) << count << " pairs, " << bits << " bits";
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(found_keys[i], keys[expected[i]]);
    }
  }
}

}  // namespace
}  // namespace isolume::gpu

#include "gpu/runtime/algorithms/sort.h"

#ifdef ISOLUME_GPU_EMULATED
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"
#include "gpu/runtime/memory/buffer.h"
#else
#include <cub/device/device_radix_sort.cuh>

#include "gpu/runtime/algorithms/scratch.h"
#endif

namespace isolume::gpu {

#ifdef ISOLUME_GPU_EMULATED

namespace {

struct Pairs {
  std::uint64_t* keys;
  std::uint32_t* values;

  __device__ void set(std::size_t i, const Pairs& from, std::size_t j) const {
    keys[i] = from.keys[j];
    values[i] = from.values[j];
  }
};

__device__ void merge(const Pairs& from, const Pairs& to, std::size_t begin, std::size_t middle,
                      std::size_t end, std::uint64_t mask) {
  std::size_t left = begin, right = middle;
  for (std::size_t i = begin; i < end; ++i) {
    const bool take_left =
        left < middle && (right == end || (from.keys[left] & mask) <= (from.keys[right] & mask));
    to.set(i, from, take_left ? left++ : right++);
  }
}

/// One thread, so that the emulator sees every access to the caller's memory. Ends in `sorted`.
__global__ void serial_merge_sort(const std::uint64_t* keys, const std::uint32_t* values, Pairs sorted,
                                  Pairs other, std::size_t count, std::uint64_t mask) {
  int rounds = 0;
  for (std::size_t width = 1; width < count; width *= 2) ++rounds;
  Pairs from = rounds % 2 == 0 ? sorted : other;
  Pairs to = rounds % 2 == 0 ? other : sorted;
  for (std::size_t i = 0; i < count; ++i) {
    from.keys[i] = keys[i];
    from.values[i] = values[i];
  }
  for (std::size_t width = 1; width < count; width *= 2) {
    for (std::size_t begin = 0; begin < count; begin += 2 * width) {
      const std::size_t middle = begin + width < count ? begin + width : count;
      const std::size_t end = begin + 2 * width < count ? begin + 2 * width : count;
      merge(from, to, begin, middle, end, mask);
    }
    const Pairs swapped = from;
    from = to;
    to = swapped;
  }
}

}  // namespace

void sort_pairs(const std::uint64_t* keys, std::uint64_t* sorted_keys, const std::uint32_t* values,
                std::uint32_t* sorted_values, std::size_t count, int bits, const Stream& stream) {
  const DeviceBuffer<std::uint64_t> other_keys(stream, count);
  const DeviceBuffer<std::uint32_t> other_values(stream, count);
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  launch(serial_merge_sort, dim3(1), dim3(1), 0, stream, keys, values, Pairs{sorted_keys, sorted_values},
         Pairs{other_keys.device_data(), other_values.device_data()}, count, mask);
}

#else

void sort_pairs(const std::uint64_t* keys, std::uint64_t* sorted_keys, const std::uint32_t* values,
                std::uint32_t* sorted_values, std::size_t count, int bits, const Stream& stream) {
  with_scratch(stream, "sorting", [&](void* scratch, std::size_t& bytes, cudaStream_t queue) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted_keys, values, sorted_values, count, 0,
                                           bits, queue);
  });
}

#endif

}  // namespace isolume::gpu

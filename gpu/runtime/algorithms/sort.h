#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/runtime/streams/stream_name.h"

namespace isolume::gpu {

/// Sorts pairs in device memory by the lowest `bits` of their keys; pairs with equal keys keep their order.
/// Queued on a stream: CUB's radix sort with CUDA. The outputs must not overlap anything. Scratch memory
/// comes from the stream's device; ResourceError if its budget does not allow it.
void sort_pairs(const std::uint64_t* keys, std::uint64_t* sorted_keys, const std::uint32_t* values,
                std::uint32_t* sorted_values, std::size_t count, int bits, const Stream& stream);

}  // namespace isolume::gpu

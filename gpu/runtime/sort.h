#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/runtime/stream_name.h"

namespace isolume::gpu {

/// Sorts pairs of device memory by their keys, of which the lowest `bits` count; those with the same key stay in their
/// order. Queued on a stream: CUB's radix sort where there is CUDA. The outputs overlap nothing. Scratch memory comes
/// from the stream's device; ResourceError when its budget does not allow it.
void sort_pairs(const std::uint64_t* keys, std::uint64_t* sorted_keys, const std::uint32_t* values,
                std::uint32_t* sorted_values, std::size_t count, int bits, const Stream& stream);

}  // namespace isolume::gpu

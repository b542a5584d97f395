#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/runtime/streams/stream_name.h"

/// Prefix sums and sums of device memory, queued on a stream: CUB's with CUDA. Scratch memory comes from the
/// stream's device; ResourceError if its budget does not allow it.
namespace isolume::gpu {

/// out[i] = in[0] + ... + in[i - 1], out[0] = 0; modulo 2^32. `count` values each; `in` may be `out`, no
/// other overlap.
void exclusive_sum(const std::uint32_t* in, std::uint32_t* out, std::size_t count, const Stream& stream);
/// out[i] = in[0] + ... + in[i]; otherwise the same.
void inclusive_sum(const std::uint32_t* in, std::uint32_t* out, std::size_t count, const Stream& stream);

/// *out = in[0] + ... + in[count - 1], added as doubles; `out` is device memory too. The order of the
/// additions depends on the device, so the last bits may.
void sum(const float* in, double* out, std::size_t count, const Stream& stream);

}  // namespace isolume::gpu

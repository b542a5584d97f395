#pragma once

#include "gpu/runtime/streams/stream_name.h"

namespace isolume::gpu {

/// Queues out[i] = factor in[i] + shift, rounded once, for i below `count`; both are device memory.
void scale_and_shift(const float* in, float* out, int count, float factor, float shift, const Stream& stream);

}  // namespace isolume::gpu

#pragma once

#include <cstddef>

#include "gpu/runtime/streams/stream.h"

/// Kernels for tests of the runtime.
namespace isolume::gpu::test {

/// to[i] = value.
void fill(float* to, int count, float value, const Stream& stream);
/// out[i] = factor * in[i] + shift.
void scale_and_shift(const float* in, float* out, int count, float factor, float shift, const Stream& stream);
/// to[i] = i + seed, for a lot of values that differ.
void number(unsigned* to, std::size_t count, unsigned seed, const Stream& stream);
/// out[i] = in[count - 1 - i], through that much dynamic shared memory; one block.
void reverse(const float* in, float* out, int count, const Stream& stream);
/// The smallest and the largest value and the sum of 64 values, for each of `blocks` blocks.
struct Reduced {
  float low, high;
  double sum;
};
void reduce(const float* in, Reduced* out, unsigned blocks, const Stream& stream);
/// A block that no device runs.
void launch_too_many_threads(const Stream& stream);

}  // namespace isolume::gpu::test

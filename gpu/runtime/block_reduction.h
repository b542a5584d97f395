#pragma once

#include "gpu/runtime/kernel.h"

/// Device code: reductions over the threads of a block.
namespace isolume::gpu {

/// Combines the values of all threads of a one-dimensional block of `threads`, a power of two, into shared[0]: the
/// first thread can read it at once, the others after a barrier. combine(value, other) adds another thread's value to
/// `value`. The order is fixed, so that sums are bit-identical in every run. All threads must call it.
template <unsigned threads, class Value, class Combine>
__device__ __forceinline__ void reduce_block(Value (&shared)[threads], const Value& own,
                                             const Combine& combine) {
  static_assert((threads & (threads - 1)) == 0);
  const unsigned t = threadIdx.x;
  shared[t] = own;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) combine(shared[t], shared[t + half]);
  }
}

}  // namespace isolume::gpu

#pragma once

#include <cuda_runtime.h>

/// Kernels that break CUDA's rules, each in one way.
namespace isolume::gpu::emulator {

__global__ void read_before_barrier(const float* in, float* out);
__global__ void write_before_barrier(const float* in, float* out);
__global__ void write_same_word(float* out);
__global__ void read_in_warp_without_sync(const float* in, float* out);
/// The last lane writes what the others read in the same turn; the turn before is over.
__global__ void write_in_turn_of_readers(float* out);
__global__ void shuffle_is_no_barrier(const float* in, float* out);
__global__ void plain_beside_atomic(int* out);
/// The two halves of a block wait at different barriers.
__global__ void diverge_at_barriers(float* out);
/// Half of the block ends before the barrier.
__global__ void end_before_barrier(float* out);
__global__ void end_before_shuffle(int* out);
__global__ void leave_itself_out(int* out);
__global__ void shuffle_from_outside_of_mask(int* out);
__global__ void read_at(const float* in, float* out, int at);
__global__ void write_at(float* out, int at);
__global__ void read_unwritten_shared(float* out);
__global__ void read_beyond_dynamic_shared(float* out, int at);
__global__ void write_host(float* host);
__global__ void stop_itself();

}  // namespace isolume::gpu::emulator

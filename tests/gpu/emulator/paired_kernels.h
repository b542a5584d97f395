#pragma once

#include <cuda_runtime.h>

/// Kernels that break one of CUDA's rules, and the same without the fault: by a template's argument, or by
/// what they are given.
namespace isolume::gpu::emulator {

/// Wrong where `first` is no multiple of 4.
__global__ void read_vectors(const float* in, float4* out, int first);
__global__ void write_vectors(const float4* in, float* out, int first);
__global__ void read_pairs(const float* in, float* out, int first);

/// Blocks of up to 64 threads.
__global__ void __launch_bounds__(64) write_bounded(float* out);
/// Of up to 32 * n.
template <int n>
__global__ void __launch_bounds__(32 * n, 2) write_bounded_by(float* out);

/// 40,000 bytes of static shared memory, of which it uses little, beside dynamic.
__global__ void use_static_and_dynamic(float* out);

enum class Fault { none, present };

/// Every block writes its number into one word.
template <Fault>
__global__ void write_one_word(int* word);
/// Every block reads what the one before it writes in the same launch, or (right) what was there before.
template <Fault>
__global__ void read_from_block_before(const int* before, int* numbers, int* sums);
/// Every block writes bytes of words that others also write to; never wrong.
__global__ void write_own_bytes(unsigned char* bytes);
/// Reads a counter that other blocks change atomically; wrong where it may come from the first cache.
template <Fault>
__global__ void look_at_counter(int* counter, int* seen);

/// The last block to end adds what all have written.
enum class LastBlock {
  right,
  no_fence_before,  ///< between a block's values and its tick of the counter
  no_fence_after,   ///< between seeing the last tick and reading the values
  no_barrier,       ///< one thread's fence, and no barrier, for what all threads have written
  plain_counter,    ///< no atomic operation
};
template <LastBlock>
__global__ void sum_by_last_block(int* values, int* counter, int* sum);

/// Block 0 writes values and raises a flag that the others wait for.
enum class HandOver { right, no_fence_at_writer, no_fence_at_reader, plain_flag };
template <HandOver>
__global__ void hand_over(volatile int* flag, int* plain_flag, int* values, int* out);
/// All blocks wait for the block with the highest number, which is far from running.
__global__ void wait_for_last_block(volatile int* flag);

/// out[block] = in which place it began.
__global__ void take_tickets(int* counter, int* out, int tickets);

}  // namespace isolume::gpu::emulator

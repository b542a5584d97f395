#pragma once

#include <cuda_runtime.h>

/// Kernels that obey CUDA's rules.
namespace isolume::gpu::emulator {

__global__ void add(const float* a, const float* b, float* sum, int count);
/// The sum of a block's values, by shuffles within warps and shared memory between them.
__global__ void sum_blocks(const float* values, int count, float* sums);
/// Inclusive running sums of one block's values, by doubling distances.
__global__ void scan_block(const int* values, int* sums);
__global__ void histogram(const unsigned char* values, int count, unsigned* bins);
constexpr int tile = 32;
__global__ void transpose_static(const float* in, float* out, int width, int height);
/// The same, with (tile + 1) * tile floats of dynamic shared memory.
__global__ void transpose_dynamic(const float* in, float* out, int width, int height);
/// Writes each point's own indices.
__global__ void write_indices(int3* out, int3 size);
/// Each lane's results of votes, matches, shuffles and reductions, and only those of `mask` take part.
struct WarpResults {
  unsigned ballot, match;
  int any, all, up, down, exchanged, from_first_of_eight, sum, smallest;
};
__global__ void warp_operations(WarpResults* results, unsigned mask);
__global__ void count_votes(const int* votes, int* results);
/// Lanes hand values on through shared memory with __syncwarp alone.
__global__ void rotate_in_warps(const int* in, int* out);
/// Each lane in turn adds its value to a sum in shared memory, ordered by __syncwarp alone; 32 threads.
__global__ void add_in_turns(const int* in, int* out);
/// A lane reads two bytes one after the other; another one replaces the first one after a __syncwarp.
__global__ void replace_byte_after_read(unsigned char* out);
__global__ void evaluate_polynomial(const float* x, float* y, int count);
/// Makes constant memory's coefficients those of the current device, in order with its default stream.
void set_polynomial(const float (&coefficients)[4]);
/// Repeats reads of device and shared memory.
__global__ void read_often(const float* values, float* out, int repetitions);
/// A large structure by value, changed by each thread.
struct ManyValues {
  double values[32];
};
__global__ void sum_argument(ManyValues values, double* out);
/// Takes a while.
__global__ void spin(const float* in, float* out, int count, int repetitions);

}  // namespace isolume::gpu::emulator

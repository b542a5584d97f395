#include "gpu/runtime/kernel.h"
#include "tests/gpu/emulator/right_kernels.h"

namespace isolume::gpu::emulator {
namespace {

__constant__ float polynomial[4];

__device__ int linear_index() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ void transpose(float* tile_values, int pitch, const float* in, float* out, int width, int height) {
  const int x = static_cast<int>(blockIdx.x) * tile + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * tile + static_cast<int>(threadIdx.y);
  if (x < width && y < height) tile_values[threadIdx.y * pitch + threadIdx.x] = in[y * width + x];
  __syncthreads();
  const int to_x = static_cast<int>(blockIdx.y) * tile + static_cast<int>(threadIdx.x);
  const int to_y = static_cast<int>(blockIdx.x) * tile + static_cast<int>(threadIdx.y);
  if (to_x < height && to_y < width)
    out[to_y * height + to_x] = tile_values[threadIdx.x * pitch + threadIdx.y];
}

}  // namespace

__global__ void add(const float* a, const float* b, float* sum, int count) {
  const int i = linear_index();
  if (i < count) sum[i] = a[i] + b[i];
}

__global__ void sum_blocks(const float* values, int count, float* sums) {
  __shared__ float of_warps[32];
  const int i = linear_index();
  float sum = i < count ? values[i] : 0.0f;
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffU, sum, distance);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : 0.0f;
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffU, sum, distance);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void scan_block(const int* values, int* sums) {
  __shared__ int partial[1024];
  const int i = static_cast<int>(threadIdx.x);
  partial[i] = values[i];
  __syncthreads();
  for (int distance = 1; distance < static_cast<int>(blockDim.x); distance *= 2) {
    const int before = i >= distance ? partial[i - distance] : 0;
    __syncthreads();
    partial[i] += before;
    __syncthreads();
  }
  sums[i] = partial[i];
}

__global__ void histogram(const unsigned char* values, int count, unsigned* bins) {
  __shared__ unsigned block_bins[256];
  for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x) block_bins[bin] = 0;
  __syncthreads();
  if (const int i = linear_index(); i < count) atomicAdd(&block_bins[values[i]], 1U);
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&bins[bin], block_bins[bin]);
}

__global__ void transpose_static(const float* in, float* out, int width, int height) {
  __shared__ float values[tile][tile + 1];
  transpose(&values[0][0], tile + 1, in, out, width, height);
}
__global__ void transpose_dynamic(const float* in, float* out, int width, int height) {
  transpose(dynamic_shared<float>(), tile + 1, in, out, width, height);
}

__global__ void write_indices(int3* out, int3 size) {
  const int3 i = make_int3(static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
                           static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y),
                           static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z));
  if (i.x < size.x && i.y < size.y && i.z < size.z) out[(i.z * size.y + i.y) * size.x + i.x] = i;
}

__global__ void warp_operations(WarpResults* results, unsigned mask) {
  const int lane = static_cast<int>(threadIdx.x);
  if ((mask >> lane & 1U) == 0) return;
  WarpResults r;
  r.ballot = __ballot_sync(mask, lane % 3 == 0);
  r.match = __match_any_sync(mask, lane / 4);
  r.any = __any_sync(mask, lane == 8);
  r.all = __all_sync(mask, lane == 8);
  r.up = __shfl_up_sync(mask, lane * 10, 4);
  r.down = __shfl_down_sync(mask, lane * 10, 4);
  r.exchanged = __shfl_xor_sync(mask, lane * 10, 4);
  r.from_first_of_eight = __shfl_sync(mask, lane * 10, 0, 8);
  r.sum = __reduce_add_sync(mask, lane);
  r.smallest = __reduce_min_sync(mask, -lane);
  results[lane] = r;
}

__global__ void count_votes(const int* votes, int* results) {
  const int vote = votes[threadIdx.x];
  const int count = __syncthreads_count(vote);
  const int all = __syncthreads_and(vote);
  const int any = __syncthreads_or(vote);
  if (threadIdx.x == blockDim.x - 1) {
    results[0] = count;
    results[1] = all;
    results[2] = any;
  }
}

__global__ void rotate_in_warps(const int* in, int* out) {
  __shared__ int values[128];
  const unsigned i = threadIdx.x;
  values[i] = in[i];
  for (int turn = 0; turn < 3; ++turn) {
    __syncwarp();
    const int next = values[i / 32 * 32 + (i + 1) % 32];
    __syncwarp();
    values[i] = next;
  }
  out[i] = values[i];
}

__global__ void add_in_turns(const int* in, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  for (unsigned turn = 0; turn < 32; ++turn) {
    __syncwarp();
    if (threadIdx.x == turn) sum += in[turn];
  }
  __syncwarp();
  out[threadIdx.x] = sum;
}

__global__ void replace_byte_after_read(unsigned char* out) {
  __shared__ unsigned char bytes[2];
  if (threadIdx.x == 0) {
    bytes[0] = 3;
    bytes[1] = 4;
  }
  __syncwarp();
  if (threadIdx.x == 1) out[0] = bytes[0];
  __syncwarp();
  if (threadIdx.x == 1) out[1] = bytes[1];
  if (threadIdx.x == 2) bytes[0] = 5;
  __syncwarp();
  if (threadIdx.x == 1) out[2] = bytes[0];
}

__global__ void evaluate_polynomial(const float* x, float* y, int count) {
  const int i = linear_index();
  if (i < count)
    y[i] = polynomial[0] + x[i] * (polynomial[1] + x[i] * (polynomial[2] + x[i] * polynomial[3]));
}
void set_polynomial(const float (&coefficients)[4]) {
  cudaMemcpyToSymbol(polynomial, coefficients, sizeof(coefficients));
}

__global__ void read_often(const float* values, float* out, int repetitions) {
  __shared__ float tile_values[256];
  tile_values[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < repetitions; ++i) {
    sum += values[(threadIdx.x + i) % blockDim.x] + tile_values[(threadIdx.x + 2 * i) % blockDim.x];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void sum_argument(ManyValues values, double* out) {
  values.values[threadIdx.x % 32] = 0;
  double sum = 0;
  for (const double value : values.values) sum += value;
  out[threadIdx.x] = sum;
}

__global__ void spin(const float* in, float* out, int count, int repetitions) {
  const int i = linear_index();
  if (i >= count) return;
  float value = in[i];
  for (int turn = 0; turn < repetitions; ++turn) value = fmaf(value, 0.999f, 0.001f);
  out[i] = value;
}

}  // namespace isolume::gpu::emulator

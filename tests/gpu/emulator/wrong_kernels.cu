#include "gpu/runtime/kernel.h"
#include "tests/gpu/emulator/wrong_kernels.h"

namespace isolume::gpu::emulator {

__global__ void read_before_barrier(const float* in, float* out) {
  __shared__ float values[256];
  values[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = threadIdx.x < 32 ? 0.0f : values[threadIdx.x - 32];  // of another warp
}

__global__ void write_before_barrier(const float* in, float* out) {
  __shared__ float values[256];
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const float next = values[(threadIdx.x + 32) % blockDim.x];
  values[threadIdx.x] = next;  // others have not read it yet
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

__global__ void write_same_word(float* out) {
  __shared__ float value;
  value = static_cast<float>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = value;
}

__global__ void read_in_warp_without_sync(const float* in, float* out) {
  __shared__ float values[32];
  values[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = values[threadIdx.x & ~1U];
}

__global__ void write_in_turn_of_readers(float* out) {
  __shared__ float value;
  if (threadIdx.x == 0) value = 1;
  __syncwarp();
  const float before = value;
  __syncwarp();
  const float now = value;
  if (threadIdx.x == 31) value = now + 1;
  out[threadIdx.x] = before + now;
}

__global__ void shuffle_is_no_barrier(const float* in, float* out) {
  __shared__ float values[32];
  values[threadIdx.x] = in[threadIdx.x];
  const float other = __shfl_xor_sync(0xffffffffU, in[threadIdx.x], 1);
  out[threadIdx.x] = other + values[threadIdx.x ^ 1U];
}

__global__ void plain_beside_atomic(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  if (threadIdx.x == 63) out[0] = count;
}

__global__ void diverge_at_barriers(float* out) {
  if (threadIdx.x < 32) {
    __syncthreads();
    out[threadIdx.x] = 1;
  } else {
    __syncthreads();
    out[threadIdx.x] = 2;
  }
}

__global__ void end_before_barrier(float* out) {
  if (threadIdx.x >= 32) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void end_before_shuffle(int* out) {
  if (threadIdx.x >= 20) return;
  out[threadIdx.x] = __shfl_down_sync(0xffffffffU, 1, 1);
}

__global__ void leave_itself_out(int* out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffffU, 1, 0);
}

__global__ void shuffle_from_outside_of_mask(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0x0000ffffU, 1, 20);
}

__global__ void read_at(const float* in, float* out, int at) {
  out[threadIdx.x] = in[at];
}
__global__ void write_at(float* out, int at) {
  out[at] = 1;
}

__global__ void read_unwritten_shared(float* out) {
  __shared__ float values[64];
  if (threadIdx.x < 63) values[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

__global__ void read_beyond_dynamic_shared(float* out, int at) {
  auto* const values = dynamic_shared<float>();
  values[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = values[at];
}

__global__ void write_host(float* host) {
  *host = 1;
}

__global__ void stop_itself() {
  if (threadIdx.x == 5) __trap();
}

}  // namespace isolume::gpu::emulator

#include "gpu/runtime/kernel.h"
#include "tests/gpu/emulator/paired_kernels.h"

namespace isolume::gpu::emulator {

__global__ void read_vectors(const float* in, float4* out, int first) {
  out[threadIdx.x] = reinterpret_cast<const float4*>(in + first)[threadIdx.x];
}

__global__ void write_vectors(const float4* in, float* out, int first) {
  reinterpret_cast<float4*>(out + first)[threadIdx.x] = in[threadIdx.x];
}

__global__ void read_pairs(const float* in, float* out, int first) {
  out[threadIdx.x] = reinterpret_cast<const float2*>(in + first)[threadIdx.x].y;
}

__global__ void __launch_bounds__(64) write_bounded(float* out) {
  out[threadIdx.x] = 1;
}

template <int n>
__global__ void __launch_bounds__(32 * n, 2) write_bounded_by(float* out) {
  out[threadIdx.x] = n;
}
template __global__ void write_bounded_by<1>(float*);
template __global__ void write_bounded_by<4>(float*);

__global__ void use_static_and_dynamic(float* out) {
  __shared__ float fixed[10'000];
  auto* const dynamic = dynamic_shared<float>();
  fixed[threadIdx.x] = 1;
  dynamic[threadIdx.x] = 2;
  __syncthreads();
  out[threadIdx.x] = fixed[blockDim.x - 1 - threadIdx.x] + dynamic[blockDim.x - 1 - threadIdx.x];
}

template <Fault fault>
__global__ void write_one_word(int* word) {
  if (fault == Fault::present) {
    *word = static_cast<int>(blockIdx.x);
  } else {
    atomicExch(word, static_cast<int>(blockIdx.x));
  }
}
template __global__ void write_one_word<Fault::none>(int*);
template __global__ void write_one_word<Fault::present>(int*);

template <Fault fault>
__global__ void read_from_block_before(const int* before, int* numbers, int* sums) {
  const int i = static_cast<int>(blockIdx.x);
  numbers[i] = i;
  const int* const from = fault == Fault::present ? numbers : before;
  sums[i] = i > 0 ? from[i - 1] + 1 : 0;
}
template __global__ void read_from_block_before<Fault::none>(const int*, int*, int*);
template __global__ void read_from_block_before<Fault::present>(const int*, int*, int*);

__global__ void write_own_bytes(unsigned char* bytes) {
  bytes[blockIdx.x] = static_cast<unsigned char>(blockIdx.x);
}

template <Fault fault>
__global__ void look_at_counter(int* counter, int* seen) {
  atomicAdd(counter, 1);
  const int value = fault == Fault::present ? *counter : __ldcg(counter);
  seen[blockIdx.x] = value;
}
template __global__ void look_at_counter<Fault::none>(int*, int*);
template __global__ void look_at_counter<Fault::present>(int*, int*);

template <LastBlock kind>
__global__ void sum_by_last_block(int* values, int* counter, int* sum) {
  __shared__ bool last;
  const unsigned first = blockIdx.x * blockDim.x;
  values[first + threadIdx.x] = static_cast<int>(first + threadIdx.x);
  if (kind != LastBlock::no_barrier) __syncthreads();
  if (threadIdx.x == 0) {
    if (kind != LastBlock::no_fence_before) __threadfence();
    const int ticks = static_cast<int>(gridDim.x) - 1;
    if (kind == LastBlock::plain_counter) {
      last = (*counter)++ == ticks;
    } else {
      last = atomicAdd(counter, 1) == ticks;
    }
    if (kind != LastBlock::no_fence_after) __threadfence();
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  int total = 0;
  for (unsigned i = 0; i < gridDim.x * blockDim.x; ++i) total += values[i];
  *sum = total;
}
template __global__ void sum_by_last_block<LastBlock::right>(int*, int*, int*);
template __global__ void sum_by_last_block<LastBlock::no_fence_before>(int*, int*, int*);
template __global__ void sum_by_last_block<LastBlock::no_fence_after>(int*, int*, int*);
template __global__ void sum_by_last_block<LastBlock::no_barrier>(int*, int*, int*);
template __global__ void sum_by_last_block<LastBlock::plain_counter>(int*, int*, int*);

template <HandOver kind>
__global__ void hand_over(volatile int* flag, int* plain_flag, int* values, int* out) {
  if (blockIdx.x == 0) {
    values[threadIdx.x] = static_cast<int>(threadIdx.x) + 1;
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (kind != HandOver::no_fence_at_writer) __threadfence();
    if (kind == HandOver::plain_flag) {
      *plain_flag = 1;
    } else {
      *flag = 1;
    }
    return;
  }
  if (threadIdx.x == 0) {
    if (kind == HandOver::plain_flag) {
      // The compiler would read it once.
      for (int turn = 0; turn < 1000 && atomicAdd(&values[blockDim.x], 0) == 0; ++turn) {
      }
      out[0] = *plain_flag;
    } else {
      while (*flag == 0) {
      }
    }
    if (kind != HandOver::no_fence_at_reader) __threadfence();
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = values[threadIdx.x];
}
template __global__ void hand_over<HandOver::right>(volatile int*, int*, int*, int*);
template __global__ void hand_over<HandOver::no_fence_at_writer>(volatile int*, int*, int*, int*);
template __global__ void hand_over<HandOver::no_fence_at_reader>(volatile int*, int*, int*, int*);
template __global__ void hand_over<HandOver::plain_flag>(volatile int*, int*, int*, int*);

__global__ void wait_for_last_block(volatile int* flag) {
  if (blockIdx.x == gridDim.x - 1) *flag = 1;
  while (*flag == 0) {
  }
}

__global__ void take_tickets(int* counter, int* out, int tickets) {
  for (int i = 0; i < tickets; ++i) out[blockIdx.x * tickets + i] = atomicAdd(counter, 1);
}

}  // namespace isolume::gpu::emulator

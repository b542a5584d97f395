#include "gpu/runtime/algorithms/scan.h"

#ifdef ISOLUME_GPU_EMULATED
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"
#else
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "gpu/runtime/algorithms/scratch.h"
#endif

namespace isolume::gpu {

#ifdef ISOLUME_GPU_EMULATED

// One thread, so that the emulator sees every access to the caller's memory.
namespace {

__global__ void serial_scan(const std::uint32_t* in, std::uint32_t* out, std::size_t count, bool inclusive) {
  std::uint32_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t value = in[i];
    out[i] = inclusive ? total + value : total;
    total += value;
  }
}

__global__ void serial_sum(const float* in, double* out, std::size_t count) {
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) total += in[i];
  *out = total;
}

}  // namespace

void exclusive_sum(const std::uint32_t* in, std::uint32_t* out, std::size_t count, const Stream& stream) {
  launch(serial_scan, dim3(1), dim3(1), 0, stream, in, out, count, false);
}

void inclusive_sum(const std::uint32_t* in, std::uint32_t* out, std::size_t count, const Stream& stream) {
  launch(serial_scan, dim3(1), dim3(1), 0, stream, in, out, count, true);
}

void sum(const float* in, double* out, std::size_t count, const Stream& stream) {
  launch(serial_sum, dim3(1), dim3(1), 0, stream, in, out, count);
}

#else

namespace {

struct Add {
  __host__ __device__ double operator()(double a, double b) const { return a + b; }
};

}  // namespace

void exclusive_sum(const std::uint32_t* in, std::uint32_t* out, std::size_t count, const Stream& stream) {
  with_scratch(stream, "an exclusive sum", [&](void* scratch, std::size_t& bytes, cudaStream_t queue) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, count, queue);
  });
}

void inclusive_sum(const std::uint32_t* in, std::uint32_t* out, std::size_t count, const Stream& stream) {
  with_scratch(stream, "an inclusive sum", [&](void* scratch, std::size_t& bytes, cudaStream_t queue) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, count, queue);
  });
}

void sum(const float* in, double* out, std::size_t count, const Stream& stream) {
  with_scratch(stream, "a sum", [&](void* scratch, std::size_t& bytes, cudaStream_t queue) {
    return cub::DeviceReduce::Reduce(scratch, bytes, in, out, count, Add{}, 0.0, queue);
  });
}

#endif

}  // namespace isolume::gpu

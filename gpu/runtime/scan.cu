#include "gpu/runtime/buffer.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"
#include "gpu/runtime/scan.h"

#ifndef ISOLUME_GPU_EMULATED
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
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

/// Calls a CUB algorithm twice, as CUB wants it: for the size of its scratch memory, and to queue it.
template <class Algorithm>
void with_scratch(const Stream& stream, const char* what, const Algorithm& algorithm) {
  stream.make_current();
  std::size_t bytes = 0;
  require_success(algorithm(nullptr, bytes), what);
  const DeviceBuffer<std::byte> scratch(stream, bytes == 0 ? 1 : bytes);  // null would mean asking again
  require_success(algorithm(scratch.device_data(), bytes), what);
}

struct Add {
  __host__ __device__ double operator()(double a, double b) const { return a + b; }
};

}  // namespace

void exclusive_sum(const std::uint32_t* in, std::uint32_t* out, std::size_t count, const Stream& stream) {
  with_scratch(stream, "an exclusive sum", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, count, stream.get());
  });
}

void inclusive_sum(const std::uint32_t* in, std::uint32_t* out, std::size_t count, const Stream& stream) {
  with_scratch(stream, "an inclusive sum", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, count, stream.get());
  });
}

void sum(const float* in, double* out, std::size_t count, const Stream& stream) {
  with_scratch(stream, "a sum", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(scratch, bytes, in, out, count, Add{}, 0.0, stream.get());
  });
}

#endif

}  // namespace isolume::gpu

#include "gpu/runtime/devices/check_device_kernel.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu {
namespace {

__global__ void scale_and_shift_kernel(const float* in, float* out, int count, float factor, float shift) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = fmaf(factor, in[i], shift);
}

}  // namespace

void scale_and_shift(const float* in, float* out, int count, float factor, float shift,
                     const Stream& stream) {
  launch_each(scale_and_shift_kernel, static_cast<std::size_t>(count), 256, stream, in, out, count, factor,
              shift);
}

}  // namespace isolume::gpu

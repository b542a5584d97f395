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
  constexpr unsigned block = 256;
  launch(scale_and_shift_kernel, dim3((static_cast<unsigned>(count) + block - 1) / block), dim3(block), 0,
         stream, in, out, count, factor, shift);
}

}  // namespace isolume::gpu

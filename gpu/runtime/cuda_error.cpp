#include "gpu/runtime/cuda_error.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::gpu {

void require_success(cudaError_t status, std::string_view what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // so that the next call does not find it again
  throw Error(
      fmt::format("GPU: {} failed: {} ({}).", what, cudaGetErrorString(status), cudaGetErrorName(status)));
}

}  // namespace isolume::gpu

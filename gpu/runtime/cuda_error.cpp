#include "gpu/runtime/cuda_error.h"

#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"

namespace isolume::gpu {
namespace {

std::string current_device_name() {
  int index = 0;
  if (cudaGetDevice(&index) != cudaSuccess) return "GPU";
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) return fmt::format("GPU {}", index);
  return fmt::format("GPU {} ({})", index, properties.name);
}

/// Formats a position such as gpu/runtime/streams/stream.cpp:40.
std::string place(const std::source_location& where) {
  const std::string_view file = where.file_name();
  const std::size_t room = file.rfind("/gpu/");
  return fmt::format("{}:{}", room == std::string_view::npos ? file : file.substr(room + 1), where.line());
}

}  // namespace

void require_success(cudaError_t status, std::string_view what, std::source_location where) {
  if (status == cudaSuccess) return;
  const std::string words = cudaGetErrorString(status);
  cudaGetLastError();  // clears the error for the next call
  const std::string text = fmt::format("{}: {} failed: {} ({}, {}).", current_device_name(), what, words,
                                       cudaGetErrorName(status), place(where));
  cudaGetLastError();
  if (status == cudaErrorMemoryAllocation) {
    throw ResourceError(text + " Close other programs that use the GPU, or choose a smaller problem.");
  }
  if (is_sticky(status)) throw dispatch::DeviceLost(text + " Start the program again to use it.");
  throw Error(text);
}

bool is_sticky(cudaError_t status) {
  switch (static_cast<int>(status)) {  // CUDA's numbers, since some have no name in some versions
    case 214:                          // memory error that cannot be corrected
    case 220:                          // link error that cannot be corrected
    case 226:                          // contained memory error
    case 700:                          // illegal address
    case 702:                          // launch timeout
    case 709:                          // context is destroyed
    case 710:                          // assertion
    case 714:                          // hardware stack error
    case 715:                          // illegal instruction
    case 716:                          // misaligned address
    case 717:                          // invalid address space
    case 718:                          // invalid program counter
    case 719:                          // launch failure
    case 721:                          // illegal tensor access
    case 999:                          // unknown
      return true;
    default:
      return false;
  }
}

}  // namespace isolume::gpu

#pragma once

/// The host's part of a kernel launch: CUDA's own call for typed kernels.

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "cuda_runtime_api.h"

namespace isolume::gpu::emulator {

/// A kernel and its arguments, copied at the launch. `call` runs it once, as one thread.
struct KernelCall {
  const void* kernel = nullptr;
  void (*call)(const void* kernel, void* const* arguments) = nullptr;
  std::unique_ptr<std::byte[]> storage;
  std::unique_ptr<void*[]> arguments;
};

/// Checks and queues the launch as CUDA does.
cudaError_t launch_kernel(KernelCall call, dim3 grid, dim3 block, std::size_t shared_bytes,
                          cudaStream_t stream);

/// Not instrumented: the arguments are in host memory, but belong to the kernel.
template <class... P, std::size_t... I>
__attribute__((no_sanitize("thread"))) void call_kernel(const void* kernel, void* const* arguments,
                                                        std::index_sequence<I...>) {
  reinterpret_cast<void (*)(P...)>(const_cast<void*>(kernel))(
      *static_cast<std::remove_reference_t<P>*>(arguments[I])...);
}
template <class... P>
__attribute__((no_sanitize("thread"))) void call_kernel(const void* kernel, void* const* arguments) {
  call_kernel<P...>(kernel, arguments, std::index_sequence_for<P...>{});
}

template <class... P>
KernelCall make_call(void (*kernel)(P...), void** arguments) {
  static_assert((std::is_trivially_copyable_v<P> && ...),
                "kernels take plain values: no references, no owners");
  constexpr std::size_t count = sizeof...(P);
  const std::size_t bytes[] = {sizeof(P)..., 0};
  constexpr std::size_t alignment = 16;
  std::size_t total = 0;
  for (const std::size_t size : bytes) total += (size + alignment - 1) / alignment * alignment;
  KernelCall call{reinterpret_cast<const void*>(kernel), &call_kernel<P...>,
                  std::make_unique<std::byte[]>(total + alignment), std::make_unique<void*[]>(count + 1)};
  std::byte* next = call.storage.get();
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(next, arguments[i], bytes[i]);
    call.arguments[i] = next;
    next += (bytes[i] + alignment - 1) / alignment * alignment;
  }
  return call;
}

}  // namespace isolume::gpu::emulator

template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return isolume::gpu::emulator::launch_kernel(isolume::gpu::emulator::make_call(kernel, arguments), grid,
                                               block, shared_bytes, stream);
}

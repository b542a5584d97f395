/// CUDA's calls about memory, on the emulated machine.

#include <algorithm>
#include <string>
#include <utility>

#include "gpu/emulator/call.h"
#include "gpu/emulator/graphs.h"
#include "gpu/emulator/memory.h"

using namespace isolume::gpu::emulator;

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  *pointer = nullptr;
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  if (const auto refused = refuse_while_capturing("cudaMalloc"); refused != cudaSuccess) return refused;
  if (bytes == 0) return cudaSuccess;
  Device& device = call.device();
  if (++device.allocations == device.specification.fails_at_allocation) {
    return report(cudaErrorMemoryAllocation,
                  fmt::format("allocation {} on the emulated device {} fails, as it was told to",
                              device.allocations, device.index));
  }
  const std::size_t used = memory::usage(device.index).bytes;
  if (bytes > device.specification.memory_bytes - used) {
    return report(cudaErrorMemoryAllocation,
                  fmt::format("{} bytes wanted, {} of {} bytes are free on the emulated device {}", bytes,
                              device.specification.memory_bytes - used, device.specification.memory_bytes,
                              device.index));
  }
  *pointer = memory::allocate(device.index, bytes);
  return *pointer != nullptr ? cudaSuccess : report(cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  Call call(-1);
  if (call.refused != cudaSuccess) return call.refused;
  if (const auto refused = refuse_while_capturing("cudaFree"); refused != cudaSuccess) return refused;
  const auto allocation = memory::find(pointer);
  if (!allocation || allocation->owner == memory::host || allocation->begin != address) {
    return report(cudaErrorInvalidValue, "cudaFree of " + memory::describe(address));
  }
  call.all.wait_for_all(allocation->owner, call.lock);  // as CUDA does
  memory::release(pointer, false);
  return Call::failure_of(call.device(allocation->owner));
}
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) {
  return cudaMalloc(pointer, bytes);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  if (pointer == nullptr) return cudaSuccess;
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (const auto refused = refuse_on_capturing(*stream, "cudaFreeAsync"); refused != cudaSuccess)
    return refused;
  CUstream_st::Operation operation;
  operation.run = [pointer](Processor&) -> std::optional<Failure> {
    if (memory::release(pointer, false)) return {};
    return Failure{cudaErrorInvalidValue,
                   "cudaFreeAsync of " + memory::describe(reinterpret_cast<std::uintptr_t>(pointer))};
  };
  call.all.queue(*stream, std::move(operation));
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  *pointer = nullptr;
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  if (const auto refused = refuse_while_capturing("cudaHostAlloc"); refused != cudaSuccess) return refused;
  if (bytes == 0) return cudaSuccess;
  *pointer = memory::allocate(memory::host, bytes);
  return *pointer != nullptr ? cudaSuccess : report(cudaErrorMemoryAllocation);
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(pointer, bytes, flags);
}
cudaError_t cudaFreeHost(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  Call call(-1);
  // Pinned memory outlives the devices.
  if (call.refused != cudaSuccess && call.refused != cudaErrorNoDevice) return call.refused;
  if (const auto refused = refuse_while_capturing("cudaFreeHost"); refused != cudaSuccess) return refused;
  const int count = static_cast<int>(call.all.devices.size());
  for (int device = 0; device < count; ++device) call.all.wait_for_all(device, call.lock);
  return memory::release(pointer, true)
             ? cudaSuccess
             : report(cudaErrorInvalidValue,
                      "cudaFreeHost of " + memory::describe(reinterpret_cast<std::uintptr_t>(pointer)));
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = nullptr;
  const auto allocation = memory::find(host);
  if (!memory::is_registered(host) && (!allocation || allocation->owner != memory::host)) {
    return report(cudaErrorInvalidValue, "not pinned memory");
  }
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  return memory::register_host(pointer, bytes) ? cudaSuccess : report(cudaErrorHostMemoryAlreadyRegistered);
}
cudaError_t cudaHostUnregister(void* pointer) {
  return memory::unregister_host(pointer) ? cudaSuccess : report(cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  *total = call.device().specification.memory_bytes;
  *free = *total - memory::usage(current_device).bytes;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const auto allocation = memory::find(pointer);
  auto* const address = const_cast<void*>(pointer);
  if (!allocation) {
    *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, address};
    if (memory::is_registered(pointer)) *attributes = {cudaMemoryTypeHost, current_device, address, address};
  } else if (allocation->owner == memory::host) {
    *attributes = {cudaMemoryTypeHost, current_device, address, address};
  } else {
    *attributes = {cudaMemoryTypeDevice, allocation->owner, address, nullptr};
  }
  return cudaSuccess;
}

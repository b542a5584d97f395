/// CUDA's calls, on the emulated machine: checks of arguments, and what they queue.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "gpu/emulator/copy.h"
#include "gpu/emulator/errors.h"
#include "gpu/emulator/graphs.h"
#include "gpu/emulator/machine.h"
#include "gpu/emulator/memory.h"
#include "gpu/emulator/suballocation.h"
#include "gpu/emulator/symbols.h"
#include "gpu/emulator/thread_locals.h"

namespace isolume::gpu::emulator {
namespace {

constexpr int emulated_multiprocessors = 4;

thread_local int current_device = 0;

/// Every call on a device begins like this: the machine's lock, and why the call is refused at once.
struct Call {
  Machine& all = machine();
  Machine::Lock lock{all.mutex};
  cudaError_t refused = cudaSuccess;

  /// index -1: only the machine.
  explicit Call(int index = current_device) {
    all.describe(lock);
    if (all.unloaded) {
      refused = report(cudaErrorCudartUnloading);
    } else if (!all.bad_description.empty()) {
      refused = report(cudaErrorInitializationError, all.bad_description);
    } else if (all.devices.empty()) {
      refused = report(cudaErrorNoDevice);
    } else if (index < -1 || index >= static_cast<int>(all.devices.size())) {
      refused = report(cudaErrorInvalidDevice,
                       fmt::format("there is no device {}; there are {}", index, all.devices.size()));
    } else if (index >= 0) {
      refused = failure_of(device(index));
    }
  }
  Device& device(int index) { return *all.devices[static_cast<std::size_t>(index)]; }
  Device& device() { return device(current_device); }

  /// What has happened on a device stays its answer to every call.
  static cudaError_t failure_of(const Device& device) {
    return device.failure ? report(device.failure->code, device.failure->text) : cudaSuccess;
  }
  CUstream_st* stream(cudaStream_t handle) {
    CUstream_st* const stream = handle != nullptr ? handle : device().streams.front().get();
    if (!all.streams.contains(stream) || stream->closing) {
      refused = report(cudaErrorInvalidResourceHandle, "the stream does not exist (any more)");
      return nullptr;
    }
    refused = failure_of(device(stream->device));
    return refused == cudaSuccess ? stream : nullptr;
  }
  cudaError_t wait(CUstream_st* stream, std::uint64_t number) {
    Device* const waited = &device(stream->device);
    const int index = stream->device;
    if (!all.wait_for(stream, number, lock))
      return report(cudaErrorContextIsDestroyed, "the device was reset");
    return &device(index) == waited ? failure_of(*waited) : report(cudaErrorContextIsDestroyed);
  }
};

std::size_t shared_limit(const DeviceSpecification& device) {
  const int generation = device.compute_major * 10 + device.compute_minor;
  if (generation < 80) return std::size_t{64} << 10;
  if (generation == 80 || generation == 87) return std::size_t{163} << 10;
  if (generation < 90 || generation >= 120) return std::size_t{99} << 10;
  return std::size_t{227} << 10;
}

cudaDeviceProp describe(const Device& device) {
  cudaDeviceProp p{};
  const auto& s = device.specification;
  std::snprintf(p.name, sizeof p.name, "Emulated GPU %d (sm%d%d)", device.index, s.compute_major,
                s.compute_minor);
  p.totalGlobalMem = s.memory_bytes;
  p.sharedMemPerBlock = static_shared_limit;
  p.sharedMemPerBlockOptin = shared_limit(s);
  p.sharedMemPerMultiprocessor = shared_limit(s) + 1024;
  p.reservedSharedMemPerBlock = 1024;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 2147483647;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.totalConstMem = std::size_t{64} << 10;
  p.major = s.compute_major;
  p.minor = s.compute_minor;
  p.multiProcessorCount = emulated_multiprocessors;
  p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = 1;
  p.asyncEngineCount = 2;
  p.pciBusID = device.index + 1;
  p.memoryBusWidth = 256;
  p.l2CacheSize = 4 << 20;
  p.maxThreadsPerMultiProcessor = s.compute_major == 7 ? 1024 : 2048;
  p.maxBlocksPerMultiProcessor = 16;
  return p;
}

}  // namespace

// Kernels.

namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::optional<Failure> run_at_speed(Processor& processor, const Launch& launch, double speed) {
  const double begin = thread_seconds();
  auto failure = processor.run(launch);
  if (speed < 1) {
    const double busy = thread_seconds() - begin;
    std::this_thread::sleep_for(std::chrono::duration<double>(busy * (1 / speed - 1)));
  }
  return failure;
}

/// Seeds that look unrelated for numbers that follow each other.
std::uint32_t mixed(std::uint32_t seed, std::uint32_t number) {
  std::uint32_t bits = seed * 2654435761U + number;
  bits = (bits ^ bits >> 16) * 0x85ebca6bU;
  bits = (bits ^ bits >> 13) * 0xc2b2ae35U;
  return bits ^ bits >> 16;
}

/// A sentence; empty when the device can run such a launch.
std::string why_not(const Launch& launch) {
  const dim3& grid = launch.grid;
  const dim3& block = launch.block;
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > 1024 || block.x > 1024 || block.y > 1024 || block.z > 64) {
    return fmt::format("a block of {} x {} x {} threads; 1 to 1024 are possible", block.x, block.y, block.z);
  }
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 2147483647U || grid.y > 65535 || grid.z > 65535) {
    return fmt::format("a grid of {} x {} x {} blocks", grid.x, grid.y, grid.z);
  }
  return {};
}

/// The same for what the kernel was compiled for, and what was asked for.
std::string why_not_for_kernel(const Launch& launch, bool asked_for_more, std::size_t dynamic_limit) {
  const std::size_t threads = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
  if (const int bound = launch_bound(launch.call.kernel);
      bound > 0 && threads > static_cast<std::size_t>(bound)) {
    return fmt::format("{} threads a block; {} was compiled for up to {} (__launch_bounds__)", threads,
                       function_name(launch.call.kernel), bound);
  }
  if (launch.shared_bytes <= dynamic_limit) return {};
  return fmt::format(
      "{} bytes of dynamic shared memory are more than {}{}; up to {} can be asked for with "
      "cudaFuncSetAttribute on every device",
      launch.shared_bytes, dynamic_limit, asked_for_more ? ", which was asked for" : "", launch.most_shared);
}

/// A launch, counted.
CUstream_st::Operation launch_operation(Device& device, const std::shared_ptr<const Launch>& launch) {
  CUstream_st::Operation operation;
  const int number = ++device.launches;
  operation.hangs = number == device.specification.hangs_at_launch;
  if (number == device.specification.fails_at_launch) {
    operation.run = [number, index = device.index](Processor&) -> std::optional<Failure> {
      return Failure{
          cudaErrorLaunchFailure,
          fmt::format("launch {} on the emulated device {} fails, as it was told to", number, index)};
    };
  } else {
    operation.run = [launch, speed = device.specification.speed](Processor& processor) {
      return run_at_speed(processor, *launch, speed);
    };
  }
  return operation;
}

}  // namespace

cudaError_t launch_kernel(KernelCall kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
                          cudaStream_t handle) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  Device& device = call.device(stream->device);
  auto launch = std::make_shared<Launch>();
  launch->call = std::move(kernel);
  launch->grid = grid;
  launch->block = block;
  launch->shared_bytes = shared_bytes;
  launch->most_shared = shared_limit(device.specification);
  launch->peers = device.peers;
  launch->order = call.all.options.blocks;
  launch->conflicts = call.all.options.conflicts;
  if (const std::string why = why_not(*launch); !why.empty())
    return report(cudaErrorInvalidConfiguration, why);
  const auto asked = device.shared_limits.find(launch->call.kernel);
  const bool asked_for_more = asked != device.shared_limits.end();
  launch->shared_limit = asked_for_more ? launch->most_shared : static_shared_limit;
  const std::size_t dynamic_limit =
      asked_for_more ? std::max(static_shared_limit, static_cast<std::size_t>(asked->second))
                     : static_shared_limit;
  if (const std::string why = why_not_for_kernel(*launch, asked_for_more, dynamic_limit); !why.empty()) {
    return report(shared_bytes > dynamic_limit ? cudaErrorInvalidValue : cudaErrorLaunchOutOfResources, why);
  }
  launch->seed = mixed(call.all.options.block_seed, static_cast<std::uint32_t>(device.launches + 1));
  call.all.queue(*stream, [launch](Device& on) { return launch_operation(on, launch); });
  return cudaSuccess;
}

// Copies.

namespace {

cudaError_t queue_copy(Copy copy, cudaStream_t handle, bool wait) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return cudaSuccess;
  if (const std::string why = why_not(copy); !why.empty()) return report(cudaErrorInvalidValue, why);
  if (wait || is_pageable(copy.to) || is_pageable(copy.from)) {
    if (const auto refused = refuse_while_capturing("a copy that waits"); refused != cudaSuccess)
      return refused;
  }
  wait = wait || is_pageable(copy.to);
  auto staged = std::make_shared<StagedCopy>(std::move(copy));
  CUstream_st::Operation operation;
  operation.run = [staged](Processor&) { return staged->run(); };
  const std::uint64_t number = call.all.queue(*stream, std::move(operation));
  return wait ? call.wait(stream, number) : cudaSuccess;
}

Copy rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
          std::size_t height, cudaMemcpyKind kind) {
  return {.to = static_cast<std::byte*>(to),
          .from = static_cast<const std::byte*>(from),
          .to_pitch = to_pitch,
          .from_pitch = from_pitch,
          .width = width,
          .height = height,
          .kind = kind};
}
Copy line(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return rows(to, bytes, from, bytes, bytes, 1, kind);
}
Copy box(const cudaMemcpy3DParms& p) {
  Copy copy = rows(nullptr, p.dstPtr.pitch, nullptr, p.srcPtr.pitch, p.extent.width, p.extent.height, p.kind);
  copy.depth = p.extent.depth;
  copy.to_slice = p.dstPtr.pitch * p.dstPtr.ysize;
  copy.from_slice = p.srcPtr.pitch * p.srcPtr.ysize;
  copy.to = static_cast<std::byte*>(p.dstPtr.ptr) + p.dstPos.x + p.dstPos.y * copy.to_pitch +
            p.dstPos.z * copy.to_slice;
  copy.from = static_cast<const std::byte*>(p.srcPtr.ptr) + p.srcPos.x + p.srcPos.y * copy.from_pitch +
              p.srcPos.z * copy.from_slice;
  return copy;
}

cudaError_t queue_set(void* to, int value, std::size_t bytes, cudaStream_t handle, bool wait) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (bytes == 0) return cudaSuccess;
  if (const std::string why = why_not_set(to, bytes); !why.empty()) return report(cudaErrorInvalidValue, why);
  CUstream_st::Operation operation;
  operation.run = [=](Processor&) { return set(to, value, bytes); };
  const std::uint64_t number = call.all.queue(*stream, std::move(operation));
  return wait ? call.wait(stream, number) : cudaSuccess;
}

}  // namespace

// Constant memory.

namespace {

/// Where a thread_local variable of the calling thread lies, so that another thread finds its own copy.
cudaError_t queue_symbol_copy(const void* symbol, std::size_t symbol_bytes, std::size_t offset, std::byte* to,
                              const std::byte* from, std::size_t bytes, cudaMemcpyKind kind,
                              cudaStream_t handle, bool wait) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (offset > symbol_bytes || bytes > symbol_bytes - offset) {
    return report(cudaErrorInvalidValue, fmt::format("a copy of {} bytes at byte {} of a symbol of {} bytes",
                                                     bytes, offset, symbol_bytes));
  }
  const auto place = find_thread_local(symbol);
  if (!place) return report(cudaErrorInvalidSymbol, "the symbol is not declared __constant__");
  if (const auto refused = refuse_on_capturing(*stream, "a copy of a symbol"); refused != cudaSuccess)
    return refused;
  Copy copy = line(to, from, bytes, kind);
  wait = wait || (to != nullptr && is_pageable(to));
  auto staged = std::make_shared<StagedCopy>(copy);
  CUstream_st::Operation operation;
  operation.run = [staged, place = *place, offset, bytes, to_symbol = to == nullptr](Processor& processor) {
    std::byte* const mine = static_cast<std::byte*>(thread_local_address(place)) + offset;
    processor.mark_constant(mine, bytes);
    return to_symbol ? staged->run_to(mine) : staged->run_from(mine);
  };
  const std::uint64_t number = call.all.queue(*stream, std::move(operation));
  return wait ? call.wait(stream, number) : cudaSuccess;
}

}  // namespace

cudaError_t copy_to_symbol(const void* symbol, std::size_t symbol_bytes, const void* from, std::size_t bytes,
                           std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  return queue_symbol_copy(symbol, symbol_bytes, offset, nullptr, static_cast<const std::byte*>(from), bytes,
                           kind, stream, wait);
}
cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t symbol_bytes, std::size_t bytes,
                             std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  return queue_symbol_copy(symbol, symbol_bytes, offset, static_cast<std::byte*>(to), nullptr, bytes, kind,
                           stream, wait);
}

}  // namespace isolume::gpu::emulator

using namespace isolume::gpu::emulator;

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return queue_copy(line(to, from, bytes, kind), nullptr, true);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return queue_copy(line(to, from, bytes, kind), stream, false);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return queue_copy(rows(to, to_pitch, from, from_pitch, width, height, kind), nullptr, true);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return queue_copy(rows(to, to_pitch, from, from_pitch, width, height, kind), stream, false);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return queue_copy(box(*parameters), nullptr, true);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return queue_copy(box(*parameters), stream, false);
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return queue_copy(line(to, from, bytes, cudaMemcpyDeviceToDevice), nullptr, true);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream) {
  return queue_copy(line(to, from, bytes, cudaMemcpyDeviceToDevice), stream, false);
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return queue_set(to, value, bytes, nullptr, false);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return queue_set(to, value, bytes, stream, false);
}

// Devices.

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  Call call(-1);
  if (call.refused != cudaSuccess) return call.refused;
  *count = static_cast<int>(call.all.devices.size());
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  Call call(device);
  // A device that has failed can still be described.
  if (call.refused != cudaSuccess && (device < 0 || device >= static_cast<int>(call.all.devices.size())))
    return call.refused;
  *properties = describe(call.device(device));
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p;
  if (const cudaError_t status = cudaGetDeviceProperties(&p, device); status != cudaSuccess) return status;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = p.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(p.sharedMemPerBlock);
      break;
    case cudaDevAttrTotalConstantMemory:
      *value = static_cast<int>(p.totalConstMem);
      break;
    case cudaDevAttrWarpSize:
      *value = p.warpSize;
      break;
    case cudaDevAttrMaxRegistersPerBlock:
      *value = p.regsPerBlock;
      break;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate:
      *value = 1'000'000;  // kHz
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = p.multiProcessorCount;
      break;
    case cudaDevAttrIntegrated:
      *value = p.integrated;
      break;
    case cudaDevAttrCanMapHostMemory:
      *value = p.canMapHostMemory;
      break;
    case cudaDevAttrConcurrentKernels:
      *value = p.concurrentKernels;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = p.memoryBusWidth;
      break;
    case cudaDevAttrL2CacheSize:
      *value = p.l2CacheSize;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = p.maxThreadsPerMultiProcessor;
      break;
    case cudaDevAttrAsyncEngineCount:
      *value = p.asyncEngineCount;
      break;
    case cudaDevAttrUnifiedAddressing:
      *value = p.unifiedAddressing;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = p.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = p.minor;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(p.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      *value = p.regsPerMultiprocessor;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(p.sharedMemPerBlockOptin);
      break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      *value = static_cast<int>(p.reservedSharedMemPerBlock);
      break;
    default:
      return report(cudaErrorInvalidValue, "an attribute that the emulator does not know");
  }
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  Call call(-1);
  if (call.refused != cudaSuccess) return call.refused;
  if (device < 0 || device >= static_cast<int>(call.all.devices.size()))
    return report(cudaErrorInvalidDevice);
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  if (const auto refused = refuse_while_capturing("cudaDeviceSynchronize"); refused != cudaSuccess)
    return refused;
  const int index = current_device;
  call.all.wait_for_all(index, call.lock);
  return index < static_cast<int>(call.all.devices.size()) ? Call::failure_of(call.device(index))
                                                           : report(cudaErrorContextIsDestroyed);
}
cudaError_t cudaDeviceReset() {
  Call call(-1);
  if (call.refused != cudaSuccess) return call.refused;
  if (current_device >= static_cast<int>(call.all.devices.size())) return report(cudaErrorInvalidDevice);
  call.all.reset(call.device(), call.lock);
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  cudaDeviceProp p;
  if (const cudaError_t status = cudaGetDeviceProperties(&p, device); status != cudaSuccess) return status;
  std::snprintf(text, static_cast<std::size_t>(length), "%04x:%02x:%02x.0", p.pciDomainID, p.pciBusID,
                p.pciDeviceID);
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  Call call(-1);
  if (call.refused != cudaSuccess) return call.refused;
  const int count = static_cast<int>(call.all.devices.size());
  if (device < 0 || device >= count || peer < 0 || peer >= count) return report(cudaErrorInvalidDevice);
  *can = device != peer ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  if (peer < 0 || peer >= static_cast<int>(call.all.devices.size()) || peer == current_device) {
    return report(cudaErrorInvalidDevice);
  }
  auto& peers = call.device().peers;
  if ((peers >> peer & 1U) != 0) return report(cudaErrorPeerAccessAlreadyEnabled);
  peers |= 1U << peer;
  return cudaSuccess;
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  auto& peers = call.device().peers;
  if (peer < 0 || peer >= 32 || (peers >> peer & 1U) == 0) return report(cudaErrorPeerAccessNotEnabled);
  peers &= ~(1U << peer);
  return cudaSuccess;
}

// Memory.

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

// Streams and events.

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = nullptr;
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  auto made = std::make_unique<CUstream_st>();
  made->device = current_device;
  made->blocking = (flags & cudaStreamNonBlocking) == 0;
  *stream = made.get();
  call.all.streams.insert(made.get());
  call.device().streams.push_back(std::move(made));
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  Call call(-1);
  if (call.refused != cudaSuccess) return call.refused;
  if (!call.all.streams.contains(stream) || stream->closing) return report(cudaErrorInvalidResourceHandle);
  stream->closing = true;
  Device& device = call.device(stream->device);
  if (!stream->operations.empty()) {
    call.all.want(*stream, stream->operations.back().number);
    return cudaSuccess;  // it goes with the last of its operations
  }
  call.all.forget(device, *stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  Call call;
  if (handle == nullptr && call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (const auto refused = refuse_on_capturing(*stream, "cudaStreamSynchronize"); refused != cudaSuccess)
    return refused;
  return stream->operations.empty() ? Call::failure_of(call.device(stream->device))
                                    : call.wait(stream, stream->operations.back().number);
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  Call call;
  if (handle == nullptr && call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (const auto refused = refuse_on_capturing(*stream, "cudaStreamQuery"); refused != cudaSuccess)
    return refused;
  if (stream->operations.empty()) return cudaSuccess;
  call.all.want(*stream,
                stream->operations.front().number);  // so that those who ask again and again get somewhere
  return report(cudaErrorNotReady);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  Call call;
  if (handle == nullptr && call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (const auto refused = refuse_on_capturing(*stream, "cudaStreamWaitEvent"); refused != cudaSuccess)
    return refused;
  if (!call.all.events.contains(event)) return report(cudaErrorInvalidResourceHandle);
  if (!event->mark || event->mark->done) return cudaSuccess;
  CUstream_st::Operation operation;
  operation.waits_for = event->mark;
  call.all.queue(*stream, std::move(operation));
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  Call call;
  if (handle == nullptr && call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  CUstream_st::Operation operation;
  operation.run = [=](Processor&) -> std::optional<Failure> {
    function(data);
    return {};
  };
  call.all.queue(*stream, std::move(operation));
  return cudaSuccess;
}
void isolume::gpu::emulator::limit_use(void* address, std::size_t bytes, cudaStream_t handle) {
  Call call;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return;  // a broken device: nothing runs on it any more
  CUstream_st::Operation operation;
  operation.run = [=](Processor&) -> std::optional<Failure> {
    memory::limit_use(address, bytes);
    return {};
  };
  call.all.queue(*stream, std::move(operation));
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = nullptr;
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  *event = new CUevent_st{(flags & cudaEventDisableTiming) == 0, nullptr};
  call.all.events.insert(*event);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  Machine& all = machine();
  const Machine::Lock lock(all.mutex);
  if (all.events.erase(event) == 0) return report(cudaErrorInvalidResourceHandle);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  Call call;
  if (handle == nullptr && call.refused != cudaSuccess) return call.refused;
  CUstream_st* const stream = call.stream(handle);
  if (stream == nullptr) return call.refused;
  if (const auto refused = refuse_on_capturing(*stream, "cudaEventRecord"); refused != cudaSuccess)
    return refused;
  if (!call.all.events.contains(event)) return report(cudaErrorInvalidResourceHandle);
  event->mark = std::make_shared<Mark>();
  CUstream_st::Operation operation;
  operation.reaches = event->mark;
  call.all.queue(*stream, std::move(operation));
  return cudaSuccess;
}

namespace {
/// The failure of the device that an event was recorded on.
cudaError_t failure_of(Call& call, const Mark& mark) {
  return mark.device < static_cast<int>(call.all.devices.size()) ? Call::failure_of(call.device(mark.device))
                                                                 : cudaSuccess;
}
}  // namespace

cudaError_t cudaEventQuery(cudaEvent_t event) {
  Call call(-1);
  if (call.refused != cudaSuccess) return call.refused;
  if (const auto refused = refuse_while_capturing("cudaEventQuery"); refused != cudaSuccess) return refused;
  if (!call.all.events.contains(event)) return report(cudaErrorInvalidResourceHandle);
  const auto mark = event->mark;
  if (!mark) return cudaSuccess;
  if (mark->done) return failure_of(call, *mark);
  if (mark->stream != nullptr) call.all.want(*mark->stream, mark->stream->operations.front().number);
  return report(cudaErrorNotReady);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  Call call(-1);
  if (call.refused != cudaSuccess) return call.refused;
  if (const auto refused = refuse_while_capturing("cudaEventSynchronize"); refused != cudaSuccess)
    return refused;
  if (!call.all.events.contains(event)) return report(cudaErrorInvalidResourceHandle);
  const auto mark = event->mark;
  if (!mark) return cudaSuccess;
  if (!mark->done && mark->stream != nullptr) call.all.want(*mark->stream, mark->number);
  call.all.changed.wait(call.lock, [&] { return mark->done; });
  return failure_of(call, *mark);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  Call call(-1);
  if (call.refused != cudaSuccess) return call.refused;
  for (CUevent_st* const event : {begin, end}) {
    if (!call.all.events.contains(event) || !event->timed || !event->mark)
      return report(cudaErrorInvalidResourceHandle);
    if (!event->mark->done) return report(cudaErrorNotReady);
  }
  *milliseconds = std::chrono::duration<float, std::milli>(end->mark->when - begin->mark->when).count();
  return cudaSuccess;
}

// Properties of kernels.

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  Device& device = call.device();
  if (value < 0 || static_cast<std::size_t>(value) > shared_limit(device.specification)) {
    return report(cudaErrorInvalidValue,
                  fmt::format("{} bytes of dynamic shared memory; device {} has {}", value, device.index,
                              shared_limit(device.specification)));
  }
  device.shared_limits[kernel] = value;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  const Device& device = call.device();
  *attributes = {};
  const int bound = launch_bound(kernel);
  attributes->maxThreadsPerBlock = bound > 0 ? bound : 1024;
  attributes->ptxVersion = attributes->binaryVersion =
      device.specification.compute_major * 10 + device.specification.compute_minor;
  const auto asked = device.shared_limits.find(kernel);
  attributes->maxDynamicSharedSizeBytes =
      asked != device.shared_limits.end() ? asked->second : static_cast<int>(static_shared_limit);
  return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) {
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads,
                                                          std::size_t shared_bytes) {
  cudaDeviceProp p;
  if (const cudaError_t status = cudaGetDeviceProperties(&p, current_device); status != cudaSuccess)
    return status;
  if (threads < 1) return report(cudaErrorInvalidValue);
  const auto by_shared =
      static_cast<int>(p.sharedMemPerMultiprocessor / (shared_bytes + p.reservedSharedMemPerBlock));
  *blocks = threads > p.maxThreadsPerBlock
                ? 0
                : std::min({p.maxThreadsPerMultiProcessor / ((threads + 31) / 32 * 32), by_shared,
                            p.maxBlocksPerMultiProcessor});
  return cudaSuccess;
}

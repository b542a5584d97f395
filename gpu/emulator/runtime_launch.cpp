/// CUDA's calls about kernels, on the emulated machine: launches, and what a kernel may use.

#include <algorithm>
#include <ctime>
#include <string>
#include <thread>
#include <utility>

#include "gpu/emulator/call.h"
#include "gpu/emulator/graphs.h"
#include "gpu/emulator/symbols.h"

namespace isolume::gpu::emulator {
namespace {

/// Operations of a stream that are not done before a launch waits for them; CUDA's limit is not documented.
constexpr std::size_t queue_depth = 1024;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::optional<Failure> run_at_speed(Processor& processor, const Launch& launch, double speed) {
  if (launch.loads) std::this_thread::sleep_for(loading_time);
  const double begin = thread_seconds();
  auto failure = processor.run(launch);
  if (speed < 1) {
    const double busy = thread_seconds() - begin;
    std::this_thread::sleep_for(std::chrono::duration<double>(busy * (1 / speed - 1)));
  }
  return failure;
}

/// Maps consecutive numbers to unrelated seeds.
std::uint32_t mixed(std::uint32_t seed, std::uint32_t number) {
  std::uint32_t bits = seed * 2654435761U + number;
  bits = (bits ^ bits >> 16) * 0x85ebca6bU;
  bits = (bits ^ bits >> 13) * 0xc2b2ae35U;
  return bits ^ bits >> 16;
}

/// Why the device cannot run such a launch (a sentence); empty if it can.
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

/// The same for the kernel's compiled bounds, and its opt-ins.
std::string why_not_for_kernel(const Launch& launch, bool asked_for_more, std::size_t dynamic_limit) {
  const std::size_t threads = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
  if (const int bound = launch.code.launch_bound; bound > 0 && threads > static_cast<std::size_t>(bound)) {
    return fmt::format("{} threads per block; {} was compiled for up to {} (__launch_bounds__)", threads,
                       function_name(launch.call.kernel), bound);
  }
  if (launch.shared_bytes <= dynamic_limit) return {};
  return fmt::format(
      "{} bytes of dynamic shared memory are more than {}{}; up to {} can be requested with "
      "cudaFuncSetAttribute on every device",
      launch.shared_bytes, dynamic_limit, asked_for_more ? ", which was requested" : "", launch.most_shared);
}

/// Counts a launch.
CUstream_st::Operation launch_operation(Device& device, const std::shared_ptr<const Launch>& launch) {
  CUstream_st::Operation operation;
  const int number = ++device.launches;
  // Streams do not wait for each other: a later launch could be done before the one that breaks the device.
  const auto broken_since = [&](int nth) { return nth > device.launches_at_reset && number >= nth; };
  operation.hangs = broken_since(device.specification.hangs_at_launch);
  if (broken_since(device.specification.fails_at_launch)) {
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
  if (stream->device != current_device) {
    return report(cudaErrorInvalidResourceHandle,
                  fmt::format("a launch on a stream of device {} while device {} is current", stream->device,
                              current_device));
  }
  Device& device = call.device();
  if (!device.specification.has_code) return report(cudaErrorNoKernelImageForDevice);
  auto launch = std::make_shared<Launch>();
  launch->call = std::move(kernel);
  launch->code = kernel_code(launch->call.kernel);
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
  launch->loads = device.loaded.insert(launch->call.kernel).second;
  if (!stream->capture && stream->operations.size() >= queue_depth) {
    const auto oldest = stream->operations[stream->operations.size() - queue_depth].number;
    if (const cudaError_t status = call.wait(stream, oldest); status != cudaSuccess) return status;
  }
  launch->seed = mixed(call.all.options.block_seed, static_cast<std::uint32_t>(device.launches + 1));
  call.all.queue(*stream, [launch](Device& on) { return launch_operation(on, launch); });
  return cudaSuccess;
}

}  // namespace isolume::gpu::emulator

using namespace isolume::gpu::emulator;

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
  device.loaded.insert(kernel);
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  Device& device = call.device();
  device.loaded.insert(kernel);
  *attributes = {};
  const int bound = kernel_code(kernel).launch_bound;
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

/// CUDA's calls about devices, on the emulated machine.

#include <cstdio>
#include <string>

#include "gpu/emulator/call.h"
#include "gpu/emulator/graphs.h"
#include "gpu/emulator/memory.h"

namespace isolume::gpu::emulator {

std::size_t shared_limit(const DeviceSpecification& device) {
  const int generation = device.compute_major * 10 + device.compute_minor;
  if (generation < 80) return std::size_t{64} << 10;
  if (generation == 80 || generation == 87) return std::size_t{163} << 10;
  if (generation < 90 || generation >= 120) return std::size_t{99} << 10;
  return std::size_t{227} << 10;
}

namespace {

constexpr int emulated_multiprocessors = 4;

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
}  // namespace isolume::gpu::emulator

using namespace isolume::gpu::emulator;

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
namespace {
bool are_peers(Call& call, int one, int other) {
  return one != other && call.device(one).specification.has_peers &&
         call.device(other).specification.has_peers;
}
}  // namespace

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  Call call(-1);
  if (call.refused != cudaSuccess) return call.refused;
  const int count = static_cast<int>(call.all.devices.size());
  if (device < 0 || device >= count || peer < 0 || peer >= count) return report(cudaErrorInvalidDevice);
  *can = are_peers(call, device, peer) ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  Call call;
  if (call.refused != cudaSuccess) return call.refused;
  if (peer < 0 || peer >= static_cast<int>(call.all.devices.size()) || peer == current_device) {
    return report(cudaErrorInvalidDevice);
  }
  if (!are_peers(call, current_device, peer)) return report(cudaErrorPeerAccessUnsupported);
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

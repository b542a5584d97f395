#include "gpu/interop/gl_registration.h"

// This header includes OpenGL's own, which conflicts with loaders: it is included here only.
#include <cuda_gl_interop.h>
#include <fmt/format.h>

#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {
namespace {

void require(cudaError_t status, std::string_view what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error for the next call
  throw GlRefused(fmt::format("{} an OpenGL buffer failed: {}", what, cudaGetErrorString(status)));
}

}  // namespace

GlDevice find_gl_device() {
  unsigned count = 0;
  int index = -1;
  const cudaError_t status = cudaGLGetDevices(&count, &index, 1, cudaGLDeviceListAll);
  if (status == cudaSuccess && count > 0) return {index, {}};
  cudaGetLastError();
  return {-1, status == cudaSuccess ? "no CUDA device draws for it" : cudaGetErrorString(status)};
}

GlRegistration::GlRegistration(unsigned buffer, const Stream& stream) : device_(stream.device()) {
  device_.make_current();
  require(cudaGraphicsGLRegisterBuffer(&resource_, buffer, cudaGraphicsRegisterFlagsWriteDiscard),
          "registering");
}

GlRegistration::~GlRegistration() {
  if (device_.given_up()) return;
  cudaSetDevice(device_.index());
  if (cudaGraphicsUnregisterResource(resource_) != cudaSuccess) cudaGetLastError();
}

void* GlRegistration::map(std::size_t bytes, const Stream& stream) {
  stream.make_current();
  require(cudaGraphicsMapResources(1, &resource_, stream.get()), "mapping");
  void* memory = nullptr;
  std::size_t size = 0;
  const cudaError_t status = cudaGraphicsResourceGetMappedPointer(&memory, &size, resource_);
  if (status == cudaSuccess && size >= bytes) return memory;
  unmap(stream);
  require(status, "finding");
  throw GlRefused(fmt::format("an OpenGL buffer has only {} of {} bytes", size, bytes));
}

void GlRegistration::unmap(const Stream& stream) {
  stream.make_current();
  require(cudaGraphicsUnmapResources(1, &resource_, stream.get()), "unmapping");
}

}  // namespace isolume::gpu

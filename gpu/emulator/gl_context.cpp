#include "gpu/emulator/gl_context.h"

#include <memory>
#include <mutex>
#include <set>

#include <cuda_gl_interop.h>

using isolume::gpu::emulator::GlContext;

struct cudaGraphicsResource {
  unsigned buffer = 0;
  void* memory = nullptr;
  std::size_t size = 0;
  bool mapped = false;
};

namespace {

struct State {
  std::mutex mutex;
  GlContext* context = nullptr;
  std::set<cudaGraphicsResource*> resources;
};

State& state() {
  static State all;
  return all;
}

/// Whether the calling thread's current device is the one that draws: others do not know the registrations.
bool on_drawing_device(const State& all) {
  int device = -1;
  return all.context != nullptr && cudaGetDevice(&device) == cudaSuccess && device == all.context->device;
}

std::size_t size_of(const GlContext& context, unsigned buffer) {
  if (context.real) return context.real->size(buffer);
  const auto found = context.buffers.find(buffer);
  return found != context.buffers.end() ? found->second.size() : 0;
}

/// Copies a real buffer's content, as a driver does internally: CUDA's caller makes no copy between host and
/// device.
cudaError_t read_real(const State& all, const cudaGraphicsResource& resource) {
  if (all.context->real->size(resource.buffer) != resource.size) return cudaErrorInvalidResourceHandle;
  all.context->real->read(resource.buffer, {static_cast<std::byte*>(resource.memory), resource.size});
  return cudaSuccess;
}
cudaError_t write_real(const State& all, const cudaGraphicsResource& resource, cudaStream_t stream) {
  if (all.context->real->size(resource.buffer) != resource.size) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t status = cudaStreamSynchronize(stream); status != cudaSuccess) return status;
  all.context->real->write(resource.buffer, {static_cast<const std::byte*>(resource.memory), resource.size});
  return cudaSuccess;
}

/// The buffer's own memory; null if it has been deleted or reallocated since it was registered.
std::byte* contents(State& all, const cudaGraphicsResource& resource) {
  if (all.context == nullptr) return nullptr;
  const auto found = all.context->buffers.find(resource.buffer);
  return found != all.context->buffers.end() && found->second.size() == resource.size ? found->second.data()
                                                                                      : nullptr;
}

}  // namespace

namespace isolume::gpu::emulator {

void set_gl_context(GlContext* context) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  for (auto* resource : all.resources) {
    cudaFree(resource->memory);
    delete resource;
  }
  all.resources.clear();
  all.context = context;
}

int gl_registration_count() {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  return static_cast<int>(all.resources.size());
}

}  // namespace isolume::gpu::emulator

cudaError_t cudaGLGetDevices(unsigned* count, int* devices, unsigned room, cudaGLDeviceList) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  *count = 0;
  if (all.context == nullptr) return cudaErrorNoDevice;
  *count = 1;
  if (room > 0) devices[0] = all.context->device;
  return cudaSuccess;
}

cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource** resource, unsigned buffer, unsigned) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (!on_drawing_device(all)) return cudaErrorInvalidGraphicsContext;
  auto made = std::make_unique<cudaGraphicsResource>();
  made->buffer = buffer;
  made->size = size_of(*all.context, buffer);
  if (made->size == 0) return cudaErrorInvalidValue;
  if (const cudaError_t status = cudaMalloc(&made->memory, made->size); status != cudaSuccess) return status;
  *resource = made.release();
  all.resources.insert(*resource);
  return cudaSuccess;
}

cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource* resource) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (!on_drawing_device(all) || all.resources.erase(resource) == 0) return cudaErrorInvalidResourceHandle;
  const cudaError_t status = cudaFree(resource->memory);
  delete resource;
  return status;
}

cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource** resources, cudaStream_t stream) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  for (int i = 0; i < count; ++i) {
    auto& resource = *resources[i];
    if (!on_drawing_device(all) || !all.resources.contains(&resource)) return cudaErrorInvalidResourceHandle;
    if (resource.mapped) return cudaErrorInvalidResourceHandle;
    if (all.context->real) {
      if (const cudaError_t status = read_real(all, resource); status != cudaSuccess) return status;
      resource.mapped = true;
      continue;
    }
    const std::byte* from = contents(all, resource);
    if (from == nullptr) return cudaErrorInvalidResourceHandle;
    const cudaError_t status =
        cudaMemcpyAsync(resource.memory, from, resource.size, cudaMemcpyHostToDevice, stream);
    if (status != cudaSuccess) return status;
    resource.mapped = true;
  }
  return cudaSuccess;
}

cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource** resources, cudaStream_t stream) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  for (int i = 0; i < count; ++i) {
    auto& resource = *resources[i];
    const bool known = on_drawing_device(all) && all.resources.contains(&resource);
    if (!known || !resource.mapped) return cudaErrorInvalidResourceHandle;
    if (all.context->real) {
      if (const cudaError_t status = write_real(all, resource, stream); status != cudaSuccess) return status;
      resource.mapped = false;
      continue;
    }
    std::byte* to = contents(all, resource);
    if (to == nullptr) return cudaErrorInvalidResourceHandle;
    const cudaError_t status =
        cudaMemcpyAsync(to, resource.memory, resource.size, cudaMemcpyDeviceToHost, stream);
    if (status != cudaSuccess) return status;
    resource.mapped = false;
  }
  return cudaSuccess;
}

cudaError_t cudaGraphicsResourceGetMappedPointer(void** memory, std::size_t* size,
                                                 cudaGraphicsResource* resource) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (!all.resources.contains(resource) || !resource->mapped) return cudaErrorInvalidResourceHandle;
  *memory = resource->memory;
  *size = resource->size;
  return cudaSuccess;
}

#pragma once

/// Stands in for CUDA's header of this name in the emulated backend; what is behind it says
/// gpu/emulator/gl_context.h.

#include "cuda_runtime_api.h"

struct cudaGraphicsResource;
using cudaGraphicsResource_t = cudaGraphicsResource*;
enum cudaGraphicsRegisterFlags {
  cudaGraphicsRegisterFlagsNone = 0,
  cudaGraphicsRegisterFlagsWriteDiscard = 2
};
enum cudaGLDeviceList { cudaGLDeviceListAll = 1 };

cudaError_t cudaGLGetDevices(unsigned* count, int* devices, unsigned room, cudaGLDeviceList list);
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource** resource, unsigned buffer, unsigned flags);
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource* resource);
cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource** resources, cudaStream_t stream);
cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource** resources, cudaStream_t stream);
cudaError_t cudaGraphicsResourceGetMappedPointer(void** memory, std::size_t* size,
                                                 cudaGraphicsResource* resource);

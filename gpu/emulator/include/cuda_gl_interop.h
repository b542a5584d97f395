#pragma once

/// OpenGL contexts belong to no emulated device: what is drawn is staged through the host.

#include "cuda_runtime_api.h"

using GLuint = unsigned;
using GLenum = unsigned;
using cudaGraphicsResource_t = struct cudaGraphicsResource*;
enum cudaGLDeviceList {
  cudaGLDeviceListAll = 1,
  cudaGLDeviceListCurrentFrame = 2,
  cudaGLDeviceListNextFrame = 3,
};
enum : unsigned {
  cudaGraphicsRegisterFlagsNone = 0,
  cudaGraphicsRegisterFlagsReadOnly = 1,
  cudaGraphicsRegisterFlagsWriteDiscard = 2,
};

/// No device and cudaErrorNoDevice, as from CUDA for a context of another vendor.
cudaError_t cudaGLGetDevices(unsigned* count, int* devices, unsigned capacity, cudaGLDeviceList list);
// All of these: cudaErrorNotSupported.
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t* resource, GLuint buffer, unsigned flags);
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource_t* resource, GLuint image, GLenum target,
                                        unsigned flags);
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource);
cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t* resources,
                                     cudaStream_t stream = nullptr);
cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t* resources,
                                       cudaStream_t stream = nullptr);
cudaError_t cudaGraphicsResourceGetMappedPointer(void** pointer, std::size_t* bytes,
                                                 cudaGraphicsResource_t resource);

#include "cuda_gl_interop.h"

#include "gpu/emulator/errors.h"

namespace {
cudaError_t unsupported() {
  return isolume::gpu::emulator::report(cudaErrorNotSupported,
                                        "emulated devices share no memory with OpenGL");
}
}  // namespace

cudaError_t cudaGLGetDevices(unsigned* count, int*, unsigned, cudaGLDeviceList) {
  *count = 0;
  return isolume::gpu::emulator::report(cudaErrorNoDevice);
}
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t* resource, GLuint, unsigned) {
  *resource = nullptr;
  return unsupported();
}
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource_t* resource, GLuint, GLenum, unsigned) {
  *resource = nullptr;
  return unsupported();
}
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t) {
  return unsupported();
}
cudaError_t cudaGraphicsMapResources(int, cudaGraphicsResource_t*, cudaStream_t) {
  return unsupported();
}
cudaError_t cudaGraphicsUnmapResources(int, cudaGraphicsResource_t*, cudaStream_t) {
  return unsupported();
}
cudaError_t cudaGraphicsResourceGetMappedPointer(void**, std::size_t*, cudaGraphicsResource_t) {
  return unsupported();
}

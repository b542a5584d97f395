#pragma once

#include <cstddef>
#include <string>

#include "core/base/error.h"
#include "gpu/runtime/stream.h"

struct cudaGraphicsResource;

namespace isolume::gpu {

/// The CUDA device that draws for the OpenGL context current on this thread.
struct GlDevice {
  int index = -1;   ///< -1: none
  std::string why;  ///< where there is none: what the driver says
};
GlDevice find_gl_device();

/// The driver refuses to share an OpenGL buffer.
class GlRefused : public Error {
 public:
  using Error::Error;
};

/// An OpenGL buffer made known to CUDA. Owns the registration, not the buffer, which must outlive it.
class GlRegistration {
 public:
  /// Throws GlRefused. The buffer's context must be current, and the stream's device the
  /// one that draws for it.
  GlRegistration(unsigned buffer, const Stream& stream);
  /// Safe when the context has gone: the driver has then dropped the registration itself.
  ~GlRegistration();
  GlRegistration(const GlRegistration&) = delete;
  GlRegistration& operator=(const GlRegistration&) = delete;

  /// The buffer's memory, for work queued on `stream` from now to `unmap`; OpenGL must not use it meanwhile.
  /// Throws GlRefused, also when the buffer is shorter than `bytes`.
  void* map(std::size_t bytes, const Stream& stream);
  /// Later OpenGL calls wait for what was queued. Throws GlRefused.
  void unmap(const Stream& stream);

 private:
  const GpuDevice& device_;  ///< CUDA knows the registration there only
  cudaGraphicsResource* resource_ = nullptr;
};

}  // namespace isolume::gpu

#pragma once

#include <cstddef>
#include <string>

#include "core/base/error.h"
#include "gpu/runtime/streams/stream.h"

struct cudaGraphicsResource;

namespace isolume::gpu {

/// The CUDA device that draws for the current OpenGL context of this thread.
struct GlDevice {
  int index = -1;   ///< -1: none
  std::string why;  ///< the driver's reason if there is none
};
GlDevice find_gl_device();

/// The driver refuses to share an OpenGL buffer.
class GlRefused : public Error {
 public:
  using Error::Error;
};

/// An OpenGL buffer registered with CUDA. Owns the registration, not the buffer, which must outlive it.
class GlRegistration {
 public:
  /// Throws GlRefused. The buffer's context must be current, and the stream's device the one that draws for
  /// it.
  GlRegistration(unsigned buffer, const Stream& stream);
  /// Safe if the context no longer exists: the driver has then dropped the registration itself.
  ~GlRegistration();
  GlRegistration(const GlRegistration&) = delete;
  GlRegistration& operator=(const GlRegistration&) = delete;

  /// The buffer's memory, for work queued on `stream` from now to `unmap`; OpenGL must not use it meanwhile.
  /// Throws GlRefused, also if the buffer is shorter than `bytes`.
  void* map(std::size_t bytes, const Stream& stream);
  /// Later OpenGL calls wait for the queued work. Throws GlRefused.
  void unmap(const Stream& stream);

 private:
  const GpuDevice& device_;  ///< CUDA knows the registration there only
  cudaGraphicsResource* resource_ = nullptr;
};

}  // namespace isolume::gpu

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "gpu/interop/gl_registration.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/surfaces/surface_engine.h"

namespace isolume::dispatch {
class DevicePool;
}

namespace isolume::gpu {

/// Lets producers on any GPU fill OpenGL buffers of one context. If the context belongs to a CUDA device, the
/// producer writes into the mapped buffer or, computing on another device, into memory there that is copied
/// over. Otherwise it writes into device memory, which passes through pinned memory to the buffer's owner.
/// Used on the thread where the context is current.
class GlWriter {
 public:
  /// Finds the device of the current context. `pool` owns the devices and must outlive the writer.
  GlWriter(const dispatch::DevicePool& pool, const std::string& gl_renderer);

  /// Queues the writing of the buffer's bytes to the given memory.
  using Producer = std::function<void(std::byte* memory, const Stream& stream)>;
  /// Fills the first `bytes` of a buffer by a producer on `device`. OpenGL may draw from it on return.
  void write(const GlBuffer& buffer, std::size_t bytes, const GpuDevice& device, const Producer& producer);
  /// See SurfaceDrawing.
  void forget(unsigned buffer) noexcept;
  const std::string& how() const { return how_; }

 private:
  const Stream& stream_of(const GpuDevice& device);
  void write_mapped(const GlBuffer& buffer, std::size_t bytes, const GpuDevice& device,
                    const Producer& producer);
  void write_staged(const GlBuffer& buffer, std::size_t bytes, const GpuDevice& device,
                    const Producer& producer);

  const GpuDevice* display_ = nullptr;  ///< null: everything is staged
  std::string how_;
  std::map<const GpuDevice*, std::unique_ptr<Stream>> streams_;
  std::map<unsigned, std::unique_ptr<GlRegistration>> registrations_;
};

}  // namespace isolume::gpu

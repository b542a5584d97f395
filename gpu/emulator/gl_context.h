#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

/// OpenGL as CUDA's driver sees it, for tests of registering, mapping and releasing: without OpenGL, with
/// host memory as buffers, or with the buffers of a real context.
namespace isolume::gpu::emulator {

struct GlContext {
  int device = 0;  ///< the device that draws for it
  std::map<unsigned, std::vector<std::byte>> buffers;

  /// If set, these buffers are used, by calls on the thread that registers, maps and unmaps.
  struct Real {
    std::function<std::size_t(unsigned buffer)> size;
    std::function<void(unsigned buffer, std::span<std::byte> to)> read;
    std::function<void(unsigned buffer, std::span<const std::byte> from)> write;
  };
  std::optional<Real> real;
};

/// Makes a context current, on all threads; null (the initial state): no context belongs to an emulated
/// device, and nothing can be registered. Registrations of the previous context are then gone, as with a
/// driver.
void set_gl_context(GlContext* context);
/// Number of existing registrations.
int gl_registration_count();

}  // namespace isolume::gpu::emulator

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

/// OpenGL as CUDA's driver sees it, for tests of what is registered, mapped and let go of: without OpenGL, where buffers
/// are host memory, or with a real one's buffers.
namespace isolume::gpu::emulator {

struct GlContext {
  int device = 0;  ///< the one that draws for it
  std::map<unsigned, std::vector<std::byte>> buffers;

  /// Where set, these are the buffers instead, by calls on the thread that registers, maps and unmaps.
  struct Real {
    std::function<std::size_t(unsigned buffer)> size;
    std::function<void(unsigned buffer, std::span<std::byte> to)> read;
    std::function<void(unsigned buffer, std::span<const std::byte> from)> write;
  };
  std::optional<Real> real;
};

/// Makes a context current, on all threads; null (the start): none belongs to an emulated device, and nothing
/// can be registered. Registrations of the context before are gone then, as at a driver's.
void set_gl_context(GlContext* context);
/// Registrations that have not been let go of.
int gl_registration_count();

}  // namespace isolume::gpu::emulator

#pragma once

#include <cstddef>
#include <map>
#include <vector>

/// OpenGL as CUDA's driver sees it, without OpenGL: buffers are host memory. For tests of what is registered,
/// mapped and let go of.
namespace isolume::gpu::emulator {

struct GlContext {
  int device = 0;  ///< the one that draws for it
  std::map<unsigned, std::vector<std::byte>> buffers;
};

/// Makes a context current, on all threads; null (the start): none belongs to an emulated device, and nothing
/// can be registered. Registrations of the context before are gone then, as at a driver's.
void set_gl_context(GlContext* context);
/// Registrations that have not been let go of.
int gl_registration_count();

}  // namespace isolume::gpu::emulator

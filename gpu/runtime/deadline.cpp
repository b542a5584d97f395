#include "gpu/runtime/deadline.h"

#include <cstdlib>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::gpu {

std::chrono::duration<double> default_deadline() {
  if (const char* text = std::getenv("ISOLUME_GPU_DEADLINE"); text != nullptr && *text != '\0') {
    char* end = nullptr;
    const double seconds = std::strtod(text, &end);
    if (*end != '\0' || !(seconds > 0)) {
      throw Error(fmt::format("ISOLUME_GPU_DEADLINE: expected a number of seconds above 0, found {}.",
                              isolume::quoted(text)));
    }
    return std::chrono::duration<double>(seconds);
  }
#ifdef ISOLUME_GPU_EMULATED
  return std::chrono::minutes(2);
#else
  return std::chrono::seconds(10);
#endif
}

}  // namespace isolume::gpu

#include "gpu/runtime/streams/deadline.h"

#include <cstdlib>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number.h"

namespace isolume::gpu {

std::chrono::duration<double> default_deadline() {
  if (const char* text = std::getenv("ISOLUME_GPU_DEADLINE"); text != nullptr && *text != '\0') {
    const auto seconds = parse_finite(text);
    if (!seconds || *seconds <= 0) {
      throw Error(fmt::format("ISOLUME_GPU_DEADLINE: expected a number of seconds above 0, found {}.",
                              isolume::quoted(text)));
    }
    return std::chrono::duration<double>(*seconds);
  }
#ifdef ISOLUME_GPU_EMULATED
  return std::chrono::minutes(2);
#else
  return std::chrono::seconds(10);
#endif
}

}  // namespace isolume::gpu

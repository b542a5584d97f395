#include "gpu/emulator/words.h"

#include <fmt/format.h>

namespace isolume::gpu::emulator {

std::string text_of(uint3 index) {
  return fmt::format("({},{},{})", index.x, index.y, index.z);
}
std::string text_of(Place place) {
  return fmt::format("{}:{}", place.file, place.line);
}
const char* name_of(WarpOperation operation) {
  switch (operation) {
    case WarpOperation::sync:
      return "__syncwarp";
    case WarpOperation::shuffle:
    case WarpOperation::shuffle_up:
    case WarpOperation::shuffle_down:
    case WarpOperation::shuffle_xor:
      return "a shuffle";
    case WarpOperation::ballot:
      return "a vote";
    case WarpOperation::match_any:
    case WarpOperation::match_all:
      return "a match";
    default:
      return "a warp reduction";
  }
}

}  // namespace isolume::gpu::emulator

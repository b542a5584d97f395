// Saved contours may be refused with InputError; what is read is written and read again as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/error.h"
#include "core/contours/files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume::contours;
  static const std::filesystem::path path = "fuzzed";
  try {
    const auto document = contours_of_text({reinterpret_cast<const char*>(data), size}, path);
    const auto text = to_json(document.set, document.image).dump();
    const auto again = contours_of_text(text, path);
    if (to_json(again.set, again.image).dump() != text) std::abort();
  } catch (const isolume::InputError&) {
  }
  return 0;
}

// A reader of maps may refuse with an Error; whatever else happens is a fault.
#include "core/base/error.h"
#include "core/electrostatics/maps/map_file.h"
#include "tests/fuzz/fuzzed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume;
  const auto file = fuzz::write_file(ISOLUME_FUZZED_NAME, fuzz::text_of(data, size));
  try {
    electrostatics::read_map(file);
  } catch (const Error&) {
  }
  return 0;
}

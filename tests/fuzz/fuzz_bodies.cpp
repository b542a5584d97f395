// A reader of bodies may refuse with InputError or ResourceError; whatever else happens is a fault. What it reads
// are bodies that a simulation takes.
#include "core/base/error.h"
#include "core/nbody/files/bodies_file.h"
#include "tests/fuzz/fuzzed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume;
  const auto file = fuzz::write_file(ISOLUME_FUZZED_NAME, fuzz::text_of(data, size));
  try {
    check(nbody::read_bodies(file));
  } catch (const InputError&) {
  } catch (const ResourceError&) {
  }
  return 0;
}

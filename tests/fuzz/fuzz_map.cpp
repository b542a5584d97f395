// A reader of maps may refuse with an Error; whatever else happens is a fault.
#include "core/base/error.h"
#include "core/electrostatics/ccp4.h"
#include "core/electrostatics/opendx.h"
#include "tests/fuzz/fuzzed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume;
  const auto file = fuzz::write_file(ISOLUME_FUZZED_NAME, fuzz::text_of(data, size));
  try {
    if (file.extension() == ".dx") {
      electrostatics::read_opendx(file);
    } else {
      electrostatics::read_ccp4(file);
    }
  } catch (const Error&) {
  }
  return 0;
}
